// Costs that should not grow, as ratios of two kinds of work in the same run.
import { measureListings } from './listing-growth.mjs';
import { file, startService } from './service.mjs';
import { spread } from './comparison.mjs';

const entry = (path = 'index.html') => file(path, 2000, 'text/html');
const files = (count) => [entry(), ...Array.from({ length: count - 1 }, (_, i) => file(`f${i}.css`, 60))];

/**
 * Measures work on decks of 10 and of 500 files, and lists of 1000 and of `listings` listings. Passes each row on as
 * soon as it is known.
 */
export async function measureGrowth(node, listings, onRow) {
  const service = await startService({ node });
  await measureDecks(service, onRow);
  await measureFiles(service, onRow);
  await measureListings(node, service, listings, onRow);
  await service.stop();
}

/** The times in milliseconds of two kinds of work. They alternate (A B A B …), so that both have the same noise. */
async function compare(what, rounds, a, b, expected) {
  const times = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const [i, work] of [a, b].entries()) {
      const from = performance.now();
      await work(round);
      times[i].push(performance.now() - from);
    }
  }
  const [ofA, ofB] = times.map((list) => spread(list).median);
  return { what, 'A ms': ofA.toFixed(1), 'B ms': ofB.toFixed(1), 'A / B': (ofA / ofB).toFixed(2), expected };
}

async function measureDecks(service, onRow) {
  const [small, large] = [files(10), files(500)];
  const [smallDeck, largeDeck] = [await service.push(small), await service.push(large)];
  const view = (deck, path) => () => service.view(deck, path);
  const what = 'view an asset of a deck of 500 files (A) and of 10 (B)';
  onRow(await compare(what, 100, view(largeDeck, 'f3.css'), view(smallDeck, 'f3.css'), 'about 1'));
  const counted = 'view the entry, which counts a view (A), and an asset (B)';
  onRow(await compare(counted, 100, view(smallDeck, ''), view(smallDeck, 'f3.css'), 'below 2'));

  const idOf = ({ presentationId }) => ({ presentationId });
  const precheck = (deck, rows) => () =>
    service.call('precheckAssets', { ...idOf(deck), hashes: rows.map(({ row }) => row.sha256) });
  const known = 'precheck 500 known hashes (A) and 10 (B)';
  onRow(await compare(known, 30, precheck(largeDeck, large), precheck(smallDeck, small), 'below 3'));
  const commit = (deck, rows) => () => service.commit(rows, idOf(deck));
  const next = 'commit 500 files (A) and 10 (B)';
  onRow(await compare(next, 20, commit(largeDeck, large), commit(smallDeck, small), 'below 5'));
}

async function measureFiles(service, onRow) {
  const film = file('film.mp4', 40 << 20, 'video/mp4');
  const deck = await service.push([entry(), film]);
  const target = { presentationId: deck.presentationId };
  const upload = (name, bytes) => service.upload(target, file(name, bytes));
  onRow(
    await compare(
      'upload 32 MB as one file (A) and as four of 8 MB (B)',
      5,
      (round) => upload(`a${round}`, 32 << 20),
      async (round) => {
        for (let i = 0; i < 4; i++) await upload(`b${round}-${i}`, 8 << 20);
      },
      'about 1',
    ),
  );
  const range = (start) => () => service.view(deck, 'film.mp4', { range: `bytes=${start}-${start + 99_999}` });
  const what = 'a range at the end of a 40 MB file (A) and at its start (B)';
  onRow(await compare(what, 30, range(film.bytes.length - 100_000), range(0), 'about 1'));
}
