import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../local/project';

/** Runs the command up to its options, which loads every module of the bench. */
const bench = (...args: string[]) =>
  spawnSync(process.execPath, [join(projectRoot, 'bench/run.mjs'), ...args], { encoding: 'utf8' });

test('the bench loads and lists its rows', () => {
  const { status, stdout, stderr } = bench('--help');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  for (const row of ['entry-16', 'cold-deck', 'uploads-500', 'viewer-start', 'client-start', 'growth'])
    expect(stdout).toContain(row);
});

test('the bench refuses a row that does not exist', () => {
  const { status, stdout, stderr } = bench('--only', 'entries');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain('entry-16');
});
