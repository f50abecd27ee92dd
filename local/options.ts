import { parseArguments, UsageError } from './command-line';
import { defaultPorts, otherPort, portsWith, type Part, type Ports, samePort } from './ports';
import { DEFAULT_PROJECT } from './project';

const HIGHEST_PORT = 65_535;

export interface Options {
  project: string;
  dataDir: string | undefined;
  /** The ports of `--port`. */
  ports: Partial<Ports>;
  deckOrigin: boolean;
  schedules: boolean;
  ephemeral: boolean;
  indexCheck: boolean;
  platformLimits: boolean;
  check: boolean;
  json: boolean;
  help: boolean;
}

export const HELP = `The local cloud: the functions and the services that they use, on this machine only.

  npm start -- [options]

  --project <id>      project id (default: ${DEFAULT_PROJECT})
  --data <dir>        the data folder (default: .local)
  --port <part>=<n>   the port of a part, again for each part; 0 picks a free port. The defaults:
                      ${portsForPeople()}
  --check             read everything in the data folder and list what is damaged: exit code 0 or 1
  --ephemeral         free ports for every part, and a temporary data folder unless --data names one
  --no-schedules      run scheduled functions by a POST only, and no tasks
  --no-deck-origin    decks have no origins of their own: the share page shows them in a sandboxed frame
  --no-index-check    serve queries that need an index which firestore.indexes.json does not have
  --platform-limits   apply the cloud's limits: 32 MB for a request, 10 MB for a file, 30 MB for a page
  --json              print only one line of JSON, when every part answers
  --help              print this text
`;

/** Parses the arguments after `npm start --`. Throws UsageError. */
export function parseOptions(args: string[]): Options {
  const values = parse(args);
  const { project = DEFAULT_PROJECT, data, ephemeral = false, check = false } = values;
  const deckOrigin = !values['no-deck-origin'];
  if (!/^[a-z][a-z0-9-]{2,28}[a-z0-9]$/.test(project)) {
    throw new UsageError(
      `--project ${JSON.stringify(project)}: lower-case letters, digits and hyphens, 4 to 30 of them.`,
    );
  }
  if (data === '') throw new UsageError('--data needs a folder.');
  if (check && ephemeral) throw new UsageError('--check reads an existing data folder: it cannot be --ephemeral.');
  return {
    project,
    dataDir: data,
    ephemeral,
    ports: portsOf(values.port ?? [], { ephemeral, deckOrigin }),
    deckOrigin,
    schedules: !values['no-schedules'],
    indexCheck: !values['no-index-check'],
    check,
    platformLimits: values['platform-limits'] ?? false,
    json: values.json ?? false,
    help: values.help ?? false,
  };
}

/** The ports of `--port`. Throws UsageError. */
function portsOf(
  named: string[],
  { ephemeral, deckOrigin }: Pick<Options, 'ephemeral' | 'deckOrigin'>,
): Partial<Ports> {
  const chosen: Partial<Ports> = {};
  for (const value of named) {
    const [, part = '', digits] = /^([^=]*)(?:=(.*))?$/s.exec(value) ?? [];
    if (!Object.hasOwn(defaultPorts, part)) {
      const parts = Object.keys(defaultPorts).join(', ');
      throw new UsageError(`--port ${value}: ${JSON.stringify(part)} is not a part. The parts are ${parts}.`);
    }
    if (!/^\d{1,5}$/.test(digits ?? '') || Number(digits) > HIGHEST_PORT) {
      const example = `${part}=${otherPort(defaultPorts[part as Part])}`;
      throw new UsageError(
        `--port ${value}: the port of ${part} is a number from 0 to ${HIGHEST_PORT}, for example ${example}.`,
      );
    }
    if (part in chosen) throw new UsageError(`--port ${part} is given twice.`);
    chosen[part as Part] = Number(digits);
  }
  const same = samePort(portsWith(chosen, { ephemeral, deckOrigin }));
  if (same) {
    const [first, second] = same;
    const port = chosen[first] ?? chosen[second];
    throw new UsageError(`--port: ${first} and ${second} have the same port, ${port}.`);
  }
  return chosen;
}

function portsForPeople(): string {
  return Object.entries(defaultPorts)
    .map(([part, port]) => `${part}=${port}`)
    .join(' ');
}

function parse(args: string[]) {
  return parseArguments(args, {
    project: { type: 'string' },
    data: { type: 'string' },
    port: { type: 'string', multiple: true },
    check: { type: 'boolean' },
    ephemeral: { type: 'boolean' },
    'no-deck-origin': { type: 'boolean' },
    'no-schedules': { type: 'boolean' },
    'no-index-check': { type: 'boolean' },
    'platform-limits': { type: 'boolean' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  });
}
