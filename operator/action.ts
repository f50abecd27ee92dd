import { once } from 'node:events';
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { findRoot, Settings } from '../deploy/settings';
import type { OperatorAction } from '../functions/src/records/operator-actions';
import { proxyExceptions } from '../local/no-proxy';
import { pathOf, required } from './command-line';
import { harmless } from './harmless';

/** An action that is prepared and not yet performed. */
export interface PlannedAction {
  /** The question to confirm before `run`; null for an action that changes nothing. */
  question: string | null;
  /** Performs and records the action in one transaction. The result is printed as JSON. */
  run: () => Promise<object>;
}

/** The fields of the action's record that the command line decides. */
export type RecordEntry = Pick<OperatorAction, 'action' | 'operator' | 'reason'>;

/** Reads what the action needs and prepares it, without changing anything. */
export type Plan<Options> = (options: Options, entry: RecordEntry, command: Command) => Promise<PlannedAction>;

/** The options that every command has; `operator/program.ts` declares them. */
interface CommonOptions {
  reason?: string;
  as?: string;
  yes?: true;
}

/**
 * The handler of a command: connects to the project, plans the action, asks for confirmation, performs the action and
 * prints its result. Throws when the operator does not confirm.
 */
export function performs<Options extends object>(plan: Plan<Options>) {
  return async (_options: object, command: Command): Promise<void> => {
    const place = connectTo(required(command, 'project'), command);
    const { reason = null, as, yes } = command.optsWithGlobals<CommonOptions>();
    const entry: RecordEntry = { action: pathOf(command), operator: as ?? userInfo().username, reason };
    const { question, run } = await plan(command.opts<Options>(), entry, command);
    if (question !== null && !yes && !(await isConfirmed(harmless(`${question}, ${place}? [y/N] `), command))) {
      throw new Error('Nothing was changed.');
    }
    command.configureOutput().writeOut!(`${harmless(JSON.stringify(await run(), null, 2))}\n`);
  };
}

/** Sets the environment from which the database client reads its project. Answers a phrase that names the place. */
function connectTo(project: string, command: Command): string {
  const emulator = process.env['FIRESTORE_EMULATOR_HOST'];
  // Firebase reserves the prefix `demo-` for projects that exist in emulators only.
  if (!emulator && project.startsWith('demo-')) {
    command.error(`${project} is a project of the emulators: set FIRESTORE_EMULATOR_HOST.`);
  }
  // After a restore the service runs on another database, which the deploy stored in this setting.
  const database = process.env['DATABASE_ID'] ?? new Settings(findRoot(__dirname), project).get('DATABASE_ID');
  Object.assign(process.env, {
    GCLOUD_PROJECT: project,
    GOOGLE_CLOUD_PROJECT: project,
    FIREBASE_CONFIG: JSON.stringify({ projectId: project }),
    ...(database && { DATABASE_ID: database }),
    // Without this, Google's libraries look for a metadata server, which an emulator does not have.
    ...(emulator && { METADATA_SERVER_DETECTION: 'none', ...proxyExceptions() }),
  });
  const place = emulator ? `on the emulator at ${emulator}` : 'in the cloud';
  return `in ${project}${database ? `, database ${database},` : ''} ${place}`;
}

async function isConfirmed(question: string, command: Command): Promise<boolean> {
  if (!process.stdin.isTTY) command.error('There is no terminal to ask in: add --yes to confirm.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-D closes the terminal without an answer.
  const closed = once(terminal, 'close').then(() => '');
  const answer = await Promise.race([terminal.question(question), closed]);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}
