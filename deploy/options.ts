import { Command, InvalidArgumentError } from 'commander';
import type { DeployOptions } from './context';
import { deckOriginOf } from './deck-origin';
import { choose } from './run';
import { isValueOf } from './safeguards';
import { isRestorable } from './steps/restore';
import { safeguards } from './tables';

const NOTES = `
Secrets come from the terminal, or from the environment: RESEND_API_KEY, RESEND_WEBHOOK_SECRET. MAIL_FROM and
OPERATOR_EMAIL of the environment replace --mail-from and --operator. Without a terminal nothing is asked. The command
can be run again at any time: it changes only what is missing. Exit codes: 0 done, 1 a step failed, 2 wrong command line.
`;

const program = new Command('npm run deploy --')
  .description('Deploys the service to a Firebase project, and checks it.')
  .usage('--project <id> [options]')
  .requiredOption('--project <id>', 'the Firebase project', matching(/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/))
  .option('--region <region>', 'the region of the functions (default: us-central1)', matching(/^[a-z]+-[a-z]+\d+$/))
  .option('--firestore-location <place>', 'the place of a new database (default: the region)', matching(/^[a-z0-9-]+$/))
  .option('--mail-from <sender>', 'the sender of all mails')
  .option('--operator <address>', 'your address, for alerts and a test mail')
  .option('--proxy-hops <n>', 'sets TRUSTED_PROXY_HOPS', wholeNumber)
  .option('--deck-origin <origin>', "serves decks on origins of their own: '*.decks.example.com'", deckOrigin)
  .option('--no-deck-origin', 'frames decks again; with --delete-removed, deletes the load balancer too')
  .option(
    '--set <name=value...>',
    'writes other settings of functions/.env.example, such as CPU_QUOTA=40 or PITR=off',
    setting,
  )
  .option('--client-address <ip>', 'the public address of this machine (default: asked from ns1.google.com by DNS)')
  .option('--existing-project', 'deploys to a project with another app, whose rules and site are replaced')
  .option(
    '--restore <what>',
    'runs the service on a copy of its database: of a backup, or of 2026-01-31T12:00Z',
    restorable,
  )
  .option('--delete-removed', 'deletes deployed functions that the code does not have any more')
  .option('--rollback', 'goes back to the release before, functions and site, and deploys nothing')
  .option('--only <step>', 'runs one step')
  .option('--from <step>', 'runs the steps from this one on')
  .option('--dry-run', 'prints every command for an empty project, and runs none')
  .addHelpText('after', NOTES)
  .exitOverride()
  .configureOutput({
    outputError: (text, write) => write(text.replace(/^error: ./, (head) => head.slice(-1).toUpperCase())),
  });

function matching(pattern: RegExp) {
  return (value: string) => {
    if (pattern.test(value)) return value;
    throw new InvalidArgumentError('It has another form.');
  };
}

/** The settings that have an option or another way of their own. */
const OTHER_WAYS: Readonly<Record<string, string>> = {
  REGION: 'Use --region.',
  MAIL_FROM: 'Use --mail-from.',
  TRUSTED_PROXY_HOPS: 'Use --proxy-hops.',
  SERVICE_SECRET: 'It is a secret: docs/operating.md, "Change the service secret".',
  RESEND_API_KEY: 'It is a secret: set it in the environment.',
  RESEND_WEBHOOK_SECRET: 'It is a secret: set it in the environment.',
  RESTORE: 'Use --restore.',
  WEBHOOK_PRIVATE_TARGETS: 'It is for machines of developers: webhooks could call private addresses of the cloud.',
};

function setting(value: string, others: readonly string[] = []): string[] {
  const [, name] = /^([A-Z][A-Z0-9_]*)=.+$/.exec(value) ?? [];
  if (name === undefined) throw new InvalidArgumentError('It is not NAME=value.');
  const otherWay = OTHER_WAYS[name];
  if (otherWay) throw new InvalidArgumentError(otherWay);
  const safeguard = safeguards.find((each) => each.setting === name);
  if (safeguard && !isValueOf(safeguard, value.slice(name.length + 1))) {
    throw new InvalidArgumentError(`Write ${name}=${safeguard.standard}, or ${name}=off.`);
  }
  return [...others, name === 'DECK_ORIGIN' ? `${name}=${deckOrigin(value.slice(name.length + 1))}` : value];
}

function restorable(value: string): string {
  if (isRestorable(value)) return value;
  throw new InvalidArgumentError('Write the name of a backup, or a minute: 2026-01-31T12:00Z.');
}

function deckOrigin(value: string): string {
  try {
    return deckOriginOf(value);
  } catch (error) {
    throw new InvalidArgumentError((error as RangeError).message);
  }
}

function wholeNumber(value: string): number {
  if (/^\d$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It is not a whole number from 0 to 9.');
}

/**
 * The options of a command line. Throws CommanderError when it is wrong or asks for the help, after it has written the
 * problem or the help, and RangeError for a step that does not exist.
 */
export function optionsOf(
  args: readonly string[],
  writeErr: (text: string) => void = (text) => process.stderr.write(text),
): DeployOptions {
  const options = program.configureOutput({ writeErr }).parse(args, { from: 'user' }).opts<DeployOptions>();
  choose(options);
  return options;
}
