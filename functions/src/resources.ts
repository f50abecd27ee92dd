import type { GlobalOptions } from 'firebase-functions';
import { cpuQuota, isWarm, region, serviceAccount } from './config';
import { DEFAULT_CPU_QUOTA } from './values/cpu-quota';

/** What a call gets when the quota gives it a whole CPU: the memory fits so many requests at once. */
const whole = { memory: '1GiB', concurrency: 40 } as const;

/**
 * What each function gets in the cloud. An endpoint names its class in `runtime`, and is a `call` without one.
 * `instances` is the largest number of instances of each function under the CPU quota of a new project. The sum of all
 * functions is far above the quota: Cloud Run checks each function alone at a deploy, and the quota bounds the
 * instances that exist at the same time (cloud.google.com/run/docs/configuring/max-instances-limits). So no class takes
 * more than 60 % of the quota. The classes that scale get more with CPU_QUOTA: see `sizeOf`.
 *
 * Cloud Run's rules (cloud.google.com/run/docs/configuring/services/cpu): a CPU below 1 is at least 0.08, serves one
 * request at a time, and has at most 512 MiB below 0.5 CPU. An instance starts in the time that its first answer costs,
 * divided by the CPU. So the CPU of `read`, `list` and `call` is the least with which they start in 1.5 s.
 */
export const resourceClasses = {
  /** The files of decks, for everybody who has a link. */
  viewer: { cpu: 1, memory: '512MiB', concurrency: 80, timeoutSeconds: 300, instances: 12, scales: true },
  /** Pages for people. */
  page: { cpu: 1, memory: '512MiB', concurrency: 80, timeoutSeconds: 60, instances: 8, scales: true },
  /** Bytes, hashes and manifests of clients. `concurrency` limits the memory. */
  transfer: { cpu: 1, memory: '1GiB', concurrency: 8, timeoutSeconds: 300, instances: 4, scales: true },
  /** Calls that many people need at once: logins, checks of keys, listings, the pages of the dashboard. */
  hot: { cpu: 1, ...whole, timeoutSeconds: 60, instances: 6, scales: true },
  /** Calls that read a few documents, for which the small client of the database is enough. */
  read: { cpu: 0.23, memory: '256MiB', concurrency: 1, whole, timeoutSeconds: 60, instances: 20, scales: true },
  /** Lists of one query whose start costs at most 555 ms: pages that people look at, but not many at once. */
  list: { cpu: 0.37, memory: '256MiB', concurrency: 1, whole, timeoutSeconds: 60, instances: 20, scales: true },
  /** All other calls: queries, and transactions. */
  call: { cpu: 0.45, memory: '256MiB', concurrency: 1, whole, timeoutSeconds: 60, instances: 20, scales: true },
  /** Calls that wait for the mail provider. A slow provider keeps an instance busy for each call. */
  mail: { cpu: 0.48, memory: '256MiB', concurrency: 1, whole, timeoutSeconds: 120, instances: 20, scales: true },
  /**
   * Calls that work on many files of a deck: hashes, direct uploads, copies, deletions. One of them may take 540
   * seconds.
   */
  work: {
    cpu: 0.45,
    memory: '512MiB',
    concurrency: 1,
    whole: { memory: '1GiB', concurrency: 8 },
    timeoutSeconds: 540,
    instances: 20,
    scales: true,
  },
  /** Scheduled functions. One run at a time is enough, whatever the quota is. */
  job: { cpu: 0.08, memory: '512MiB', concurrency: 1, timeoutSeconds: 540, instances: 1, scales: false },
  /**
   * Scheduled functions with work for a whole CPU: the one that decodes pictures, of which a version may have 200 and
   * each takes up to 200 ms, and the one that streams exports.
   */
  heavyJob: { cpu: 1, memory: '512MiB', concurrency: 1, timeoutSeconds: 540, instances: 1, scales: false },
  /**
   * Streams of live sessions. They wait, so an instance takes as many requests as Cloud Run allows. A part of these
   * places is for followers who ask (`config.liveStreams`). A stream ends by itself before the longest time of a
   * request, an hour. Under the smallest quota its instances are those that the pages of people leave free.
   */
  live: { cpu: 1, memory: '512MiB', concurrency: 1000, timeoutSeconds: 3600, instances: 2, scales: true },
  /** The function of the task queue: it waits for the answers of receivers, each up to 10 seconds. */
  task: { cpu: 1, memory: '512MiB', concurrency: 80, timeoutSeconds: 60, instances: 4, scales: true },
} as const satisfies Record<string, Resources>;

export type ResourceClass = keyof typeof resourceClasses;

interface Resources {
  cpu: number;
  memory: GlobalOptions['memory'] & string;
  concurrency: number;
  whole?: Pick<Resources, 'memory' | 'concurrency'>;
  timeoutSeconds: number;
  instances: number;
  scales: boolean;
}

/**
 * The size of a function of the class, under a CPU quota in vCPU. A CPU below 1 grows first, because a call starts and
 * answers faster with more of it. At 1 the requests at once grow. Then the instances grow.
 */
export function sizeOf(
  name: ResourceClass,
  quota: number,
): Pick<Resources, 'cpu' | 'memory' | 'concurrency'> & { maxInstances: number } {
  const { cpu, instances, scales, whole, memory, concurrency }: Resources = resourceClasses[name];
  const share = scales ? (cpu * quota) / DEFAULT_CPU_QUOTA : cpu;
  // Cloud Run accepts three decimals.
  const grown = Math.min(1, Math.floor(share * 1000) / 1000);
  // The smallest fraction corrects a quotient such as 0.9999999999999999.
  return {
    cpu: grown,
    maxInstances: Math.floor(instances * (share / grown) + 1e-9),
    ...((grown === 1 && whole) || { memory, concurrency }),
  };
}

/** The classes of which WARM=1 keeps one instance of each function: what people open by a link. */
const warmClasses: readonly ResourceClass[] = ['viewer', 'page'];

/** The options of a deployed function of the class. */
export function optionsOf(name: ResourceClass) {
  const account = serviceAccount();
  return {
    region: region(),
    ...(account && { serviceAccount: account }),
    timeoutSeconds: resourceClasses[name].timeoutSeconds,
    ...sizeOf(name, cpuQuota()),
    ...(isWarm() && warmClasses.includes(name) && { minInstances: 1 }),
  };
}
