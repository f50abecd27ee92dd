import fc from 'fast-check';
import { isSlug, slugProblem, slugsFor } from '../../../functions/src/values/slugs';
import { words } from '../../support/words';

describe('slugs', () => {
  test.each(words(`abc a1b 2026 q3-roadmap a-b-c-d searching ${'x'.repeat(80)}`))('%j may be chosen', (slug) => {
    expect(slugProblem(slug)).toBeUndefined();
  });

  const others = words(`ab Abc a_b -ab ab- a--b äbc a/b .. __x__ ${'x'.repeat(81)}`);
  test.each(['', 'a b', 'abc\n', ...others])('%j is not a slug', (slug) => {
    expect(slugProblem(slug)).toContain('A slug is');
    expect(isSlug(slug)).toBe(false);
  });

  test.each(['search', 'admin', 'new', 'marketplace'])('%j has the shape of a slug and is reserved', (slug) => {
    expect([slugProblem(slug), isSlug(slug)]).toEqual(['This slug is reserved.', true]);
  });

  test('every title has slugs, the last with a random suffix', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 255 }), async (text) => {
        const slugs = await slugsFor(text);
        expect(slugs.map(slugProblem)).toEqual(slugs.map(() => undefined));
        expect(slugs.at(-1)).toMatch(/^[a-z0-9-]+-[a-z2-9]{6}$/);
        expect(slugs.at(-1)).not.toBe((await slugsFor(text)).at(-1));
      }),
      { numRuns: 100 },
    );
  });
});
