import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { ServiceError } from '../functions/src/errors';
import { db } from '../functions/src/records/database';
import { commandOf } from './commands';
import { HELP, parseCommandLine, required, UsageError, type CommandLine } from './options';

/** The command behind `npm run operator`. Ends with 0 when it was done, 1 when it was not, 2 for a wrong command line. */
async function main(): Promise<number> {
  try {
    const line = parseCommandLine(process.argv.slice(2));
    if (line.values.help) {
      process.stdout.write(HELP);
      return 0;
    }
    return await carryOut(line);
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message}\n\n${HELP}`);
      return 2;
    }
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    // What is no answer of the service's own catalogue is for whoever looks into it.
    if (!(error instanceof ServiceError) && process.env['DEBUG']) console.error(error);
    return 1;
  }
}

async function carryOut(line: CommandLine): Promise<number> {
  const command = commandOf(line);
  const project = required(line, 'project');
  const place = pointAt(project);
  try {
    const { question, run } = await command(line);
    if (question !== null && !line.values.yes && !(await isConfirmed(`${question}, ${place}? [y/N] `))) {
      process.stderr.write('Nothing was changed.\n');
      return 1;
    }
    process.stdout.write(`${JSON.stringify(await run(), null, 2)}\n`);
    return 0;
  } finally {
    await db().terminate();
  }
}

/** Lets the database connect to that project, and says in words where it is. */
function pointAt(project: string): string {
  const emulator = process.env['FIRESTORE_EMULATOR_HOST'];
  // Firebase keeps the prefix for projects that exist nowhere.
  if (!emulator && project.startsWith('demo-')) {
    throw new UsageError(`${project} is a project of the emulators: set FIRESTORE_EMULATOR_HOST.`);
  }
  Object.assign(process.env, {
    GCLOUD_PROJECT: project,
    GOOGLE_CLOUD_PROJECT: project,
    FIREBASE_CONFIG: JSON.stringify({ projectId: project }),
    // Google's libraries look for a metadata server otherwise, which is not there.
    ...(emulator && { METADATA_SERVER_DETECTION: 'none' }),
  });
  return emulator ? `in ${project} on the emulator at ${emulator}` : `in ${project} in the cloud`;
}

async function isConfirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError('There is no terminal to ask in: add --yes to go ahead.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-D ends the terminal without an answer.
  const ended = once(terminal, 'close').then(() => '');
  const answer = await Promise.race([terminal.question(question), ended]);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

void main().then((code) => (process.exitCode = code));
