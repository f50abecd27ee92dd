import { inspect } from 'node:util';
import { CommanderError, type Command } from 'commander';
import { Failure, isFailure, systemCode, usageFailure } from '../../client/src/failure';
import { commandLine } from './command-line';
import { exitCodeOf, exitCodes } from './exit-code';
import { addHints } from './failure-hints';
import { program, versionAsCommand } from './program';
import { Terminal } from './terminal';

const terminal = new Terminal({ json: process.argv.includes('--json') });

/** Converts an error to a failure that can be shown. `help` is the command that shows the help for a wrong usage. */
function toFailure(error: unknown, help: string): Failure {
  if (error instanceof Failure) return addHints(error);
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '');
    return usageFailure(message.charAt(0).toUpperCase() + message.slice(1), `See \`${help}\`.`);
  }
  const message = error instanceof Error ? error.message : String(error);
  return new Failure(`Unexpected error: ${message}`, {
    code: 'unexpected',
    nextAction: 'Run the command again with DEBUG=deck to see the stack.',
    cause: error,
  });
}

/** Shows the failure that an error became, and returns the exit code. */
function fail(failure: Failure, error: unknown): number {
  terminal.clear();
  terminal.fail(failure, process.env['DEBUG'] === 'deck' ? inspect(error) : undefined);
  return exitCodeOf(failure);
}

/** The words of the command in the arguments: `keys`, `create` for `deck keys create --name x`. */
function wordsOf(command: Command, [word, ...rest]: readonly string[]): string[] {
  const found = command.commands.find((each) => each.name() === word);
  return found ? [found.name(), ...wordsOf(found, rest)] : [];
}

/** The failures that an old client or an old service can cause: one of the two did not understand the other. */
const misunderstandings = ['unexpected-answer', 'invalid-argument', 'unexpected'];

async function withMisfit(failure: Failure): Promise<Failure> {
  return isFailure(failure, ...misunderstandings) ? (await import('./misfit.js')).explainMisfit(failure) : failure;
}

async function run(): Promise<number> {
  const words = versionAsCommand(process.argv.slice(2));
  const deck = await program(terminal, words);
  try {
    await deck.parseAsync(words, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
    const help = commandLine(...wordsOf(deck, words), '--help');
    if (!(error instanceof CommanderError) || error.code !== 'commander.help')
      return fail(await withMisfit(toFailure(error, help)), error);
    // `deck` without a command: commander has shown the help, but not with `--json`.
    return terminal.json ? fail(usageFailure('No command was named.', `See \`${help}\`.`), error) : exitCodes.usage;
  }
}

/** Ends the process at once. */
function exit(error: unknown): never {
  const exitCode = fail(toFailure(error, commandLine('--help')), error);
  terminal.end();
  process.exit(exitCode);
}

// `deck push | head -1` closes the pipe early. Without a listener that would end in a stack trace.
process.stdout.on('error', (error) => {
  if (systemCode(error) !== 'EPIPE') throw error;
});
const stop = () => exit(new Failure('Stopped.', { code: 'interrupted', nextAction: terminal.interruptHint }));
// An agent or a CI job whose patience ends sends SIGTERM.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
process.on('uncaughtException', exit);
void run().then((exitCode) => {
  terminal.end();
  process.exitCode = exitCode;
});
