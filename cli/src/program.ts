import { Command } from 'commander';
import { version } from '../package.json';
import { DEFAULT_BASE_URL } from './address';
import { keepOptions } from './command-line';
import { leaveCommand } from './commands/leave';
import { listCommand } from './commands/list';
import { loginCommand } from './commands/login';
import { logoutCommand } from './commands/logout';
import { openCommand } from './commands/open';
import { publishCommand } from './commands/publish';
import { pullCommand } from './commands/pull';
import { pushCommand } from './commands/push';
import { remixCommand } from './commands/remix';
import { signupCommand } from './commands/signup';
import { unpublishCommand } from './commands/unpublish';
import { usageCommand } from './commands/usage';
import { whoamiCommand } from './commands/whoami';
import type { Terminal } from './terminal';

const ENVIRONMENT_HELP = `
Environment:
  DECK_BASE_URL  the address of the service
  DECK_API_KEY   the key to use instead of the stored one
  NO_COLOR       no colours
  DEBUG=deck     show the stack of an error

Exit codes: 0 success, 1 failure, 2 wrong usage, 130 interrupted`;

/** In the order of `deck --help`. */
const commands = [
  signupCommand,
  loginCommand,
  whoamiCommand,
  usageCommand,
  pushCommand,
  openCommand,
  listCommand,
  pullCommand,
  leaveCommand,
  publishCommand,
  unpublishCommand,
  remixCommand,
  logoutCommand,
];

/**
 * `deck` with its commands. Each command declares its arguments and options. The options of all commands are added
 * here.
 */
export function program(terminal: Terminal): Command {
  const deck = new Command('deck')
    .description('Uploads a folder as a presentation, and shares it by a link.')
    .version(version)
    .helpCommand(false)
    // Options after a command belong to the command: `deck publish --version 2` does not show the client's version.
    .enablePositionalOptions()
    .configureOutput({ outputError: () => undefined })
    .addHelpText('after', ENVIRONMENT_HELP)
    .hook('preAction', (_deck, command) => keepOptions(command.optsWithGlobals()));
  for (const command of commands) deck.addCommand(command(terminal));
  prepare(deck);
  return deck;
}

/** Adds the options of all commands, and passes the settings of a command on to its subcommands. */
function prepare(command: Command): void {
  command
    .option('--base-url <url>', `the address of the service (default: DECK_BASE_URL, or ${DEFAULT_BASE_URL})`)
    .option('--json', 'answer with one JSON document on standard output, and never ask a question')
    .exitOverride();
  for (const subcommand of command.commands) prepare(subcommand.copyInheritedSettings(command).helpCommand(false));
}
