// `npm run bench`: measures what the service costs, as ratios of two kinds of work in the same run. Single times depend
// on the machine; ratios depend on it less. A time never fails the command.
import { parseArgs } from 'node:util';
import { buildChanged } from '../scripts/build.mjs';
import { installMissing } from '../scripts/install.mjs';
import { nodeBinary } from './node-binary.mjs';
import { isPinned, pinLoadClient, stopPrograms } from './processes.mjs';
import { ratioLine, serverLines } from './report.mjs';
import { prepareDecks, startServers } from './servers.mjs';
import { measureViewing, viewingRows } from './viewing.mjs';

const { only, json, ...options } = parseArgs({
  options: { only: { type: 'string' }, node: { type: 'string' }, json: { type: 'boolean', default: false } },
}).values;

const isAsked = (id) => !only || only.split(',').some((name) => id === name || id.startsWith(`${name}-`));
const ids = viewingRows.filter(isAsked);

installMissing();
installMissing(['bench']);
await buildChanged();
const { node, version } = nodeBinary(options.node);
const major = Number(/\d+/.exec(version)[0]);
pinLoadClient();
if (!json)
  console.log(
    `The servers run on Node ${version}${isPinned ? ' on one processor, the load client on another' : ', not pinned'}.`,
  );

const prepared = await prepareDecks(node, {
  coldDecks: ids.includes('cold-deck') ? 17 : 0,
  hasFilm: ids.includes('range-16') || ids.includes('download-1'),
});
const rows = [];
try {
  const servers = await startServers(node, prepared);
  await measureViewing(servers, prepared.decks, ids, (row) => {
    rows.push(row);
    if (!json) console.log(ratioLine(row, major));
  });
} finally {
  await stopPrograms();
  prepared.remove();
}
if (json) console.log(JSON.stringify({ node: version, isPinned, rows }));
else {
  console.table(rows.map((row) => ratioLine(row, major)));
  console.table(rows.flatMap(serverLines));
}
