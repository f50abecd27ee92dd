import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { fillDataFolder } from './fixture';
import type { Outcome } from './programs/damage';

const folder = mkdtempSync(join(tmpdir(), 'damage-'));
const projectRoot = join(__dirname, '../../..');
// The program looks for the folder of the project above it.
const program = join(projectRoot, '.build', 'test', 'damage.js');
const template = join(folder, 'data');

beforeAll(async () => {
  const entry = join(__dirname, 'programs', 'damage.ts');
  buildSync({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', packages: 'external' });
  await fillDataFolder(template);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('no damage of a data folder crashes a start or loses data silently', () => {
  const seeds = Number(process.env['DAMAGE_SEEDS'] ?? 40);
  const first = Number(process.env['DAMAGE_FIRST_SEED'] ?? 1);
  const args = [program, template, join(folder, 'copies'), String(first), String(seeds)];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
  const outcomes = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Outcome);
  expect(outcomes).toHaveLength(seeds);
  // Damaged bytes of an object start, because a start does not read them. The full check names the object.
  const different = outcomes.filter(({ start }) => start === 'different');
  expect(different.filter(({ change, isReported }) => change.includes('/blobs/') && !isReported)).toEqual([]);
  // An older state of a page has valid checksums. Nothing else is lost silently.
  const isKnown = ({ change }: Outcome) => change.includes('/blobs/') || change.startsWith('old page');
  expect(different.filter((outcome) => !isKnown(outcome))).toEqual([]);
  expect(outcomes.filter(({ start, isReported }) => start === 'refused' && !isReported)).toEqual([]);
  const sentences = outcomes.filter(({ start }) => start === 'refused').map(({ sentence }) => sentence);
  expect(sentences.filter((sentence) => !/^[^\n]{20,600}$/.test(sentence))).toEqual([]);
  expect(sentences.length).toBeGreaterThan(seeds / 3);
});
