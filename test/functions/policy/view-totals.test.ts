import { addBeacon, noTotals, viewLimits } from '../../../functions/src/policy/view-totals';

const now = new Date('2026-03-14T12:00:00.000Z');

test('a view has at most 64 KB of texts of slides: what comes later loses its title, and then its slide', () => {
  const totals = noTotals();
  const slides = Array.from({ length: viewLimits.slides }, (_, index) => {
    const key = String(index).padEnd(viewLimits.keyLength, '漢');
    return { key, title: '字'.repeat(100), index, seconds: 1, visits: 1 };
  });
  const beacon = { loadId: 'a', sequence: 1, seconds: 9, hasInput: true };
  expect(addBeacon(totals, { ...beacon, slides }, now, now)).toBe(true);
  const titles = totals.slides.map(([, title]) => title.length);
  expect(titles).toEqual([...Array<number>(109).fill(100), 0]);
  const bytes = Buffer.byteLength(totals.slides.map(([key, title]) => key + title).join(''));
  expect(bytes).toBeLessThanOrEqual(65_536);
  const later = [{ ...slides[0]!, key: '漢'.repeat(viewLimits.keyLength), index: 499 }];
  addBeacon(totals, { ...beacon, sequence: 2, slides: later }, now, now);
  expect(totals.slides).toHaveLength(titles.length);
});

test('a view has all slides of a deck of 500 slides with texts of 131 bytes', () => {
  const totals = noTotals();
  const slides = Array.from({ length: 500 }, (_, index) => {
    return { key: `slide-${index}`.padEnd(31, '-'), title: 'x'.repeat(100), index, seconds: 1, visits: 1 };
  });
  addBeacon(totals, { loadId: 'a', sequence: 1, seconds: 9, hasInput: true, slides }, now, now);
  expect(totals.slides.map(([key, title]) => ({ key, title }))).toEqual(
    slides.map(({ key, title }) => ({ key, title })),
  );
});
