// What lists and searches of the marketplace cost with many listings and with few, in the same run.
import { spread } from './comparison.mjs';
import { fillWithListings } from './listings.mjs';
import { processorMs } from './processes.mjs';
import { startService } from './service.mjs';

const FEW = 1000;
const ROUNDS = 7;
/** The requests whose processor time is read at once: the clock of a process is coarse. */
const REQUESTS = 5;

const queries = (authorId) => [
  ['the newest', {}],
  ['by stars', { sort: 'stars' }],
  ['by remixes', { sort: 'popular' }],
  ['by remixes of the week', { sort: 'week' }],
  ['of a kind', { kind: 'app' }],
  ['of a category', { category: 'category 3' }],
  ['of a tag by remixes', { tag: 'tag1', sort: 'popular' }],
  ['of an author', { author: authorId }],
];

/** Compares a service that holds `FEW` listings with `service`, which gets `count` of them. */
export async function measureListings(node, service, count, onRow) {
  const few = await startService({ node });
  const { authorId } = await fillWithListings(few, FEW);
  await fillWithListings(service, count);
  for (const [what, query] of queries(authorId)) {
    for (const page of ['first page', 'later page']) {
      const asked = await Promise.all([service, few].map((each) => pageOf(each, query, page)));
      if (asked.some((one) => !one)) continue;
      const [ofMany, ofFew] = await alternate(asked);
      onRow({
        what: `listings ${what}, ${page}: ${count} (A) and ${FEW} (B)`,
        'A ms': ofMany.toFixed(1),
        'B ms': ofFew.toFixed(1),
        'A / B': (ofMany / ofFew).toFixed(2),
        expected: `about 1; ${asked[0].reads} and ${asked[1].reads} documents read`,
      });
    }
  }
  await few.stop();
}

/** A request of a page, with the documents that it reads. Undefined when there is no later page. */
async function pageOf(service, query, page) {
  const first = page === 'later page' && (await service.list({ ...query, limit: 5 }));
  if (first && !first.nextCursor) return undefined;
  const full = { ...query, limit: 20, ...(first && { cursor: first.nextCursor }) };
  const { requestId } = await service.list(full);
  return { service, reads: await service.documentsRead(requestId), request: () => service.list(full) };
}

/** The processor time of a request at each of the services, in milliseconds. They alternate, and begin in turn. */
async function alternate(asked) {
  const times = asked.map(() => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const i of round % 2 ? [0, 1] : [1, 0]) {
      const { service, request } = asked[i];
      const before = processorMs(service.program.pid);
      for (let n = 0; n < REQUESTS; n++) await request();
      // The first round warms both.
      if (round > 0) times[i].push((processorMs(service.program.pid) - before) / REQUESTS);
    }
  }
  return times.map((list) => spread(list).median);
}
