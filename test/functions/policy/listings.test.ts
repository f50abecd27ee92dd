import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_SECONDS, exceededListingRate } from '../../../functions/src/policy/listing-rates';
import { placeOf, TEXTS_PER_PLACE, withReport, type ReportPlace } from '../../../functions/src/policy/listing-reports';
import {
  descendantToken,
  filterToken,
  isSlugFree,
  lineageOfRemix,
  tokensOf,
} from '../../../functions/src/policy/listings';
import type { IndexFile } from '../../../local/firestore';
import { entriesOf } from '../../../local/firestore/index-entries';
import { IndexSet } from '../../../local/firestore/indexes';
import { documentKey } from '../../../local/firestore/names';
import { projectRoot } from '../../../local/project';
import { numbersFrom } from '../../support/listings';

const file = readFileSync(join(projectRoot, 'firestore.indexes.json'), 'utf8');
const indexes = new IndexSet(JSON.parse(file) as IndexFile);

/** The number of index entries of a listing with these tokens. */
function indexEntriesOf(tokens: readonly string[]): number {
  const segments = ['listings', 'a-slug'];
  const numbers = ['stars', 'remixerCount', 'weekRemixerCount', 'viewCount'];
  const texts = ['slug', 'ownerId', 'title', 'description', 'kind', 'category', 'status'];
  const fields = {
    ...Object.fromEntries(numbers.map((name) => [name, { integerValue: '1' }])),
    ...Object.fromEntries(texts.map((name) => [name, { stringValue: name }])),
    createdAt: { timestampValue: { seconds: '1' } },
    filters: { arrayValue: { values: tokens.map((stringValue) => ({ stringValue })) } },
  };
  return entriesOf(indexes, documentKey({ root: 'projects/p/databases/d', segments }), segments, fields).length;
}

describe('the tokens of a listing', () => {
  const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`);
  const ownerId = 'ada';

  test('are the tokens of exactly the combinations of filters that match it', () => {
    const chosen = { kind: 'app', interactive: true, category: 'A', tags: ['t', 'u'], techStack: ['s'] } as const;
    const tokens = tokensOf({ ...chosen, ownerId, lineage: [{ slug: 'parent', generation: 1 }] });
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(tokens).toHaveLength(2 * 2 * 2 * 3 * 2 + 1 + 1);
    expect(tokens).toContain(filterToken({}));
    expect(tokens).toContain(filterToken({ kind: 'app', interactive: true, category: 'A', tag: 'u', stack: 's' }));
    expect(tokens).toContain(descendantToken('parent', 1));
    const others = [{ kind: 'plan' }, { interactive: false }, { category: 'a' }, { tag: 's' }, { stack: 't' }] as const;
    for (const other of others) expect(tokens).not.toContain(filterToken(other));
  });

  test('with all fields at their limits need fewer index entries than a document may have', () => {
    const lineage = words(50).map((slug) => ({ slug, generation: 1 }));
    const all = {
      kind: 'plan',
      interactive: false,
      category: 'A',
      tags: words(20).map((word, i) => `${String.fromCodePoint(97 + i)}${word}${'x'.repeat(30)}`),
      techStack: words(20),
      lineage,
      ownerId,
    } as const;
    const tokens = tokensOf(all);
    expect(tokens).toHaveLength(2 * 2 * 2 * 21 * 21 + 50 + 1);
    expect(new Set(tokens.map(({ length }) => length))).toEqual(new Set([16]));
    // Each order has an entry for each token. The other three are in the list of all listings and in the indexes of
    // createdAt and ownerId. Firestore limits the index entries of a document to 40 000.
    expect(indexEntriesOf(tokens)).toBe(4 * tokens.length + 3);
    expect(4 * tokens.length + 3).toBeLessThan(40_000);
  });

  test('a lineage has at most fifty ancestors', () => {
    const lineage = words(50).map((slug) => ({ slug, generation: 1, title: slug }));
    const near = { slug: 'near', generation: 2, title: 'Near' };
    const next = lineageOfRemix({ ...near, lineage });
    expect([next.length, next[0], next.at(-1)?.slug]).toEqual([50, near, 'word48']);
  });
});

describe('a place of reports', () => {
  const now = new Date();
  const text = (details: string) => ({ details, reportedAt: now });

  test('counts every reporter once, and each of many reports has the same chance to be in its sample', () => {
    const random = numbersFrom(7);
    const kept = Array<number>(50).fill(0);
    for (let round = 0; round < 1000; round++) {
      let place: ReportPlace | undefined;
      for (let i = 0; i < 50; i++) place = withReport(place, `reporter ${i}`, text(`${i}`), random());
      expect(withReport(place, `reporter ${round % 50}`, text('again'), random())).toBeUndefined();
      expect([place!.count, place!.texts.length]).toEqual([50, TEXTS_PER_PLACE]);
      for (const { details } of place!.texts) kept[Number(details)]!++;
    }
    // 1 000 rounds keep each text 200 times on average, with a standard deviation of 13.
    expect(kept.filter((count) => Math.abs(count - 200) >= 65)).toEqual([]);
  });

  test('stays below 100 KB, however many reports it counts', () => {
    let place: ReportPlace | undefined;
    for (let i = 0; i < 1000; i++) place = withReport(place, `${i}`.padStart(16, '0'), text('語'.repeat(2000)), 0);
    expect(place!.count).toBe(1000);
    expect(Buffer.byteLength(JSON.stringify(place))).toBeLessThan(100_000);
  });

  test('is never shared by accounts and networks', () => {
    const of = (kind: 'account' | 'network') =>
      placeOf('a secret of the service', 'slug', 'spam', { kind, id: 'same' });
    expect([of('account').id, of('network').id]).toEqual([
      expect.stringMatching(/^account-spam-1?\d$/),
      expect.stringMatching(/^spam-1?\d$/),
    ]);
    expect(of('account').mark).not.toBe(of('network').mark);
  });
});

describe('a slug', () => {
  const now = new Date();
  const ended = { deletedAt: new Date(now.getTime() - 30 * 86_400_000), takedown: null, usedByOthers: false };
  test.each([
    ['30 days after the deletion', {}, true],
    ['a moment earlier', { deletedAt: new Date(ended.deletedAt.getTime() + 1) }, false],
    ['of a deck that exists', { deletedAt: null }, false],
    ['of a listing that was taken down', { takedown: {} }, false],
    ['that others used', { usedByOthers: true }, false],
  ])('%s', (_case, over, isFree) => expect(isSlugFree({ ...ended, ...over }, now)).toBe(isFree));
});

test('a clock that was ahead does not close the window of new listings; the wait is never longer than a day', () => {
  const now = new Date();
  const ahead = (ms: number) => Array.from({ length: 20 }, () => new Date(now.getTime() + ms));
  expect(exceededListingRate(ahead(7 * 86_400_000), now)).toBeUndefined();
  // The clocks of two instances differ by at most a minute.
  expect(exceededListingRate(ahead(60_001), now)).toBeUndefined();
  const excess = { retryInSeconds: DAY_SECONDS, limit: 20, actual: 21 };
  expect(exceededListingRate(ahead(60_000), now)).toMatchObject(excess);
  expect(exceededListingRate(ahead(60_000).slice(1), now)).toBeUndefined();
});
