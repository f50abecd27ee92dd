import { createHash } from 'node:crypto';
import { countPeople, noPeople, unionOf } from '../../../functions/src/values/people-sketch';

/** The hashes of different people. One name gives the same people, and a longer list begins with a shorter one. */
export function people(name: string, count: number): string[] {
  const bytes = createHash('shake256', { outputLength: 8 * count })
    .update(name)
    .digest('hex');
  return Array.from({ length: count }, (_, i) => bytes.slice(16 * i, 16 * i + 16));
}
export const sketchOf = (hashes: readonly string[]) => unionOf(noPeople, hashes);

/** Makes a test for each number of people. */
export function expectCounted(counts: number[]): void {
  test.each(counts)('%i people are counted with a standard error of 1.6 %, and without a bias', (count) => {
    const cases = count > 50_000 ? 5 : 20;
    const errors = Array.from(
      { length: cases },
      (_, i) => countPeople(sketchOf(people(`case ${i}`, count))) / count - 1,
    );
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / cases;
    // 20 cases tell the standard error itself only within a third.
    expect(Math.sqrt(mean(errors.map((error) => error ** 2)))).toBeLessThan(0.02);
    expect(Math.abs(mean(errors))).toBeLessThan(0.01);
    expect(Math.abs(errors[0]!)).toBeLessThan(0.03);
  });
}
