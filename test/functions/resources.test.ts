import { config } from '../../functions/src/config';
import { resourceClasses, sizeOf, type ResourceClass } from '../../functions/src/resources';
import { DEFAULT_CPU_QUOTA } from '../../functions/src/values/cpu-quota';
import calls from '../../bench/calls.json';
import { each } from '../support/each';
import { endpoints } from '../support/endpoints';
import { words } from '../support/words';

/** What Cloud Run allows, and what people may expect, for every function under every CPU quota. */

const classes = Object.keys(resourceClasses) as ResourceClass[];
const isCall = (name: ResourceClass) => name !== 'job' && name !== 'heavyJob';
const classOf = (name: string): ResourceClass => endpoints[name]!.definition.runtime?.class ?? 'call';
const MiB = (memory: string) => Number.parseInt(memory) * (memory.endsWith('GiB') ? 1024 : 1);
const quotas = [DEFAULT_CPU_QUOTA, 21, 40, 107, 200, 1000];

test.each(quotas)('under %i vCPU, Cloud Run accepts each function, and 20 calls of it run at once', (quota) => {
  for (const name of each(classes)) {
    const { cpu, memory, concurrency, maxInstances } = sizeOf(name, quota);
    const size = `${name}: ${maxInstances} × ${cpu} vCPU, ${memory}, ${concurrency} at once`;
    const problems = Object.entries({
      'more than the quota for one class': maxInstances * cpu > 0.6 * quota,
      // A quota of 20 vCPU comes with 40 GiB.
      'more memory than the quota': maxInstances * MiB(memory) > quota * 2048,
      'more memory than this CPU may have': MiB(memory) > (cpu < 0.5 ? 512 : cpu < 1 ? 1024 : 4096),
      'a CPU that Cloud Run has not': cpu < 0.08 || cpu > 1 || Number(cpu.toFixed(3)) !== cpu,
      'many requests at once, without a whole CPU': cpu < 1 && concurrency > 1,
      'one request at once, with a whole CPU': isCall(name) && cpu === 1 && concurrency < 8,
      // A request over HTTP may take an hour, which only streams need.
      'longer than a function may run': resourceClasses[name].timeoutSeconds > (name === 'live' ? 3600 : 540),
      'more requests at once than Cloud Run allows': concurrency > 1000,
      'few places beside the streams': name === 'live' && concurrency < config.liveStreams() + 100,
      'two runs of a job at once': !isCall(name) && maxInstances > 1,
      'fewer than 20 requests at once': isCall(name) && maxInstances * concurrency < 20,
    });
    expect([size, problems.filter(([, isTrue]) => isTrue).map(([what]) => what)]).toEqual([size, []]);
  }
});

test('a larger quota never serves fewer requests', () => {
  for (const name of each(classes)) {
    let before = 0;
    for (let quota = DEFAULT_CPU_QUOTA; quota <= 2000; quota++) {
      const { maxInstances, concurrency } = sizeOf(name, quota);
      if (maxInstances * concurrency < before) throw new Error(`${name} serves less at ${quota} vCPU.`);
      before = maxInstances * concurrency;
    }
  }
});

/**
 * Feed readers, search engines, clients and programs ask for these, and no page that people look at. Nobody waits for a
 * stream: a deck shows without it, and then asks.
 */
const ofPrograms = words(`marketplaceFeed sitemap oembed getServiceInfo getClientAddress downloadPresentationAsset
  listMarketplaceListings listMarketplaceRemixes exportPresentationViews getOrganizationLogo getListingPicture
  followLiveSession`);

test.each(quotas)('under %i vCPU, one instance of all that people look at fits 90 % of it', (quota) => {
  const looks = Object.values(endpoints).filter(({ definition: { method } }) => [method].flat().includes('GET'));
  const ofPeople = looks.filter(({ definition: { name } }) => !ofPrograms.includes(name));
  expect(ofPeople.length).toBeGreaterThan(15);
  const inUse = ofPeople.reduce((sum, { definition: { name } }) => sum + sizeOf(classOf(name), quota).cpu, 0);
  expect(inUse).toBeLessThanOrEqual(0.9 * quota);
});

test('every call has measured figures, and an instance of it starts within 1.5 seconds of its CPU', () => {
  expect(Object.keys(calls).sort()).toEqual(Object.keys(endpoints).sort());
  const slow = Object.entries(calls).flatMap(([name, { startMs }]) => {
    const ms = startMs / sizeOf(classOf(name), DEFAULT_CPU_QUOTA).cpu;
    return ms > 1500 ? [`${name}, a ${classOf(name)}: ${Math.round(ms)} ms`] : [];
  });
  expect(slow).toEqual([]);
});
