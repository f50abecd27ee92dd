// `npm run bench`: measures what the service costs, as ratios of two kinds of work in the same run. Single times depend
// on the machine; ratios depend on it less. A time never fails the command.
import { buildChanged } from '../scripts/build.mjs';
import { installMissing } from '../scripts/install.mjs';
import { measureGrowth } from './growth.mjs';
import { nodeBinary } from './node-binary.mjs';
import { readOptions } from './options.mjs';
import { isPinned, pinLoadClient, stopPrograms } from './processes.mjs';
import { ratioLine, serverLines, startLines, uploadLines } from './report.mjs';
import { prepareDecks, startServers } from './servers.mjs';
import { simulate } from './simulation.mjs';
import { measureStarting } from './starting.mjs';
import { measureUploading, uploadingRows } from './uploading.mjs';
import { measureViewing, viewingRows } from './viewing.mjs';

const options = readOptions();
installMissing();
installMissing(['bench']);
await buildChanged();
const { node, version } = nodeBinary(options.node);
const major = Number(/\d+/.exec(version)[0]);
pinLoadClient();

const results = { node: version, isPinned, viewing: [], uploading: [], starting: [], growth: [], simulation: [] };
const print = (...lines) => !options.json && console.log(...lines);
const table = (rows) => !options.json && rows.length > 0 && console.table(rows);
const asked = (rows) => rows.some((id) => options.ids.includes(id));

/** Rows of viewers and of uploads, whose servers run at the same time. */
async function compareServers() {
  const hasFilm = asked(['range-16', 'download-1']);
  const prepared = await prepareDecks(node, { coldDecks: asked(['cold-deck']) ? 17 : 0, hasFilm });
  try {
    const servers = await startServers(node, prepared);
    await measureViewing(servers, prepared.decks, options.ids, (row) => {
      results.viewing.push(row);
      print(`${row.what}: ${ratioLine(row, major)['ours / express']}`);
    });
    if (!asked(uploadingRows)) return;
    const leastWork = servers.find(({ name }) => name === 'least-work');
    await measureUploading(node, leastWork, options.ids, (what, runs) => {
      results.uploading.push({ what, runs });
      table(uploadLines(what, runs));
    });
  } finally {
    await stopPrograms();
    prepared.remove();
  }
}

async function measureRows() {
  if (asked([...viewingRows, ...uploadingRows])) await compareServers();
  await measureStarting(node, options.ids, (what, runs) => {
    results.starting.push({ what, runs });
    table(startLines(what, runs));
  });
  if (asked(['growth'])) await measureGrowth(node, options.listings, (row) => results.growth.push(row));
  table(results.viewing.map((row) => ratioLine(row, major)));
  table(results.viewing.flatMap(serverLines));
  table(results.growth);
}

print(
  `The servers run on Node ${version}, ${isPinned ? 'on one processor, the load client on another' : 'not pinned'}.`,
);
try {
  if (options.simulate) await simulate(node, (row) => results.simulation.push(row));
  else await measureRows();
} finally {
  await stopPrograms();
}
table(results.simulation);
if (options.json) console.log(JSON.stringify(results));
