import { Command } from 'commander';
import { DEFAULT_BASE_URL } from './base-url';
import { keepOptions } from './command-line';
import { examples } from './help/examples';
import { wrapHelp } from './help/wrap';
import type { Terminal } from './terminal';

const ENVIRONMENT_HELP = `
Environment:
  DECK_BASE_URL  the address of the service
  DECK_PROFILE   the profile to use
  DECK_API_KEY   the key to use instead of the one of the profile. It is not used with --profile, and not sent to an
                 address that only a folder names
  CI             without a terminal, links are shown without their secret part; --json has it
  NO_COLOR       no colours
  FORCE_COLOR    colours without a terminal too
  DEBUG=deck     show the stack of an error

The service is the first of: --base-url, --profile, DECK_BASE_URL, DECK_PROFILE, the .deck.json of the folder, the
current profile (deck profiles use <name>), the local cloud at
${DEFAULT_BASE_URL}

Exit codes:
  0    success
  1    refused by the service, or by the state of the folder
  2    called wrongly
  3    not signed in, or not allowed
  4    the service could not be reached
  5    an unexpected error of the client or of the service
  6    done in part: some mails of several were not sent
  7    a pull is done, and left conflict marks in files
  130  interrupted`;

type Loaders = Record<string, () => Promise<(terminal: Terminal, deck: typeof program) => Command>>;

/**
 * The commands, by the topics of `deck --help` and in its order. A command is loaded when the user runs it, because
 * evaluating all of them would take longer than most commands do.
 */
const topics: Record<string, Loaders> = {
  Decks: {
    push: async () => (await import('./commands/push.js')).pushCommand,
    dev: async () => (await import('./commands/dev.js')).devCommand,
    open: async () => (await import('./commands/open.js')).openCommand,
    live: async () => (await import('./commands/live.js')).liveCommand,
    list: async () => (await import('./commands/list.js')).listCommand,
    info: async () => (await import('./commands/info.js')).infoCommand,
    pull: async () => (await import('./commands/pull.js')).pullCommand,
    versions: async () => (await import('./commands/versions.js')).versionsCommand,
    diff: async () => (await import('./commands/diff.js')).diffCommand,
    pdf: async () => (await import('./commands/pdf.js')).pdfCommand,
    rename: async () => (await import('./commands/rename.js')).renameCommand,
    restore: async () => (await import('./commands/restore.js')).restoreCommand,
    delete: async () => (await import('./commands/delete.js')).deleteCommand,
  },
  'Links and people': {
    links: async () => (await import('./commands/links.js')).linksCommand,
    views: async () => (await import('./commands/views.js')).viewsCommand,
    insights: async () => (await import('./commands/insights.js')).insightsCommand,
    tracking: async () => (await import('./commands/tracking.js')).trackingCommand,
    email: async () => (await import('./commands/email.js')).emailCommand,
    expire: async () => (await import('./commands/expire.js')).expireCommand,
    collaborators: async () => (await import('./commands/collaborators.js')).collaboratorsCommand,
    leave: async () => (await import('./commands/leave.js')).leaveCommand,
  },
  Marketplace: {
    search: async () => (await import('./commands/search.js')).searchCommand,
    listing: async () => (await import('./commands/listing.js')).listingCommand,
    publish: async () => (await import('./commands/publish.js')).publishCommand,
    unpublish: async () => (await import('./commands/unpublish.js')).unpublishCommand,
    remix: async () => (await import('./commands/remix.js')).remixCommand,
    remixes: async () => (await import('./commands/remixes.js')).remixesCommand,
    star: async () => (await import('./commands/star.js')).starCommand,
    unstar: async () => (await import('./commands/star.js')).unstarCommand,
    report: async () => (await import('./commands/report.js')).reportCommand,
  },
  Account: {
    signup: async () => (await import('./commands/signup.js')).signupCommand,
    login: async () => (await import('./commands/login.js')).loginCommand,
    whoami: async () => (await import('./commands/whoami.js')).whoamiCommand,
    account: async () => (await import('./commands/account.js')).accountCommand,
    usage: async () => (await import('./commands/usage.js')).usageCommand,
    keys: async () => (await import('./commands/keys.js')).keysCommand,
    webhooks: async () => (await import('./commands/webhooks.js')).webhooksCommand,
    profiles: async () => (await import('./commands/profiles.js')).profilesCommand,
    logout: async () => (await import('./commands/logout.js')).logoutCommand,
  },
  'The client': {
    mcp: async () => (await import('./commands/mcp.js')).mcpCommand,
    doctor: async () => (await import('./commands/doctor.js')).doctorCommand,
    completion: async () => (await import('./commands/completion.js')).completionCommand,
    help: async () => (await import('./commands/help.js')).helpCommand,
    version: async () => (await import('./commands/version.js')).versionCommand,
  },
};

/** The commands that programs run and nobody types. No help shows them. */
const unlisted: Loaders = { complete: async () => (await import('./commands/complete.js')).completeCommand };

/** The commands that show other commands. */
const needAll = ['help', 'completion'];

/**
 * `deck` with the command that `words` name, or with all commands when they name none. Each command declares its
 * arguments and options. The options of all commands are added here.
 */
export async function program(terminal: Terminal, words: readonly string[]): Promise<Command> {
  const deck = new Command('deck')
    .description('Uploads a folder as a presentation, and shares it by a link.')
    .option('-V, --version', 'show the version of the client; with --base-url, that of the service too')
    .helpCommand(false)
    // Options after a command belong to the command: `deck publish --version 2` does not show the client's version.
    .enablePositionalOptions()
    .configureOutput({
      outputError: () => undefined,
      writeOut: (text) => terminal.help(wrapHelp(text, process.stdout.columns || 80)),
      // The help of a command that was called without its subcommand.
      writeErr: (text) => terminal.json || process.stderr.write(wrapHelp(text, process.stderr.columns || 80)),
    })
    .addHelpText('after', ENVIRONMENT_HELP)
    .hook('preAction', (_deck, command) => keepOptions(command.optsWithGlobals()));
  for (const [topic, loaders] of Object.entries(topics))
    for (const [name, load] of Object.entries(loaders))
      if (isNeeded(name, words)) deck.addCommand((await load())(terminal, program).helpGroup(`${topic}:`));
  for (const [name, load] of Object.entries(unlisted))
    if (words.includes(name)) deck.addCommand((await load())(terminal, program), { hidden: true });
  addCommonOptions(deck, []);
  return deck;
}

/** The first word that is neither an option nor the value of one. */
const firstWord = (words: readonly string[]) =>
  words.find((word, i) => !word.startsWith('-') && !['--base-url', '--profile'].includes(words[i - 1] ?? ''));

/**
 * The words with `--version` as a command. Only options stand before it, so that it is not the option of another
 * command.
 */
export function versionAsCommand(words: readonly string[]): string[] {
  const at = words.findIndex((word) => word === '--version' || word === '-V');
  if (at < 0 || isCommand(firstWord(words.slice(0, at)))) return [...words];
  return ['version', ...words.filter((_word, i) => i !== at)];
}

function isCommand(word: string | undefined): boolean {
  return word !== undefined && [...Object.values(topics), unlisted].some((loaders) => Object.hasOwn(loaders, word));
}

/** The first word names the command. When it names none, the error or the help needs all. */
function isNeeded(name: string, words: readonly string[]): boolean {
  const first = firstWord(words);
  return first === undefined || !isCommand(first) || needAll.includes(first) || name === first;
}

function addCommonOptions(command: Command, path: readonly string[]): void {
  const shown = examples[path.join(' ')];
  if (shown) command.addHelpText('after', `\nExamples:\n${shown.map((each) => `  ${each}`).join('\n')}`);
  command
    .option('--base-url <url>', 'the address of the service')
    .option('--profile <name>', 'the service and the account, as `deck profiles` lists them')
    .option('--json', 'write one JSON document and nothing else, and never ask a question')
    .exitOverride();
  for (const each of command.commands) {
    each.copyInheritedSettings(command).helpCommand(false);
    addCommonOptions(each, [...path, each.name()]);
  }
}
