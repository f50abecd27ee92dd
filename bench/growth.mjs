// `npm run bench`: measures costs that should not grow, as ratios of two kinds of work in the same run. Single times
// depend on the machine; ratios depend on it less.
import { parseArgs } from 'node:util';
import { buildChanged } from '../scripts/build.mjs';
import { installMissing } from '../scripts/install.mjs';
import { fillWithListings } from './listings.mjs';
import { file, startService } from './service.mjs';

/** `npm run bench -- --listings 100000` measures larger lists and takes minutes longer. */
const { listings } = parseArgs({ options: { listings: { type: 'string', default: '10000' } } }).values;

installMissing();
await buildChanged();

/** The medians in milliseconds of two kinds of work. They alternate (A B A B …), so that both have the same noise. */
async function compare(rounds, a, b) {
  const times = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const [i, work] of [a, b].entries()) {
      const from = performance.now();
      await work(round);
      times[i].push(performance.now() - from);
    }
  }
  return times.map((list) => list.sort((x, y) => x - y)[list.length >> 1]);
}

const rows = [];
const reads = [];
async function measure(what, rounds, a, b, bound) {
  const [ofA, ofB] = await compare(rounds, a, b);
  rows.push({
    what,
    'A ms': ofA.toFixed(1),
    'B ms': ofB.toFixed(1),
    'A / B': (ofA / ofB).toFixed(2),
    'expected about': bound,
  });
}

const service = await startService();
try {
  const entry = (path = 'index.html') => file(path, 2000, 'text/html');
  const many = (count) => [entry(), ...Array.from({ length: count - 1 }, (_, i) => file(`f${i}.css`, 60))];
  const small = many(10);
  const large = many(500);
  const smallDeck = await service.push(small);
  const largeDeck = await service.push(large);

  await measure(
    'view an asset of a deck of 500 files (A) and of 10 (B)',
    100,
    () => service.view(largeDeck, 'f3.css'),
    () => service.view(smallDeck, 'f3.css'),
    '1',
  );
  await measure(
    'view the entry, which counts a view (A), and an asset (B)',
    100,
    () => service.view(smallDeck, ''),
    () => service.view(smallDeck, 'f3.css'),
    'below 2',
  );

  const hashes = large.map(({ row }) => row.sha256);
  await measure(
    'precheck 500 known hashes (A) and 10 (B)',
    30,
    () => service.call('precheckAssets', { presentationId: largeDeck.presentationId, hashes }),
    () =>
      service.call('precheckAssets', {
        presentationId: smallDeck.presentationId,
        hashes: small.map(({ row }) => row.sha256),
      }),
    'below 3',
  );
  await measure(
    'commit 500 files (A) and 10 (B)',
    20,
    () => service.commit(large, { presentationId: largeDeck.presentationId }),
    () => service.commit(small, { presentationId: smallDeck.presentationId }),
    'below 5',
  );

  const target = { presentationId: smallDeck.presentationId };
  await measure(
    'upload 32 MB as one file (A) and as four of 8 MB (B)',
    5,
    (round) => service.upload(target, file(`a${round}`, 32 << 20)),
    async (round) => {
      for (let i = 0; i < 4; i++) await service.upload(target, file(`b${round}-${i}`, 8 << 20));
    },
    '1',
  );

  const film = file('film.mp4', 40 << 20, 'video/mp4');
  const filmDeck = await service.push([entry(), film]);
  const range = (start) =>
    fetch(`${service.ready.baseUrl}/getSharedPresentation/${filmDeck.presentationId}/_t/${filmDeck.token}/film.mp4`, {
      headers: { range: `bytes=${start}-${start + 99_999}` },
    }).then((response) => response.arrayBuffer());
  await measure(
    'a range at the end of a 40 MB file (A) and at its start (B)',
    30,
    () => range(film.bytes.length - 100_000),
    () => range(0),
    '1',
  );

  const fewListings = await startService();
  try {
    await fillWithListings(fewListings, 1000);
    await fillWithListings(service, Number(listings));
    const pages = [
      ['a page of the newest', {}],
      ['a page by stars', { sort: 'stars' }],
      ['a page of a tag by popularity', { tag: 'tag1', sort: 'popular' }],
    ];
    for (const [what, query] of pages) {
      for (const [asked, count] of [
        [fewListings, 1000],
        [service, listings],
      ]) {
        const { requestId } = await asked.list({ ...query, limit: 20 });
        reads.push({ what: `${what} of 20`, listings: count, 'documents read': await asked.documentsRead(requestId) });
      }
      const from = async (asked) => (await asked.list({ ...query, limit: 5 })).nextCursor;
      const [cursorA, cursorB] = [await from(service), await from(fewListings)];
      await measure(
        `${what} of ${listings} listings (A) and of 1000 (B)`,
        100,
        () => service.list({ ...query, limit: 20, ...(cursorA && { cursor: cursorA }) }),
        () => fewListings.list({ ...query, limit: 20, ...(cursorB && { cursor: cursorB }) }),
        '1',
      );
    }
  } finally {
    await fewListings.stop();
  }

  console.log(`The local cloud answered ${Math.round(service.startMs)} ms after its process was started.`);
  console.table(rows);
  console.table(reads);
} finally {
  await service.stop();
}
