import { Command, InvalidArgumentError, Option } from 'commander';
import { version } from '../package.json';
import { defaultBaseUrl } from './address';
import type { AccountOptions } from './commands/account';
import { runAccount } from './commands/account';
import { runList } from './commands/list';
import { runLogout } from './commands/logout';
import { runOpen } from './commands/open';
import type { PublishOptions } from './commands/publish';
import { listingKinds, runPublish } from './commands/publish';
import { runPull } from './commands/pull';
import type { PushCommandOptions } from './commands/push';
import { runPush } from './commands/push';
import { runRemix } from './commands/remix';
import { runUnpublish } from './commands/unpublish';
import { runWhoami } from './commands/whoami';
import { usageFailure } from './failure';
import type { Terminal } from './terminal';

/** The commands with their arguments and options. */
export function program(terminal: Terminal): Command {
  const deck = new Command('deck')
    .description('Publishes a folder as a presentation and opens its share link.')
    .version(version)
    .helpCommand(false)
    // What stands behind a command is the command's: `deck publish --version 2` does not ask for the client's own.
    .enablePositionalOptions()
    .configureOutput({ outputError: () => undefined })
    .addHelpText('after', environmentHelp);
  for (const purpose of ['signup', 'login'] as const) account(deck, purpose, terminal);
  deck
    .command('whoami')
    .description('show whose key is in use')
    .action((_options, command: Command) => runWhoami(command.optsWithGlobals(), terminal));
  pushing(deck, terminal);
  publishing(deck, terminal);
  deck
    .command('logout')
    .description('revoke the key and forget it')
    .action((_options, command: Command) => runLogout(command.optsWithGlobals(), terminal));
  for (const command of [deck, ...deck.commands])
    command
      .option('--base-url <url>', `where the service is (default: DECK_BASE_URL, or ${defaultBaseUrl})`)
      .option('--json', 'answer with one JSON document on standard output; never ask anything')
      .exitOverride();
  return deck;
}

function account(deck: Command, purpose: 'signup' | 'login', terminal: Terminal): void {
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
  else command.option('--publish', 'get a key that may also publish to the marketplace');
  command
    .option('--key-name <name>', 'what the key is called in the dashboard')
    .option('--expires-in-days <days>', 'when the key expires: 1 to 365 (default: never)', days)
    .action((_options, self: Command) => runAccount(purpose, self.optsWithGlobals<AccountOptions>(), terminal));
}

function pushing(deck: Command, terminal: Terminal): void {
  deck
    .command('push')
    .description('upload a folder: a new deck the first time, a new version after that')
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
    .command('list')
    .description('list your decks and those that you may edit, with their share links')
    .action((_options, command: Command) => runList(command.optsWithGlobals(), terminal));
  deck
    .command('pull')
    .description('bring the files of a deck that you may edit into a new folder')
    .argument('<id>', 'the id of the deck, as `deck list` shows it')
    .argument('<folder>', 'where the files go: a folder that is empty or not there yet')
    .option('--version <number>', 'the version to bring (default: the current one)', wholeNumber)
    .action((id: string, folder: string, _options, command: Command) =>
      runPull(id, folder, command.optsWithGlobals(), terminal),
    );
}

function publishing(deck: Command, terminal: Terminal): void {
  deck
    .command('publish')
    .description("put a pushed folder's deck into the marketplace, or renew its listing")
    .argument('[folder]', 'the folder that was pushed', '.')
    .option('--description <text>', 'what it is, in a line or two; a new listing needs it')
    .addOption(new Option('--kind <kind>', 'what it is (default: presentation)').choices(listingKinds))
    .option('--title <title>', "the listing's title (default: the deck's)")
    .option('--slug <slug>', 'its address in the marketplace, for good (default: made from the title)')
    .option('--tag <tag>', 'a word to find it by; may be repeated', several)
    .option('--stack <technology>', 'what it is built with, such as reveal.js; may be repeated', several)
    .option('--category <name>', 'a category of your choice')
    .option('--interactive', 'it reacts to who views it, as an app always does')
    .option('--no-interactive', 'it does not (default)')
    .option('--version <number>', 'the version to show (default: the current one)', wholeNumber)
    .addHelpText('after', publishHelp)
    .action((folder: string, _options, command: Command) =>
      runPublish(folder, command.optsWithGlobals<PublishOptions>(), terminal),
    );
  deck
    .command('unpublish')
    .description('take a listing out of the lists of the marketplace')
    .argument('[folder|slug]', 'the folder that was published, or the slug of the listing', '.')
    .action((name: string, _options, command: Command) => runUnpublish(name, command.optsWithGlobals(), terminal));
  deck
    .command('remix')
    .description('make a deck of your own from a listing, and bring its files home')
    .argument('<slug>', 'the slug of the listing')
    .argument('[folder]', 'where the files go: a folder that is empty or not there yet (default: the slug)')
    .option('--title <title>', "the new deck's title (default: the listing's)")
    .action((slug: string, folder: string | undefined, _options, command: Command) =>
      runRemix(slug, folder, command.optsWithGlobals(), terminal),
    );
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}

/** Checked here already: a code that came with a wrong number would be used up. */
function days(text: string): number {
  const number = wholeNumber(text);
  if (number < 1 || number > 365) throw new InvalidArgumentError('It is 1 to 365.');
  return number;
}

function several(text: string, before: string[] = []): string[] {
  return [...before, text];
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

const publishHelp = `
A listing shows one version: later pushes do not change what it shows, until the deck is published again. Then only
what is named is changed, and the listing shows the current version. It takes a key that may publish: \`deck login --publish\`.`;
