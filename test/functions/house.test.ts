import { houseCss } from '../../functions/src/house/style';
import { contrast, inkOn } from '../../functions/src/values/contrast';
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

test('text on any background has a contrast above 4.2', () => {
  expect(['#000000', '#ffffff', '#ffe14d', '#2f5bd8'].map(inkOn)).toEqual(['#ffffff', '#111318', '#111318', '#ffffff']);
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  for (let colour = 0; colour <= 0xffffff; colour += 4099) {
    const ground = `#${colour.toString(16).padStart(6, '0')}`;
    // WCAG demands a contrast of 3 for bold text of this size, and of 4.5 for other text.
    expect(contrast(ground, inkOn(ground))).toBeGreaterThan(4.2);
  }
});
