import { firstHits, hitsOf, planOfSearch, type ListingSearch } from '../../../functions/src/policy/listing-search';
import { authorIdOf, authorToken, filterToken } from '../../../functions/src/policy/listings';
import { entryOf, type SearchEntry } from '../../../functions/src/policy/search-entries';
import { wordsOfQuery } from '../../../functions/src/values/search-words';
import { each } from '../../support/each';
import { aStoredListing } from '../../support/listings';

const listing = (slug: string, fields: Partial<Parameters<typeof aStoredListing>[0]> = {}, names: string[] = []) =>
  entryOf(aStoredListing({ slug, createdAt: new Date(0), description: '-', ...fields }), names);
const search = (entries: readonly SearchEntry[], wanted: ListingSearch) =>
  firstHits(
    hitsOf(
      () => entries,
      () => entries.flatMap(({ words }) => words.split(/\s+/)),
      wanted,
    ),
    'best',
    100,
    undefined,
  ).map(({ entry }) => entry.slug);

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
