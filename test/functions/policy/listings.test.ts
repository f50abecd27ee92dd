import fc from 'fast-check';
import { descendantToken, filterToken, lineageOfRemix, tokensOf } from '../../../functions/src/policy/listings';
import { listingSorts, readListingCursor, writeListingCursor } from '../../../functions/src/values/listing-cursor';
import { isSlug, slugProblem, slugsFor } from '../../../functions/src/values/slugs';

describe('slugs', () => {
  test.each(['abc', 'a1b', '2026', 'q3-roadmap', 'a-b-c-d', 'x'.repeat(80), 'searching'])(
    '%j may be chosen',
    (slug) => {
      expect(slugProblem(slug)).toBeUndefined();
    },
  );

  test.each([
    '',
    'ab',
    'x'.repeat(81),
    'Abc',
    'a_b',
    'a b',
    '-ab',
    'ab-',
    'a--b',
    'äbc',
    'a/b',
    'abc\n',
    '..',
    '__x__',
  ])('%j is none', (slug) => {
    expect(slugProblem(slug)).toContain('A slug is');
    expect(isSlug(slug)).toBe(false);
  });

  test.each(['search', 'admin', 'new', 'marketplace'])('%j is reserved, though a listing could have it', (slug) => {
    expect(slugProblem(slug)).toBe('This slug is reserved.');
    expect(isSlug(slug)).toBe(true);
  });

  test('every title has slugs, the last of them with an end that nobody can know', async () => {
    const title = fc.string({ unit: 'binary', minLength: 1, maxLength: 255 });
    await fc.assert(
      fc.asyncProperty(title, async (text) => {
        const slugs = await slugsFor(text);
        expect(slugs.map(slugProblem)).toEqual(slugs.map(() => undefined));
        expect(slugs.at(-1)).toMatch(/^[a-z0-9-]+-[a-z2-9]{6}$/);
        expect(slugs.at(-1)).not.toBe((await slugsFor(text)).at(-1));
      }),
      { numRuns: 300 },
    );
  });
});

describe('the tokens of a listing', () => {
  const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`);

  test('are one for each combination of filters that finds it, and no other', () => {
    const facets = { kind: 'app', interactive: true, category: 'A', tags: ['t', 'u'], techStack: ['s'] } as const;
    const tokens = tokensOf({ ...facets, lineage: [{ slug: 'parent' }] });
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(tokens).toHaveLength(2 * 2 * 2 * 3 * 2 + 1);
    expect(tokens).toContain(filterToken({}));
    expect(tokens).toContain(filterToken({ kind: 'app', interactive: true, category: 'A', tag: 'u', stack: 's' }));
    expect(tokens).toContain(descendantToken('parent'));
    for (const other of [
      { kind: 'plan' },
      { interactive: false },
      { category: 'a' },
      { tag: 's' },
      { stack: 't' },
    ] as const) {
      expect(tokens).not.toContain(filterToken(other));
    }
  });

  test('stay far below what a document may hold when everything is said that may be said', () => {
    const lineage = words(50).map((slug) => ({ slug }));
    const all = {
      kind: 'plan',
      interactive: false,
      category: 'A',
      tags: words(20),
      techStack: words(20),
      lineage,
    } as const;
    const tokens = tokensOf(all);
    expect(tokens).toHaveLength(2 * 2 * 2 * 21 * 21 + 50);
    expect(new Set(tokens.map(({ length }) => length))).toEqual(new Set([16]));
    // Three indexes hold an entry for each.
    expect(tokens.length * 3).toBeLessThan(40_000);
  });

  test('a lineage ends after fifty', () => {
    const lineage = words(50).map((slug) => ({ slug, title: slug }));
    const next = lineageOfRemix({ slug: 'near', title: 'Near', lineage, takedown: null });
    expect([next.length, next[0], next.at(-1)?.slug]).toEqual([50, { slug: 'near', title: 'Near' }, 'word48']);
  });
});

test('a cursor reads back what it was made of, for its own list alone', () => {
  const listings = fc.record({
    slug: fc.constantFrom('abc', 'a-long-slug'),
    stars: fc.integer({ min: -5, max: 1_000_000 }),
    remixCount: fc.nat(),
    createdAt: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
  });
  fc.assert(
    fc.property(listings, fc.constantFrom(...listingSorts), (listing, sort) => {
      const cursor = writeListingCursor('token', sort, listing);
      const counted = { recent: [], popular: [listing.remixCount], stars: [listing.stars] }[sort];
      expect(readListingCursor('token', sort, cursor)).toEqual([...counted, listing.createdAt, listing.slug]);
      expect(readListingCursor('other', sort, cursor)).toBeUndefined();
    }),
  );
});
