import { runOperator } from '../../operator/program';
import { documentsWith } from '../support/whole-store';
import { world } from '../support/world';

export type Ended = { code: number; stdout: string; stderr: string };

const onProject = ['--project', 'demo-decks', '--yes', '--as', 'grace'];

/** Runs a command line in this process, against the local cloud of the test. */
export async function operator(args: string[]): Promise<Ended> {
  const [before, { argv }] = [process.env['FIREBASE_CONFIG'], process];
  process.argv = [...argv.slice(0, 2), ...args];
  let [stdout, stderr] = ['', ''];
  const code = await runOperator(args, { writeOut: (text) => (stdout += text), writeErr: (text) => (stderr += text) });
  // The command set its own, which the functions of the test would read.
  process.env['FIREBASE_CONFIG'] = before;
  process.argv = argv;
  return { code, stdout, stderr };
}

/** Runs a command that must succeed. Returns the JSON that it prints. */
export async function done<T = object>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await operator([...args, ...onProject]);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as T;
}

export async function refused(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await operator([...args, ...onProject]);
  expect([code, stdout]).toEqual([1, '']);
  return stderr;
}

/** The records of the operator's actions on the target, the first one first. */
export async function actionsOn(target: string): Promise<Record<string, unknown>[]> {
  const found = await documentsWith(world, 'operatorActions', 'target', target);
  return found.map((document) => document.data()).sort((a, b) => a['at'].toMillis() - b['at'].toMillis());
}
