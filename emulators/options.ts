import { DEFAULT_PROJECT } from '../local/project';
import { parseArguments, UsageError } from '../local/command-line';

/** Which server stands for Storage and Auth: the emulators of firebase-tools, or the parts of the local cloud. */
export type Backends = 'official' | 'local';
/** Which Firestore runs. `auto` takes Google's emulator when it and Java are installed, the local engine otherwise. */
export type FirestoreChoice = 'auto' | 'google' | 'local';

export interface Options {
  project: string;
  backends: Backends;
  firestore: FirestoreChoice;
  dataDir: string | undefined;
  ephemeral: boolean;
  schedules: boolean;
  json: boolean;
  help: boolean;
}

export const HELP = `Firebase's official emulators with everything that the functions need. Ctrl-C stops them.

  npm run emulators -- [options]

  --backends official   (default) firebase-tools' emulators of Functions, Hosting, Storage and Auth
  --backends local      firebase-tools' emulators of Functions and Hosting, over the local cloud's Firestore, Storage
                        and Auth
  --firestore google    Google's Firestore emulator; fails when it or Java is missing
  --firestore local     the local cloud's Firestore
                        (default: Google's emulator when it and Java are installed, and not with --backends local)
  --data <folder>       with --backends local: keeps the data there; without it, all data is deleted at the end
  --project <id>        project id, begins with demo- (default: ${DEFAULT_PROJECT})
  --ephemeral           free ports for every part, and a temporary workspace
  --no-schedules        do not run the scheduled functions
  --json                print only one line of JSON to standard output, when every emulator answers
  --help                print this text

The ports stand in firebase.json. docs/emulators.md says what the emulators do differently from the cloud.
`;

/** Parses the arguments after `npm run emulators --`. Throws UsageError. */
export function parseOptions(args: string[]): Options {
  const values = parse(args);
  const { project = DEFAULT_PROJECT, backends = 'official', firestore = 'auto', data } = values;
  // firebase-tools asks Google's servers about every other project.
  if (!/^demo-[a-z0-9-]{1,24}[a-z0-9]$/.test(project)) {
    throw new UsageError(`--project ${JSON.stringify(project)}: demo-, then lower-case letters, digits and hyphens.`);
  }
  if (backends !== 'official' && backends !== 'local') throw new UsageError('--backends is official or local.');
  if (firestore !== 'auto' && firestore !== 'google' && firestore !== 'local') {
    throw new UsageError('--firestore is google or local.');
  }
  if (data === '') throw new UsageError('--data needs a folder.');
  if (data !== undefined && backends !== 'local') {
    throw new UsageError('--data needs --backends local: the official emulators keep nothing.');
  }
  if (data !== undefined && firestore === 'google') {
    throw new UsageError("--data needs the local Firestore: Google's emulator keeps nothing.");
  }
  const { ephemeral = false, json = false, help = false } = values;
  const schedules = !values['no-schedules'];
  return { project, backends, firestore, dataDir: data, ephemeral, schedules, json, help };
}

function parse(args: string[]) {
  return parseArguments(args, {
    project: { type: 'string' },
    backends: { type: 'string' },
    firestore: { type: 'string' },
    data: { type: 'string' },
    ephemeral: { type: 'boolean' },
    'no-schedules': { type: 'boolean' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  });
}
