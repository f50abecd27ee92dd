import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { checkDataFolder } from '../../../local/check';
import { bytesCodec, textCodec } from '../../../local/data/codecs';
import { DataFile } from '../../../local/data/data-file';
import { DamagedData } from '../../../local/data/errors';
import { lockFolder } from '../../../local/data/folder-lock';
import { writeHeader } from '../../../local/data/header';
import { tryFiles } from '../../../local/data/trial';
import { aFolder } from '../folders';
import { startAndStop, fillDataFolder } from './fixture';
import { killedUnderLoad } from './kills';
import { buildProgram } from './processes';

const folder = aFolder();
const lockFile = join(folder, 'owner');

type Lock = { pid: number; started: string };
const readLock = () => JSON.parse(fs.readFileSync(lockFile, 'utf8')) as Lock;
const writeLock = (lock: Lock) => fs.writeFileSync(lockFile, JSON.stringify(lock));

test('a data folder has one process at a time; a killed process does not keep the lock', async () => {
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(`The data folder ${folder} is in use by process ${process.pid}.`);
  await expect(startAndStop(folder)).rejects.toThrow(`The data folder ${folder} is in use by process ${process.pid}.`);
  const lock = readLock();
  unlock();
  // A start locks the folder, and unlocks it at its end.
  await startAndStop(folder);
  expect(fs.existsSync(lockFile)).toBe(false);
  const { pid } = spawnSync(process.execPath, ['--version']);
  writeLock({ ...lock, pid });
  lockFolder(folder)();
  expect(fs.existsSync(lockFile)).toBe(false);
});

/** Whether the system tells when a process was started. */
const tellsStarts = fs.existsSync('/proc/self/stat');
(tellsStarts ? test : test.skip)('a lock names its process by id and start: a reused id does not keep it', () => {
  const unlock = lockFolder(folder);
  const lock = readLock();
  // This process lives, and it was started at another time.
  writeLock({ ...lock, started: `1${lock.started}` });
  lockFolder(folder);
  expect(readLock()).toEqual(lock);
  expect(() => lockFolder(folder)).toThrow('is in use by process');
  unlock();
});

const template = aFolder();
buildProgram('cloud');
beforeAll(() => fillDataFolder(template, 1));

function aCopy(): string {
  const dataDir = aFolder();
  fs.cpSync(template, dataDir, { recursive: true });
  return dataDir;
}

describe('a start is refused with one sentence that names the file', () => {
  const change = (file: string, edit: (bytes: Buffer) => Buffer | string) => (dataDir: string) =>
    fs.writeFileSync(join(dataDir, file), edit(fs.readFileSync(join(dataDir, file))));
  const without = (file: string) => (dataDir: string) => fs.rmSync(join(dataDir, file), { recursive: true });
  const at = (bytes: Buffer, offset: number, value: number) => (bytes.writeUInt32LE(value, offset), bytes);
  const unusable = (part: string, why: string) => new RegExp(`${part}data\\.mdb cannot be used: .*${why}`);

  /** `isChecked` is one kind for each part of the full check that finds damage. */
  type Damage = [damageFolder: (dataDir: string) => void, sentence: RegExp, isChecked?: true];
  const damages: Record<string, Damage> = {
    'an empty file': [change('data.mdb', () => ''), unusable('', 'no table')],
    'a file of zeros': [change('auth/data.mdb', (bytes) => bytes.fill(0)), unusable('auth/', '')],
    'a file of another program': [change('mail/data.mdb', () => 'SQLite format 3'), unusable('mail/', '')],
    'a file that is cut off': [change('data.mdb', (bytes) => bytes.subarray(0, bytes.length / 2)), unusable('', '')],
    'a record whose bytes have changed': [
      change('data.mdb', (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('xxxxxxxx', 'xxxxxxxy'), 'latin1')),
      unusable('', 'checksum'),
      true,
    ],
    'a missing file': [without('storage/metadata/data.mdb'), /metadata\/data\.mdb is missing/],
    'a missing folder': [without('mail'), /mail\/data\.mdb is missing/],
    'a missing header': [without('auth/data.header'), /auth\/data\.header is missing/],
    'the file of another part': [
      (dataDir) => fs.cpSync(join(dataDir, 'auth'), join(dataDir, 'mail'), { recursive: true }),
      /belongs to another part \(auth\)/,
    ],
    'a damaged header': [change('auth/data.header', (bytes) => at(bytes, 20, 0)), /data\.header is damaged/, true],
    'a missing secret': [without('service-secret'), /service-secret is missing/, true],
    'a changed secret': [change('service-secret', (bytes) => bytes.fill('a')), /service-secret is damaged/],
    'missing bytes of objects': [without('storage/blobs'), /bytes of .+ are missing/, true],
  };

  test.each(Object.entries(damages))('%s', async (_kind, [damageFolder, sentence, isChecked]) => {
    const dataDir = aCopy();
    damageFolder(dataDir);
    const message = await startAndStop(dataDir).catch((error: Error) => error.message);
    expect(message).toMatch(sentence);
    expect(message).not.toContain('\n');
    if (!isChecked) return;
    // The failed start has changed nothing and has unlocked the folder.
    expect((await checkDataFolder(dataDir)).damage.join()).toMatch(sentence);
  });

  test.each(['folder.header', 'data.header'])('a folder of another format (%s)', async (file) => {
    const dataDir = aCopy();
    if (file === 'data.header') fs.rmSync(join(dataDir, 'folder.header'));
    const line = JSON.stringify({ program: 'decks local cloud', format: 1 });
    fs.writeFileSync(join(dataDir, file), `${line}\n${createHash('sha256').update(line).digest('hex')}\n`);
    const sentence = `The data folder ${dataDir} has format 1, not 2. Delete the folder, or name another one with --data.`;
    await expect(startAndStop(dataDir)).rejects.toThrow(new Error(sentence));
  });
});

test('the full check names damaged bytes of an object and a document that an index lacks', async () => {
  const dataDir = aCopy();
  expect(await checkDataFolder(dataDir)).toMatchObject({ damage: [] });
  const blobs = join(dataDir, 'storage', 'blobs');
  const [blob = ''] = fs.readdirSync(blobs);
  const bytes = fs.readFileSync(join(blobs, blob));
  bytes[0]! ^= 1;
  fs.writeFileSync(join(blobs, blob), bytes);
  const options = { store: 'firestore', tables: [], isTemporary: false, pageSize: 8192 };
  const file = DataFile.open(dataDir, options);
  const index = file.table('index', bytesCodec);
  const [entry] = index.keys({ limit: 1 });
  file.transact(() => index.remove(entry!));
  await file.close();
  const { damage } = await checkDataFolder(dataDir);
  expect(damage).toHaveLength(2);
  expect(damage[0]).toMatch(/^Firestore: the document projects\/.+ is not in every index\.$/);
  expect(damage[1]).toMatch(/^Storage: the bytes of demo-decks\.firebasestorage\.app\/round-.+ are damaged/);
});

test.each([
  ['before its first header', (dataDir: string) => void fs.rmSync(join(dataDir, 'data.header'), { force: true })],
  ['before its file was whole', (dataDir: string) => fs.writeFileSync(join(dataDir, 'data.mdb'), Buffer.alloc(5000))],
  ['while it wrote a header', (dataDir: string) => fs.writeFileSync(join(dataDir, 'data.header.draft'), '{"prog')],
])('a first start that was killed %s is started again', async (_, kill) => {
  const dataDir = aFolder();
  fs.mkdirSync(join(dataDir, 'storage'));
  writeHeader(join(dataDir, 'data.header'), { store: 'firestore', state: 'new' });
  kill(dataDir);
  await startAndStop(dataDir);
  expect((await checkDataFolder(dataDir)).damage).toEqual([]);
});

function openRecords(dataDir: string) {
  const file = DataFile.open(dataDir, { store: 'test', tables: ['records'], isTemporary: false });
  return { file, table: file.table('records', textCodec<string>()) };
}

test('a record that is damaged while the file is open is refused when it is read', async () => {
  const dataDir = aFolder();
  const { file, table } = openRecords(dataDir);
  file.transact(() => table.put('key', 'a value that is easy to find'));
  expect(table.get('key')).toBe('a value that is easy to find');
  const path = join(dataDir, 'data.mdb');
  const handle = fs.openSync(path, 'r+');
  fs.writeSync(handle, 'A', fs.readFileSync(path).indexOf('a value that'));
  fs.closeSync(handle);
  expect(() => table.get('key')).toThrow(DamagedData);
  expect(() => [...table.range()]).toThrow(DamagedData);
  await file.close();
});

test('a page with an earlier state is noticed: records are gone', async () => {
  const dataDir = aFolder();
  const path = join(dataDir, 'data.mdb');
  const write = async (texts: string[]) => {
    const { file, table } = openRecords(dataDir);
    file.transact(() => texts.forEach((text) => table.put(text, text)));
    file.ready();
    await file.close();
    return fs.readFileSync(path);
  };
  const before = await write(['first record', 'second record']);
  const after = await write(['third record']);
  expect(await tryFiles([dataDir])).toEqual({ records: new Map([[dataDir, 3]]), damage: new Map() });
  const pageOf = (bytes: Buffer, text: string) => bytes.indexOf(text) & ~4095;
  const from = pageOf(before, 'second record');
  before.copy(after, pageOf(after, 'third record'), from, from + 4096);
  fs.writeFileSync(path, after);
  const sentence = `The data file ${path} cannot be used: the table records has 2 of its 3 records.`;
  expect([...(await tryFiles([dataDir])).damage]).toEqual([[dataDir, sentence]]);
});

test('a local cloud that is killed under load keeps every acknowledged write, and no write in part', async () => {
  expect(await killedUnderLoad(1)).toEqual({ damage: [], lost: [], torn: [], isEnough: true });
});
