import { contrast, inkOn } from '../../../functions/src/values/contrast';

test('text on any background has a contrast above 4.2', () => {
  expect(['#000000', '#ffffff', '#ffe14d', '#2f5bd8'].map(inkOn)).toEqual(['#ffffff', '#111318', '#111318', '#ffffff']);
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  for (let colour = 0; colour <= 0xffffff; colour += 4099) {
    const ground = `#${colour.toString(16).padStart(6, '0')}`;
    // WCAG demands a contrast of 3 for bold text of this size, and of 4.5 for other text.
    expect(contrast(ground, inkOn(ground))).toBeGreaterThan(4.2);
  }
});
