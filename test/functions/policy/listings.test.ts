import { descendantToken, filterToken, lineageOfRemix, tokensOf } from '../../../functions/src/policy/listings';

describe('the tokens of a listing', () => {
  const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`);

  test('are the tokens of exactly the combinations of filters that match it', () => {
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

  test('with all fields at their limits need fewer index entries than a document may have', () => {
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
    // Three indexes have an entry for each token. Firestore limits the index entries of a document to 40 000.
    expect(tokens.length * 3).toBeLessThan(40_000);
  });

  test('a lineage has at most fifty ancestors', () => {
    const lineage = words(50).map((slug) => ({ slug, generation: 1, title: slug }));
    const near = { slug: 'near', generation: 2, title: 'Near' };
    const next = lineageOfRemix({ ...near, lineage });
    expect([next.length, next[0], next.at(-1)?.slug]).toEqual([50, near, 'word48']);
  });
});
