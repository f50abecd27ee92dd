import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  openSync,
  writeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { Firestore } from 'firebase-admin/firestore';
import { getStorage } from 'firebase-admin/storage';
import { Resend } from 'resend';
import { startLocalCloud } from '../../../local';
import { checkDataFolder } from '../../../local/check';
import { bytesCodec, textCodec } from '../../../local/data/codecs';
import { DataFile } from '../../../local/data/data-file';
import { DamagedData } from '../../../local/data/errors';
import { checkPages } from '../../../local/data/pages';
import { writeHeader } from '../../../local/data/header';
import type { Outcome } from './programs/damage';

const ports = { functions: 0, hosting: 0, decks: 0, firestore: 0, storage: 0, auth: 0, mail: 0 };
const loadFunctions = () => Promise.resolve({});
/** Starts a cloud that should not start: one that does must not keep the folder. */
const startAndStop = async (dataDir: string) => (await startLocalCloud({ dataDir, ports, loadFunctions })).close();

const folder = mkdtempSync(join(tmpdir(), 'damage-'));
const program = join(folder, 'damage.js');
const template = join(folder, 'data');

beforeAll(async () => {
  const entry = join(__dirname, 'programs', 'damage.ts');
  buildSync({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', packages: 'external' });
  await fillDataFolder(template);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes to every part through its SDK, so that each file has pages of every kind and free pages. */
async function fillDataFolder(dataDir: string): Promise<void> {
  const cloud = await startLocalCloud({ dataDir, ports, loadFunctions });
  const app = initializeApp({ projectId: 'demo-decks', storageBucket: 'demo-decks.firebasestorage.app' }, 'damage');
  const [auth, bucket] = [getAuth(app), getStorage(app).bucket()];
  const resend = new Resend('re_local', { baseUrl: cloud.mailUrl });
  const db = new Firestore({ projectId: 'demo-decks' });
  for (let round = 0; round < 3; round++) {
    const batch = db.batch();
    for (let i = 0; i < 150; i++) {
      const text = 'x'.repeat(i % 30 === 0 ? 20_000 : i);
      batch.set(db.doc(`decks/${round}-${i}/parts/a`), { text, i, tags: ['a', String(i)], nested: { round } });
    }
    await batch.commit();
    await db.recursiveDelete(db.doc(`decks/${round}-7`));
    for (let i = 0; i < 6; i++) {
      const file = bucket.file(`round-${round % 2}/${i}`);
      await file.save(`bytes ${round} ${i}`.repeat(1 + i * 50), { resumable: false });
      await auth.createUser({
        uid: `user-${round}-${i}`,
        email: `${round}-${i}@example.com`,
        displayName: 'x'.repeat(500),
      });
      const text = 'x'.repeat(i * 400);
      await resend.emails.send({ from: 'a@example.com', to: `${i}@example.com`, subject: `${round} ${i}`, text });
    }
    await auth.deleteUser(`user-${round}-3`);
  }
  await db.terminate();
  await deleteApp(app);
  await cloud.close();
}

test('no damage of a data folder crashes a start or loses data silently', () => {
  const seeds = Number(process.env['DAMAGE_SEEDS'] ?? 40);
  const first = Number(process.env['DAMAGE_FIRST_SEED'] ?? 1);
  const args = [program, template, join(folder, 'copies'), String(first), String(seeds)];
  const env = { ...process.env, NODE_PATH: join(__dirname, '../../../node_modules') };
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
  const outcomes = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Outcome);
  expect(outcomes).toHaveLength(seeds);
  // Damaged bytes of an object start, because a start does not read them. The full check names the object.
  expect(outcomes.filter(({ start, isReported }) => start === 'different' && !isReported)).toEqual([]);
  expect(outcomes.filter(({ start, change }) => start === 'different' && !change.includes('/blobs/'))).toEqual([]);
  expect(outcomes.filter(({ start, isReported }) => start === 'refused' && !isReported)).toEqual([]);
  for (const { start, sentence } of outcomes) {
    if (start === 'refused') expect(sentence).toMatch(/^[^\n]{20,600}$/);
  }
  const count = (wanted: Outcome['start']) => outcomes.filter(({ start }) => start === wanted).length;
  expect(count('refused')).toBeGreaterThan(seeds / 3);
  if (process.env['DAMAGE_SEEDS']) console.log(count('refused'), count('same'), count('different'));
});

describe('a start is refused with one sentence that names the file', () => {
  const change = (file: string, edit: (bytes: Buffer) => Buffer | string) => (dataDir: string) =>
    writeFileSync(join(dataDir, file), edit(readFileSync(join(dataDir, file))));
  const without = (file: string) => (dataDir: string) => rmSync(join(dataDir, file), { recursive: true });
  const at = (bytes: Buffer, offset: number, value: number) => (bytes.writeUInt32LE(value, offset), bytes);

  test.each<[string, (dataDir: string) => void, RegExp]>([
    ['an empty file', change('data.mdb', () => ''), /data\.mdb is empty/],
    ['a file of zeros', change('auth/data.mdb', (bytes) => bytes.fill(0)), /auth\/data\.mdb contains only zeros/],
    ['a file of another program', change('mail/data.mdb', () => 'SQLite format 3'), /another program wrote it/],
    ['a file of another version of LMDB', change('data.mdb', (bytes) => at(bytes, 28, 1)), /another version of LMDB/],
    [
      'a file that is cut off',
      change('data.mdb', (bytes) => bytes.subarray(0, bytes.length / 2)),
      /page \d+ is missing/,
    ],
    ['a file that is cut off in its header', change('data.mdb', (bytes) => bytes.subarray(0, 200)), /is cut off/],
    ['a missing file', without('storage/metadata/data.mdb'), /metadata\/data\.mdb is missing/],
    ['a missing folder', without('mail'), /mail\/data\.mdb is missing/],
    [
      'the file of another part',
      (dataDir) => cpSync(join(dataDir, 'auth'), join(dataDir, 'mail'), { recursive: true }),
      /belongs to another part \(auth\)/,
    ],
    ['a damaged header', change('auth/data.header', (bytes) => at(bytes, 20, 0)), /data\.header is damaged/],
    [
      'a newer header',
      change('data.header', () => headerOf({ program: 'decks local cloud', format: 2 })),
      /has format 2; this version reads format 1/,
    ],
    ['a missing secret', without('service-secret'), /service-secret is missing/],
    ['a changed secret', change('service-secret', (bytes) => bytes.fill('a')), /service-secret is damaged/],
    ['missing bytes of objects', without('storage/blobs'), /bytes of .+ are missing/],
  ])('%s', async (_, damageFolder, sentence) => {
    const dataDir = mkdtempSync(join(folder, 'refused-'));
    cpSync(template, dataDir, { recursive: true });
    damageFolder(dataDir);
    await expect(startAndStop(dataDir)).rejects.toThrow(sentence);
    // The failed start has changed nothing and has unlocked the folder.
    const message = await startAndStop(dataDir).catch((error: Error) => error.message);
    expect(message).toMatch(sentence);
    expect(message).not.toContain('\n');
    expect((await checkDataFolder(dataDir)).damage.join()).toMatch(sentence);
  });

  const headerOf = (content: object) => {
    const line = JSON.stringify(content);
    return `${line}\n${createHash('sha256').update(line).digest('hex')}\n`;
  };
});

test('the full check names damaged bytes of an object and a document that an index lacks', async () => {
  const dataDir = mkdtempSync(join(folder, 'checked-'));
  cpSync(template, dataDir, { recursive: true });
  expect(await checkDataFolder(dataDir)).toMatchObject({ damage: [] });
  const blobs = join(dataDir, 'storage', 'blobs');
  const [blob = ''] = readdirSync(blobs);
  const bytes = readFileSync(join(blobs, blob));
  bytes[0]! ^= 1;
  writeFileSync(join(blobs, blob), bytes);
  const file = DataFile.open(dataDir, {
    store: 'firestore',
    tables: [],
    isTemporary: false,
    pageSize: 8192,
    maxReaders: 126,
  });
  const index = file.table('index-2', bytesCodec);
  const [entry] = index.keys({ limit: 1 });
  file.transact(() => index.remove(entry!));
  await file.close();
  const { damage } = await checkDataFolder(dataDir);
  expect(damage).toHaveLength(2);
  expect(damage[0]).toMatch(/^Firestore: the document projects\/.+ is not in every index\.$/);
  expect(damage[1]).toMatch(/^Storage: the bytes of demo-decks\.firebasestorage\.app\/round-.+ are damaged/);
});

test.each([
  ['before its first header', (dataDir: string) => void rmSync(join(dataDir, 'data.header'), { force: true })],
  ['before its file was complete', (dataDir: string) => writeFileSync(join(dataDir, 'data.mdb'), Buffer.alloc(5000))],
  ['while it wrote a header', (dataDir: string) => writeFileSync(join(dataDir, 'data.header.draft'), '{"prog')],
])('a first start that was killed %s is started again', async (_, kill) => {
  const dataDir = mkdtempSync(join(folder, 'killed-'));
  mkdirSync(join(dataDir, 'storage'));
  writeHeader(join(dataDir, 'data.header'), { store: 'firestore', state: 'new' });
  kill(dataDir);
  await startAndStop(dataDir);
  expect((await checkDataFolder(dataDir)).damage).toEqual([]);
});

test('a record that is damaged while the file is open is refused when it is read', async () => {
  const dataDir = mkdtempSync(join(folder, 'open-'));
  const file = DataFile.open(dataDir, { store: 'test', tables: ['records'], isTemporary: false, maxReaders: 10 });
  const table = file.table('records', textCodec<string>());
  file.transact(() => table.put('key', 'a value that is easy to find'));
  expect(table.get('key')).toBe('a value that is easy to find');
  const path = join(dataDir, 'data.mdb');
  const handle = openSync(path, 'r+');
  writeSync(handle, 'A', readFileSync(path).indexOf('a value that'));
  closeSync(handle);
  expect(() => table.get('key')).toThrow(DamagedData);
  expect(() => [...table.range()]).toThrow(DamagedData);
  await file.close();
});

test('within its budget, a check reads the inner pages and notices a file that is cut off', () => {
  const file = join(mkdtempSync(join(folder, 'budget-')), 'data.mdb');
  const bytes = readFileSync(join(template, 'data.mdb'));
  writeFileSync(file, bytes);
  const full = checkPages(file, { isSealed: true });
  const quick = checkPages(file, { isSealed: true, leafBudgetBytes: 0 });
  expect(full).toMatchObject({ damage: [], read: full.pages });
  expect(quick.damage).toEqual([]);
  expect(quick.read).toBeLessThan(full.read / 5);
  writeFileSync(file, bytes.subarray(0, bytes.length / 2));
  expect(checkPages(file, { isSealed: true, leafBudgetBytes: 0 }).damage.join()).toContain('is missing');
});
