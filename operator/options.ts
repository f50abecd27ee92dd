import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';

/** Thrown for a command line that cannot be followed; the message is for the person who typed it. */
export class UsageError extends Error {}

export const HELP = `What only an operator may do. Every command is recorded with who did it, when and why.

  npm run operator -- <command> --project <id> [options]

  mint-admin-key --name <name> [--expires-in-days <1..365>]
                                   make a key that passes every check; it is printed this once
  revoke-key --key-id <id> | --prefix <first 8 characters>
                                   end a key of any kind
  set-plan --organization <id> | --email <owner> --plan <plan>
                                   change what an organization may do
  take-down --presentation <id> | --listing <slug> --reason <text>
                                   shut every link of a deck and its listing, or a listing alone (410); its owner
                                   keeps the deck and is told the reason
  put-back --presentation <id> | --listing <slug>
                                   undo a take-down
  dismiss-reports --listing <slug> forget what was reported of a listing
  show organization --organization <id> | --email <owner>
  show presentation --presentation <id>
  show listing --listing <slug>    print what is stored, without secrets; a listing with its reports
  show reports [--limit <1..500>]  print the listings that were reported, the newest report first (50)

  --project <id>    the Firebase project (required)
  --reason <text>   why; kept in the record
  --as <name>       who does it (default: the user of this computer)
  --yes             do not ask; needed where there is no terminal to ask in
  --help            this text

It uses the application default credentials (gcloud auth application-default login), or the emulator that
FIRESTORE_EMULATOR_HOST names. For the local cloud of npm start:

  FIRESTORE_EMULATOR_HOST=127.0.0.1:8080 npm run operator -- show presentation --project demo-decks --presentation <id>

The result is JSON on standard output. Ends with 0 when it was done, 1 when it was not, 2 for a wrong command line.
`;

const options = {
  project: { type: 'string' },
  name: { type: 'string' },
  'expires-in-days': { type: 'string' },
  'key-id': { type: 'string' },
  prefix: { type: 'string' },
  organization: { type: 'string' },
  email: { type: 'string' },
  plan: { type: 'string' },
  presentation: { type: 'string' },
  listing: { type: 'string' },
  limit: { type: 'string' },
  reason: { type: 'string' },
  as: { type: 'string' },
  yes: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
export type Option = keyof typeof options;

export interface CommandLine {
  /** `take-down`, or `show presentation`. */
  command: string;
  values: Values;
}

/** Reads what follows `npm run operator --`. Throws UsageError. */
export function parseCommandLine(args: string[]): CommandLine {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const empty = Object.entries(values).find(([, value]) => typeof value === 'string' && value.trim() === '');
    if (empty) throw new UsageError(`--${empty[0]} is empty.`);
    return { command: positionals.join(' '), values };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // The first sentence says what is wrong; what follows is advice for programmers.
    throw new UsageError(`${(error as Error).message.split(/\.\s|\n/, 1)[0]!.replace(/\.$/, '')}.`);
  }
}

/** The value of an option that the command cannot do without. */
export function required({ command, values }: CommandLine, option: Exclude<Option, 'yes' | 'help'>): string {
  const value = values[option];
  if (value === undefined) throw new UsageError(`${command || 'Every command'} needs --${option}.`);
  return value;
}

/** Exactly one of two options, with its name. */
export function oneOf<const A extends Option, const B extends Option>(
  { command, values }: CommandLine,
  first: A,
  second: B,
): { option: A | B; value: string } {
  const given = [first, second].filter((option) => values[option] !== undefined);
  if (given.length !== 1) throw new UsageError(`${command} needs either --${first} or --${second}.`);
  const option = given[0]!;
  return { option, value: String(values[option]) };
}

/** Who types this. */
export function operatorName(values: Values): string {
  return values.as ?? userInfo().username;
}
