import { inspect } from 'node:util';
import { CommanderError } from 'commander';
import { exitCodes, Failure, usageFailure } from '../../client/src/failure';
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

async function main(): Promise<number> {
  process.on('SIGINT', () => {
    terminal.clear();
    terminal.fail(new Failure('Stopped.', { code: 'interrupted', nextAction: terminal.interruptHint }));
    process.exit(exitCodes.interrupted);
  });
  const words = versionAsCommand(process.argv.slice(2));
  const deck = await program(terminal, words);
  try {
    await deck.parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // `deck` without a command: commander has shown the help.
    if (error instanceof CommanderError && error.code === 'commander.help') return exitCodes.usage;
    terminal.clear();
    const command = deck.commands.map((each) => each.name()).find((name) => name === process.argv[2]);
    const failure = toFailure(error, command === undefined ? 'deck --help' : `deck ${command} --help`);
    terminal.fail(failure);
    if (process.env['DEBUG'] === 'deck') process.stderr.write(`${inspect(error)}\n`);
    return failure.exitCode;
  }
}

void main().then((exitCode) => {
  process.exitCode = exitCode;
});
