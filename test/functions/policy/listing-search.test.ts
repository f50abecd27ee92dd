import { planOfSearch } from '../../../functions/src/policy/listing-search';
import { tokensOf, type Facets } from '../../../functions/src/policy/listings';
import { hasWords, prefixesOf, wordsOf, wordsOfQuery } from '../../../functions/src/values/search-words';
import { each } from '../../support/each';

/** Whether a query finds a text by the stored prefixes, and by the words that are compared in memory. */
function findings(query: string, text: string): [byToken: boolean, inMemory: boolean] {
  const prefixes = new Set([...wordsOf(text)].flatMap(prefixesOf));
  const words = wordsOfQuery(query);
  const hasSome = words.length > 0;
  return [hasSome && words.every((word) => prefixes.has(word)), hasSome && hasWords(wordsOf(text), words)];
}

describe('a query', () => {
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
    ['다음분기 계획', ['다음']],
    ['שָׁלוֹם עולם', ['שלום']],
    ['مَرْحَبًا', ['مرحبا']],
    ['internationalizations', ['internationalizationalism']],
    ["Don't panic", ['don’t']],
  ])('finds %s by %j', (text, queries) => {
    for (const query of each(queries)) expect([query, ...findings(query, text)]).toEqual([query, true, true]);
  });

  test.each([
    ['Sales, Q3', ['ales', 'sales q4', 's']],
    ['今年の売上報告', ['上売', '売報']],
    ['Sales', ['salesman']],
    ['anything … !', ['…!']],
    ['anything', ['']],
  ])('does not find %s by %j', (text, queries) => {
    for (const query of each(queries)) expect([query, ...findings(query, text)]).toEqual([query, false, false]);
  });

  test('leaves out words that begin a longer word of it, and begins with the longest', () => {
    expect(wordsOfQuery('a sale Sales quarterly sal a')).toEqual(['quarterly', 'sales', 'a']);
  });
});

const listing: Facets = {
  ownerId: 'ada',
  title: 'Sales in spring',
  description: 'Where we stand.',
  kind: 'plan',
  interactive: false,
  category: 'A',
  tags: ['finance'],
  techStack: ['react'],
  lineage: [],
};

test.each([
  [{}, true],
  [{ kind: 'plan' }, true],
  [{ q: 'sales' }, true],
  [{ q: 'sal', kind: 'plan' }, true],
  [{ q: 'spring fin where', interactive: false, tag: 'finance' }, true],
  [{ stack: 'react', category: 'A' }, true],
  [{ kind: 'app' }, false],
  [{ q: 'sales', kind: 'app' }, false],
  [{ q: 'sales winter' }, false],
  [{ q: 'sales', tag: 'other' }, false],
  [{ author: '0'.repeat(20) }, false],
] as const)('a listing matches a search, and has all its tokens, or neither: %j, %s', (search, isMatch) => {
  const tokens = new Set(tokensOf(listing));
  const plan = planOfSearch(search);
  expect([plan.isMatch(listing), plan.tokens.every((token) => tokens.has(token))]).toEqual([isMatch, isMatch]);
});

test('one word with a kind is one token, and a search compares at most six', () => {
  const counts = [{ q: 'sales' }, { q: 'sales', kind: 'app' }, { kind: 'app' }, {}] as const;
  for (const search of counts) expect(planOfSearch(search).tokens).toHaveLength(1);
  expect(planOfSearch({ q: 'sales', tag: 'x' }).tokens).toHaveLength(2);
  expect(planOfSearch({ q: 'one two three four five six seven eight' }).tokens).toHaveLength(6);
  expect(planOfSearch({ q: '!?' }).tokens).toHaveLength(0);
});
