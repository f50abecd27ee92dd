import type { GlobalOptions } from 'firebase-functions';
import { cpuQuota, isWarm, region, serviceAccount } from './config';

/** A call that reads and writes a few documents. */
const small = {
  cpu: 0.08,
  memory: '256MiB',
  concurrency: 1,
  whole: { memory: '1GiB', concurrency: 40 },
} as const;

/**
 * What each function gets in the cloud. An endpoint names its class in `runtime`, and is a `call`
 * without one. `instances` is the largest number of instances of each function. The sum of CPU times instances fits the
 * CPU quota of a new project. The classes that scale get more with CPU_QUOTA: see `sizeOf`.
 *
 * Cloud Run's rules (cloud.google.com/run/docs/configuring/services/cpu): a CPU below 1 is at least 0.08, serves one
 * request at a time, and has at most 512 MiB below 0.5 CPU. A class below 1 CPU has in `whole` what its functions get
 * when CPU_QUOTA has raised them to 1 CPU: the memory fits so many requests at once.
 */
export const resourceClasses = {
  /** The files of decks, for everybody who has a link. */
  viewer: { cpu: 1, memory: '512MiB', concurrency: 80, timeoutSeconds: 300, instances: 2, scales: true },
  /** Pages for people. */
  page: { cpu: 1, memory: '512MiB', concurrency: 80, timeoutSeconds: 60, instances: 1, scales: true },
  /** Bytes and manifests of clients. `concurrency` limits the memory. */
  transfer: { cpu: 1, memory: '1GiB', concurrency: 8, timeoutSeconds: 300, instances: 1, scales: true },
  /** Calls that wait for the mail provider. A slow provider must not keep all instances busy. */
  mail: { ...small, timeoutSeconds: 120, instances: 3, scales: true },
  /** Calls that many clients need at once: logins, checks of keys, the public marketplace. */
  hot: { ...small, timeoutSeconds: 60, instances: 2, scales: true },
  /** All other calls: a few reads and one transaction. */
  call: { ...small, timeoutSeconds: 60, instances: 1, scales: true },
  /**
   * Calls that work on many files of a deck: hashes, direct uploads, copies, deletions. One of them may take 540
   * seconds. Others use the second instance in that time.
   */
  work: {
    cpu: 0.12,
    memory: '512MiB',
    concurrency: 1,
    whole: { memory: '1GiB', concurrency: 8 },
    timeoutSeconds: 540,
    instances: 2,
    scales: true,
  },
  /** Scheduled functions. One run at a time is enough, whatever the quota is. */
  job: { cpu: 0.08, memory: '512MiB', concurrency: 1, timeoutSeconds: 540, instances: 1, scales: false },
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

/** The CPU quota of a new project in one region, in vCPU. The instances of the classes fit it. */
export const DEFAULT_CPU_QUOTA = 20;

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
    ...sizeOf(name, cpuQuota(DEFAULT_CPU_QUOTA)),
    ...(isWarm() && warmClasses.includes(name) && { minInstances: 1 }),
  };
}
