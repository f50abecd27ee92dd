import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutants, plant } from './list';

const root = join(__dirname, '..', '..');

test.each(mutants.map((mutant) => [mutant.name, mutant] as const))('the mutant %j can be planted', (_name, mutant) => {
  expect(plant(root, mutant).text).toContain(mutant.replace);
  const tests = [mutant.tests].flat().map((file) => readFileSync(join(root, 'test', file), 'utf8'));
  // A test that got another name would no longer run.
  const absent = mutant.only?.split('|').filter((name) => !tests.some((text) => text.includes(name)));
  expect(absent ?? []).toEqual([]);
});

test('there are sixty mutants at least, each with a name of its own', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(60);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});
