// `node try-files.mjs <folder>…` opens the data file of each folder, reads every record, and begins a write that it
// takes back. LMDB crashes on a damaged file, so this program runs before the one that serves. It prints a line of JSON
// for each step: the folder of a file that it opens, the number of records, or the problem.
import { Buffer } from 'node:buffer';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ABORT, open } from 'lmdb';
import { isIntact } from './sealed.mjs';

/** `MDB_MAGIC` of LMDB's mdb.c, in the byte order of the machines that Node runs on. */
const MAGIC = Buffer.from('dec0efbe', 'hex');

const binary = { keyEncoding: 'binary', encoding: 'binary' };
// Synchronous, so that the line of a file is out before LMDB opens it.
const print = (step) => writeSync(1, `${JSON.stringify(step)}\n`);

for (const folder of process.argv.slice(2)) {
  print({ folder });
  try {
    print({ records: read(folder) });
  } catch (error) {
    // Some messages of LMDB have a line break.
    print({ problem: error.message.replace(/\s+/g, ' ').trim() });
  }
}

function read(folder) {
  const root = open({ path: folder, noSubdir: false, maxDbs: 16, ...binary });
  assertBothMetaPages(join(folder, 'data.mdb'), root.getStats().pageSize);
  const names = [...root.getKeys()].map((name) => String(name).replace(/\0$/, ''));
  if (names.length === 0) throw new Error('it contains no table');
  const tables = names.map((name) => root.openDB(name, binary));
  const records = tables.map((table, i) => countOf(table, names[i])).reduce((sum, count) => sum + count);
  root.transactionSync(() => {
    for (const table of tables) table.putSync(Buffer.of(0), Buffer.alloc(10_000));
    return ABORT;
  });
  return records;
}

/** LMDB begins with two meta pages. Without the newer one it would silently open the state of the other. */
function assertBothMetaPages(path, pageSize) {
  const pages = Buffer.alloc(2 * pageSize);
  const file = openSync(path);
  readSync(file, pages, 0, pages.length, 0);
  closeSync(file);
  for (const page of [pages.subarray(0, pageSize), pages.subarray(pageSize)])
    if (!page.includes(MAGIC)) throw new Error('one of its meta pages is damaged');
}

function countOf(table, name) {
  let count = 0;
  let last = Buffer.alloc(0);
  for (const { key, value } of table.getRange()) {
    if (!isIntact(key, value)) throw new Error(`a record of the table ${name} does not match its checksum`);
    if (count > 0 && Buffer.compare(last, key) >= 0)
      throw new Error(`the records of the table ${name} are out of order`);
    last = Buffer.from(key);
    count++;
  }
  const { entryCount } = table.getStats();
  if (entryCount !== count) throw new Error(`the table ${name} has ${count} of its ${entryCount} records`);
  return count;
}
