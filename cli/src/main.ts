import { inspect } from 'node:util';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { version } from '../package.json';
import { defaultBaseUrl } from './address';
import type { AccountOptions } from './commands/account';
import { runAccount } from './commands/account';
import { runLogout } from './commands/logout';
import { runOpen } from './commands/open';
import type { PushCommandOptions } from './commands/push';
import { runPush } from './commands/push';
import { runWhoami } from './commands/whoami';
import { explainLimits } from './commands/limit-hints';
import { Failure, exitCodes, usageFailure } from './failure';
import { Terminal } from './terminal';

const terminal = new Terminal({ json: process.argv.includes('--json') });

function program(): Command {
  const deck = new Command('deck')
    .description('Publishes a folder as a presentation and opens its share link.')
    .version(version)
    .option('--base-url <url>', `where the service is (default: DECK_BASE_URL, or ${defaultBaseUrl})`)
    .option('--json', 'answer with one JSON document on standard output; never ask anything')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => undefined })
    .addHelpText('after', environmentHelp);
  for (const purpose of ['signup', 'login'] as const) account(deck, purpose);
  deck
    .command('whoami')
    .description('show whose key is in use')
    .action((_options, command: Command) => runWhoami(command.optsWithGlobals(), terminal));
  deck
    .command('push')
    .description('publish a folder: a new deck the first time, a new version after that')
    .argument('<folder>', 'the folder that holds the deck')
    .option('--title <title>', "the deck's title (default: the entry's <title>, or the folder's name)")
    .option('--entry <path>', 'the HTML file that opens the deck (default: index.html)')
    .option('--message <text>', 'what this version is about')
    .option('--new', 'make a new deck, even if the folder has one')
    .option('--deck <id>', 'push to this deck')
    .option('--force', 'push over versions that somebody else made in the meantime')
    .option('--dry-run', 'tell what would be done, and do nothing')
    .addHelpText('after', pushHelp)
    .action((folder: string, _options, command: Command) => {
      const options = command.optsWithGlobals<PushCommandOptions>();
      if (options.new && options.deck !== undefined) throw usageFailure('--new and --deck exclude each other.');
      return runPush(folder, options, terminal);
    });
  deck
    .command('open')
    .description("open a pushed folder's share link in the browser")
    .argument('[folder]', 'the folder that was pushed', '.')
    .option('--print', 'only print the link')
    .action((folder: string, _options, command: Command) => runOpen(folder, command.optsWithGlobals(), terminal));
  deck
    .command('logout')
    .description('revoke the key and forget it')
    .action((_options, command: Command) => runLogout(command.optsWithGlobals(), terminal));
  for (const command of [deck, ...deck.commands]) command.exitOverride();
  return deck;
}

function account(deck: Command, purpose: 'signup' | 'login'): void {
  const command = deck
    .command(purpose)
    .description(
      purpose === 'signup' ? 'make an account, with a code sent by mail' : 'get a key, with a code sent by mail',
    )
    .option('--email <address>', 'your email address')
    .option('--code <digits>', 'the six-digit code from the mail; without it, a code is sent');
  if (purpose === 'signup')
    command
      .option('--first-name <name>', 'your first name')
      .option('--last-name <name>', 'your last name')
      .option('--company <name>', "your organization's name (default: <first name>'s workspace)");
  command
    .option('--key-name <name>', 'what the key is called in the dashboard')
    .option('--expires-in-days <days>', 'when the key expires: 1 to 365 (default: never)', wholeNumber)
    .action((_options, self: Command) => runAccount(purpose, self.optsWithGlobals<AccountOptions>(), terminal));
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}

const environmentHelp = `
Environment:
  DECK_BASE_URL  where the service is
  DECK_API_KEY   the key to use, in place of the stored one
  NO_COLOR       no colours
  DEBUG=deck     show the details of errors

Exit codes: 0 done, 1 failed, 2 called wrongly, 130 interrupted`;

const pushHelp = `
Files whose names start with a dot, node_modules, and what .deckignore names (as in .gitignore; "!.well-known/"
brings one back) stay at home. The folder remembers its deck in .deck.json, which holds no secret: the share link
is kept with your key in the config folder.`;

/** What was thrown, as something that can be shown. */
function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return explainLimits(error);
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '');
    return usageFailure(message.charAt(0).toUpperCase() + message.slice(1), 'See `deck --help`.');
  }
  const message = error instanceof Error ? error.message : String(error);
  return new Failure(`Something went wrong that should not: ${message}`, {
    code: 'unexpected',
    nextAction: 'Run it again with DEBUG=deck to see where.',
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
    await program().parseAsync();
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // Called with nothing at all: commander has shown the help.
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
