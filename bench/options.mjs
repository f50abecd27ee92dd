// The command line of `npm run bench`.
import { parseArgs } from 'node:util';
import { startingRows } from './starting.mjs';
import { uploadingRows } from './uploading.mjs';
import { viewingRows } from './viewing.mjs';

const GROWTH = 'growth';
const rows = [...viewingRows, ...uploadingRows, ...startingRows, GROWTH];

const HELP = `Measures what the service costs, as ratios of two kinds of work in the same run.

  npm run bench -- [options]

  --only <rows>        measure only these rows, separated by commas; "entry" stands for every row that starts with it:
                       ${rows.join(', ')}
  --node <24 | file>   run the servers on another Node: a version, which is installed into .build, or a file
  --listings <n>       the number of listings of the row growth (default: 10000)
  --search <n>         instead of the rows, search so many listings
  --simulate           instead of the rows, let many people use a model of the cloud (docs/performance.md)
  --quota <vCPU,…>     the CPU quotas of the model (default: 20,200,1000)
  --calls              instead of the rows, measure the calls that feed the model, and write bench/calls.json
  --count              instead of the rows, run 20 instances of the viewer on one engine and count at the engine
  --live               instead of the rows, let 900 follow a live session on one instance, and 2 000 on three
  --json               print only JSON
  --help               print this text
`;

/**
 * The options of this process. Ends the process with 0 after `--help`, and with 2 when no row has the name of `--only`.
 */
export function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      node: { type: 'string' },
      listings: { type: 'string', default: '10000' },
      search: { type: 'string' },
      simulate: { type: 'boolean', default: false },
      quota: { type: 'string', default: '20,200,1000' },
      calls: { type: 'boolean', default: false },
      count: { type: 'boolean', default: false },
      live: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const names = values.only.split(',').filter(Boolean);
  const isAsked = (id) => names.length === 0 || names.some((name) => id === name || id.startsWith(`${name}-`));
  const ids = rows.filter(isAsked);
  if (ids.length === 0) {
    console.error(`--only ${values.only}: the rows are ${rows.join(', ')}.`);
    process.exit(2);
  }
  const quotas = values.quota.split(',').map(Number);
  return { ...values, ids, quotas, listings: Number(values.listings) };
}
