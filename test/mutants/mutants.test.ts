import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mutants, plant } from './list';

const root = join(__dirname, '..', '..');

test.each(mutants.map((mutant) => [mutant.name, mutant] as const))('the mutant %j can be planted', (_name, mutant) => {
  expect(plant(root, mutant).text).toContain(mutant.replace);
  for (const file of [mutant.tests].flat()) expect([file, existsSync(join(root, 'test', file))]).toEqual([file, true]);
});

test('there are sixty mutants at least, each with a name of its own', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(60);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});
