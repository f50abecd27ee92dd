import { houseCss } from '../../functions/src/house/style';
import { contrast } from '../../functions/src/values/contrast';
import { each } from '../support/each';

test('text and the borders of fields have enough contrast on every background (WCAG 1.4.3, 1.4.11)', () => {
  const coloursIn = (css: string): Record<string, string> =>
    Object.fromEntries([...css.matchAll(/--([\w-]+): (#\w{6})/g)].map(([, name, colour]) => [name, colour]));
  const schemes = houseCss.split('@media').map(coloursIn);
  expect(schemes).toHaveLength(2);
  for (const colours of each(schemes)) {
    for (const ground of [colours['paper']!, colours['card']!]) {
      for (const text of ['ink', 'quiet', 'accent']) expect(contrast(colours[text]!, ground)).toBeGreaterThan(4.5);
      expect(contrast(colours['edge']!, ground)).toBeGreaterThan(3);
    }
    expect(contrast(colours['code-ink']!, colours['code']!)).toBeGreaterThan(4.5);
  }
});
