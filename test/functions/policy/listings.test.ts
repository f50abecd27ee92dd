import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exceededListingRate } from '../../../functions/src/policy/listing-rates';
import { placeOf, TEXTS_PER_PLACE, withReport, type ReportPlace } from '../../../functions/src/policy/listing-reports';
import { firstHits, hitsOf, planOfSearch, type ListingSearch } from '../../../functions/src/policy/listing-search';
import {
  descendantToken,
  filterToken,
  isSlugFree,
  lineageOfRemix,
  tokensOf,
  authorIdOf,
  authorToken,
} from '../../../functions/src/policy/listings';
import { entryOf, type SearchEntry } from '../../../functions/src/policy/search-entries';
import { wordsOfQuery } from '../../../functions/src/values/search-words';
import type { IndexFile } from '../../../local/firestore';
import { entriesOf } from '../../../local/firestore/index-entries';
import { IndexSet } from '../../../local/firestore/indexes';
import { documentKey } from '../../../local/firestore/names';
import { projectRoot } from '../../../local/project';
import { each } from '../../support/each';
import { numbersFrom, aStoredListing } from '../../support/listings';

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
    const of = (kind: 'account' | 'network') => placeOf('a secret of the test', 'slug', 'spam', { kind, id: 'same' });
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
  const excess = { retryInSeconds: 86_400, limit: 20, windowSeconds: 86_400 };
  expect(exceededListingRate(ahead(60_000), now)).toMatchObject(excess);
  expect(exceededListingRate(ahead(60_000).slice(1), now)).toBeUndefined();
});

const listing = (slug: string, fields: Partial<Parameters<typeof aStoredListing>[0]> = {}, names: string[] = []) =>
  entryOf(aStoredListing({ slug, createdAt: new Date(0), description: '-', ...fields }), names);
/** The slugs that a search finds, the best first. */
function search(entries: readonly SearchEntry[], wanted: ListingSearch): string[] {
  const wordsOf = () => entries.flatMap(({ words }) => words.split(/\s+/));
  const hits = hitsOf(() => entries, wordsOf, wanted);
  return firstHits(hits, 'best', 100, undefined).map(({ entry }) => entry.slug);
}

describe('a query', () => {
  const finds = (query: string, title: string) => search([listing('one', { title })], { q: query }).length === 1;

  test.each([
    ['Sales, Q3', ['sales', 'SAL q3', 'q3 sales']],
    ['Über uns', ['uber']],
    ['UBER', ['Über']],
    ['Ré­sumé — résumés', ['resume']],
    ['Straße', ['strasse', 'STRASSE']],
    ['Øresund', ['oresund']],
    ['οδός', ['ΟΔΟΣ']],
    ['ΟΔΟΣ', ['οδο']],
    ['sales', ['ｓａｌｅｓ']],
    ['written in C++', ['c']],
    ['three.js', ['three.js', 'three']],
    ['今年の売上報告', ['売上', '報告', '売', '売上報告']],
    ['2026 Q3売上報告', ['Q3売上']],
    ['สวัสดี', ['สวัส']],
    ['다음분기 계획', ['다음', '분기', '획']],
    ['שָׁלוֹם עולם', ['שלום']],
    ['مَرْحَبًا', ['مرحبا']],
    ["Don't panic", ['don’t']],
    ['Quarterly report', ['quaterly', 'quarterlly', 'qaurterly report', 'reprot', 'repert']],
  ])('finds %s by %j', (text, queries) => {
    for (const query of each(queries)) expect([query, finds(query, text)]).toEqual([query, true]);
  });

  test.each([
    ['Sales, Q3', ['ales', 'sales q4', 's']],
    ['今年の売上報告', ['上売', '売報']],
    ['anything … !', ['…!']],
    ['anything', ['']],
    ['Tail', ['tall', 'tial']],
    ['Quarterly report', ['qaurtelry', 'quarterly rport x']],
  ])('does not find %s by %j', (text, queries) => {
    for (const query of each(queries)) expect([query, finds(query, text)]).toEqual([query, false]);
  });

  test('leaves out words that begin a longer word of it, and begins with the longest', () => {
    expect(wordsOfQuery('a sale Sales quarterly sal a')).toEqual(['quarterly', 'sales', 'a']);
  });
});

test('the best matches are first: title, tags, author, description; then typing errors, and newer before older', () => {
  const entries = [
    listing('near', { title: 'Sprang' }),
    listing('described', { title: 'A', description: 'In spring.' }),
    listing('authored', { title: 'A' }, ['Ada Spring', 'Engines']),
    listing('tagged', { title: 'A', tags: ['spring'] }),
    listing('titled', { title: 'Hot springs' }),
    listing('newer', { title: 'Spring', description: 'spring', createdAt: new Date(1) }),
  ];
  const exact = ['newer', 'titled', 'tagged', 'authored', 'described'];
  expect(search(entries, { q: 'spring' })).toEqual(exact);
  // Two exact matches are few.
  expect(search(entries.slice(0, 3), { q: 'spring' })).toEqual(['authored', 'described', 'near']);
  expect(search(entries, { q: 'engines ada' })).toEqual(['authored']);
});

test.each([
  [{ kind: 'plan' }, true],
  [{ q: 'sal', kind: 'plan', interactive: false }, true],
  [{ q: 'spring fin where', tag: 'finance', author: authorIdOf('ada') }, true],
  [{ stack: 'react', category: 'A b' }, true],
  [{ q: 'sales', kind: 'app' }, false],
  [{ q: 'sales winter' }, false],
  [{ tag: 'react' }, false],
  [{ category: 'A' }, false],
  [{ author: '0'.repeat(20) }, false],
] as const)('a listing matches the words and all filters of a search, or is not found: %j, %s', (wanted, isFound) => {
  const texts = { title: 'Sales in spring', description: 'Where we stand.', ownerId: 'ada', kind: 'plan' } as const;
  const one = listing('one', { ...texts, category: 'A b', tags: ['finance'], techStack: ['react'] });
  expect(search([one], wanted)).toEqual(isFound ? ['one'] : []);
});

test('a list of one combination of filters, or of one author, needs no search', () => {
  const author = authorIdOf('ada');
  const tokens = [{}, { kind: 'app', tag: 'x' }, { author }, { author, kind: 'app' }, { q: 'x' }] as const;
  expect(tokens.map((wanted) => planOfSearch(wanted).token)).toEqual([
    ...[filterToken({}), filterToken({ kind: 'app', tag: 'x' }), authorToken(author), undefined, undefined],
  ]);
});
