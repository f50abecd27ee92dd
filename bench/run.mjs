// `npm run bench`: measures what the service costs, as ratios of two kinds of work in the same run. Single times depend
// on the machine; ratios depend on it less. A time never fails the command.
import { buildChanged } from '../scripts/build.mjs';
import { installMissing } from '../scripts/install.mjs';
import { measureCalls } from './calls.mjs';
import { countAtEngine } from './counting.mjs';
import { measureGrowth } from './growth.mjs';
import { measureLive } from './live.mjs';
import { nodeBinary } from './node-binary.mjs';
import { readOptions } from './options.mjs';
import { isPinned, pinLoadClient, stopPrograms } from './processes.mjs';
import { detailLines, summaryLine } from './report.mjs';
import { prepareDecks, startServers } from './servers.mjs';
import { measureSearch } from './search.mjs';
import { simulate, writesOfOneDeck } from './simulation.mjs';
import { measureStarting, startingRows } from './starting.mjs';
import { measureUploading, uploadingRows } from './uploading.mjs';
import { coldDecksOf, measureViewing, viewingRows } from './viewing.mjs';

const options = readOptions();
// The model of the cloud needs no other servers.
await installMissing(options.simulate ? [''] : ['', 'bench'], { dev: true });
await buildChanged();
const { node, version } = nodeBinary(options.node);
const major = Number(/\d+/.exec(version)[0]);
pinLoadClient();

const results = { node: version, isPinned, rows: [], growth: [], counts: [], live: [], simulation: [], writes: [] };
const print = (text) => !options.json && console.log(text);
const table = (lines) => lines.length > 0 && !options.json && console.table(lines);
const asked = (rows) => rows.some((id) => options.ids.includes(id));

function onRow(row) {
  results.rows.push(row);
  const line = summaryLine(row, major);
  print(`${row.what}: ${line.ratio} × ${row.base}`);
}

function onCount(row) {
  results.counts.push(row);
  print(`${row.what}: ${row['reads a request']} documents read a request, ${row['commits a view']} commits a view`);
}

function onLive(row) {
  results.live.push(row);
  table([row]);
}

/** Rows of viewers and of uploads, whose servers run at the same time. */
async function compareServers() {
  const hasFilm = asked(['range-16', 'download-1']);
  const prepared = await prepareDecks(node, { coldDecks: coldDecksOf(options.ids), hasFilm });
  try {
    const servers = await startServers(node, prepared);
    if (asked(viewingRows)) await measureViewing(servers, prepared.decks, options.ids, onRow);
    const leastWork = servers.find(({ name }) => name === 'least-work');
    if (asked(uploadingRows)) await measureUploading(node, leastWork, options.ids, onRow);
  } finally {
    await stopPrograms();
    prepared.remove();
  }
}

async function measureRows() {
  if (asked([...viewingRows, ...uploadingRows])) await compareServers();
  await measureStarting(node, options.ids, onRow);
  if (asked(['growth'])) await measureGrowth(node, options.listings, (row) => results.growth.push(row));
  table(results.rows.map((row) => summaryLine(row, major)));
  for (const rows of [viewingRows, uploadingRows, startingRows])
    table(results.rows.filter(({ id }) => rows.includes(id)).flatMap(detailLines));
  table(results.growth);
}

print(
  `The servers run on Node ${version}, ${isPinned ? 'on one processor, the load client on another' : 'not pinned'}.`,
);
try {
  if (options.calls) await measureCalls(node);
  else if (options.simulate) {
    simulate(options.quotas, (row) => results.simulation.push(row));
    results.writes = writesOfOneDeck();
  } else if (options.search) await measureSearch(node, Number(options.search), print);
  else if (options.live) await measureLive(node, onLive);
  else if (options.count) await countAtEngine(node, onCount);
  else await measureRows();
} finally {
  await stopPrograms();
}
table(results.counts);
table(results.simulation);
table(results.writes);
if (options.json) console.log(JSON.stringify(results));
