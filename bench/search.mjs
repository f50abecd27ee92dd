// What a search of the marketplace costs with many listings. The code of the functions packs the parts, and the
// listings are written without their tokens, which no search reads.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../scripts/root.mjs';
import { spread } from './comparison.mjs';
import { listingFields } from './listings.mjs';
import { processorMs } from './processes.mjs';
import { startService } from './service.mjs';

const PART = 2500;
const ROUNDS = 7;

const require = createRequire(join(root, 'functions/package.json'));

/** Loads the code that packs the parts. */
async function loadParts() {
  const outfile = join(root, '.build/search-parts.cjs');
  const contents = `export { entryOf } from './policy/search-entries'; export { pack } from './records/search-parts';`;
  const stdin = { contents, resolveDir: join(root, 'functions/src'), loader: 'ts' };
  await build({ stdin, outfile, bundle: true, platform: 'node', packages: 'external', logLevel: 'warning' });
  return require(outfile);
}

const queries = [
  ['a word that all have', { q: 'quarterly', limit: 20 }],
  ['two words that all have', { q: 'quarterly report', limit: 20 }],
  ['two common words that no listing has together', { q: 'mountain harbour', limit: 20 }],
  ['a word that one has', { q: 'solitude', limit: 20 }],
  ['a typing error', { q: 'solitade', limit: 20 }],
  ['a word and two filters', { q: 'report', kind: 'app', category: 'category 3', limit: 20 }],
  ['an author and a kind, by stars', { author: undefined, kind: 'app', sort: 'stars', limit: 20 }],
];

/** Measures searches of `count` listings, and passes each line on as soon as it is known. */
export async function measureSearch(node, count, onLine) {
  const { entryOf, pack } = await loadParts();
  const service = await startService({ node });
  const { Firestore } = require('@google-cloud/firestore');
  const [host, port] = service.ready.firestoreHost.split(':');
  const database = new Firestore({ projectId: service.ready.project, host, port: Number(port), ssl: false });
  const { authorId, listings } = await listingFields(count);
  const before = performance.now();
  let bytes = 0;
  for (let start = 0; start < count; start += PART) {
    const part = listings.slice(start, start + PART);
    const entries = pack(part.map((listing) => entryOf(listing, ['Ada Lovelace', 'Engines'])));
    bytes += entries.length;
    await database.doc(`searchParts/${start / PART}`).set({ entries });
    const writer = database.bulkWriter();
    for (const listing of part) void writer.set(database.doc(`listings/${listing.slug}`), { ...listing, filters: [] });
    await writer.close();
  }
  const parts = Math.ceil(count / PART);
  await database.doc('searchParts/versions').set({ versions: Array.from({ length: parts }, (_, i) => `v${i}`) });
  onLine(
    `${count} listings in ${parts} parts of ${Math.round(bytes / parts / 1024)} KB, written in ${seconds(before)} s`,
  );

  const cold = performance.now();
  const { requestId } = await service.list({ q: 'cold', limit: 20 });
  onLine(`the first search of an instance: ${seconds(cold)} s, ${await service.documentsRead(requestId)} documents`);
  for (const [what, query] of queries) {
    const asked = { ...query, ...('author' in query && { author: authorId }) };
    const { requestId: id, listings: found } = await service.list(asked);
    const documents = await service.documentsRead(id);
    const times = [];
    const from = processorMs(service.program.pid);
    for (let round = 0; round < ROUNDS; round++) {
      const at = performance.now();
      await service.list(asked);
      times.push(performance.now() - at);
    }
    const cpu = (processorMs(service.program.pid) - from) / ROUNDS;
    const { median } = spread(times);
    onLine(
      `${what}: ${found.length} found, ${documents} documents, ${median.toFixed(0)} ms, ${cpu.toFixed(0)} ms of CPU`,
    );
  }
  await database.terminate();
  await service.stop();
}

function seconds(since) {
  return ((performance.now() - since) / 1000).toFixed(1);
}
