import { inspect } from 'node:util';
import { CommanderError } from 'commander';
import { exitCodes, Failure, usageFailure } from './failure';
import { explainLimits } from './limit-hints';
import { program } from './program';
import { Terminal } from './terminal';

const terminal = new Terminal({ json: process.argv.includes('--json') });

/** Converts an error to a failure that can be shown. */
function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return explainLimits(error);
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '');
    return usageFailure(message.charAt(0).toUpperCase() + message.slice(1), 'See `deck --help`.');
  }
  const message = error instanceof Error ? error.message : String(error);
  return new Failure(`Unexpected error: ${message}`, {
    code: 'unexpected',
    nextAction: 'Run the command again with DEBUG=deck to see the stack.',
    cause: error,
  });
}

async function main(): Promise<number> {
  process.on('SIGINT', () => {
    terminal.clear();
    terminal.fail(new Failure('Stopped.', { code: 'interrupted', nextAction: terminal.interruptHint }));
    process.exit(exitCodes.interrupted);
  });
  try {
    await program(terminal).parseAsync();
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // `deck` without a command: commander has shown the help.
    if (error instanceof CommanderError && error.code === 'commander.help') return exitCodes.usage;
    terminal.clear();
    const failure = toFailure(error);
    terminal.fail(failure);
    if (process.env['DEBUG'] === 'deck') process.stderr.write(`${inspect(error)}\n`);
    return failure.exitCode;
  }
}

void main().then((exitCode) => {
  process.exitCode = exitCode;
});
