import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { aFolder } from '../folders';
import { fillDataFolder } from './fixture';
import { buildProgram, programOf } from './processes';
import type { Outcome } from './programs/damage';

const template = aFolder();
buildProgram('damage');
beforeAll(() => fillDataFolder(template));

test('no damage of a data folder crashes a start or loses data silently', () => {
  const seeds = Number(process.env['DAMAGE_SEEDS'] ?? 40);
  const first = Number(process.env['DAMAGE_FIRST_SEED'] ?? 1);
  const args = [programOf('damage'), template, join(aFolder(), 'copies'), String(first), String(seeds)];
  const options = { encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, options);
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
  const lines = stdout.trim().split('\n');
  const outcomes = lines.map((line) => JSON.parse(line) as Outcome);
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
