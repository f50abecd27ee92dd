import { parseArgs } from 'node:util';
import { DEFAULT_PROJECT } from '.';

/** A wrong command line. The message is for the person who typed it. */
export class UsageError extends Error {}

export interface Options {
  project: string;
  dataDir: string | undefined;
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
  --check             read everything in the data folder and list what is damaged: exit code 0 or 1
  --ephemeral         free ports for every part, and a temporary data folder unless --data names one
  --no-index-check    serve queries that need an index which firestore.indexes.json does not have
  --platform-limits   apply the cloud's limits: 32 MB for a request, 10 MB for a file, 30 MB for a page
  --json              print only one line of JSON, when every part answers
  --help              print this text
`;

/** Parses the arguments after `npm start --`. Throws UsageError. */
export function parseOptions(args: string[]): Options {
  const values = parse(args);
  const { project = DEFAULT_PROJECT, data, ephemeral = false, check = false } = values;
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
    indexCheck: !values['no-index-check'],
    check,
    platformLimits: values['platform-limits'] ?? false,
    json: values.json ?? false,
    help: values.help ?? false,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        project: { type: 'string' },
        data: { type: 'string' },
        check: { type: 'boolean' },
        ephemeral: { type: 'boolean' },
        'no-index-check': { type: 'boolean' },
        'platform-limits': { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    // The first sentence names the problem. The rest is advice for programmers.
    const [problem = ''] = (error as Error).message.split(/\.\s|\n/, 1);
    throw new UsageError(`${problem.replace(/\.$/, '')}.`);
  }
}
