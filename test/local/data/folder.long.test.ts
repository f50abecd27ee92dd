import { spawnSync, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import type { Firestore } from 'firebase-admin/firestore';
import { getStorage } from 'firebase-admin/storage';
import { Resend } from 'resend';
import type { IndexFile } from '../../../local/firestore';
import { code, codeOf, connect, startFixture } from '../firestore/fixture';
import { aFolder } from '../folders';
import { BUCKET } from '../storage/fixture';
import { fillDataFolder } from './fixture';
import { killedUnderLoad } from './kills';
import { buildProgram, programOf, startCloud } from './processes';
import type { Outcome } from './programs/damage';

const template = aFolder();
buildProgram('damage');
buildProgram('cloud');
beforeAll(() => fillDataFolder(template));

test('no damage of a data folder crashes a start or loses data silently', () => {
  const seeds = Number(process.env['DAMAGE_SEEDS'] ?? 40);
  const first = Number(process.env['DAMAGE_FIRST_SEED'] ?? 1);
  const args = [programOf('damage'), template, join(aFolder(), 'copies'), String(first), String(seeds)];
  const options = { encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, options);
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
  const lines = stdout.trim().split('\n');
  const outcomes = lines.map((line) => JSON.parse(line) as Outcome);
  expect(outcomes).toHaveLength(seeds);
  // Damaged bytes of an object start, because a start does not read them. The full check names the object.
  const different = outcomes.filter(({ start }) => start === 'different');
  expect(different.filter(({ change, isReported }) => change.includes('/blobs/') && !isReported)).toEqual([]);
  // An older state of a page has valid checksums. Nothing else is lost silently.
  const isKnown = ({ change }: Outcome) => change.includes('/blobs/') || change.startsWith('old page');
  expect(different.filter((outcome) => !isKnown(outcome))).toEqual([]);
  expect(outcomes.filter(({ start, isReported }) => start === 'refused' && !isReported)).toEqual([]);
  const sentences = outcomes.filter(({ start }) => start === 'refused').map(({ sentence }) => sentence);
  expect(sentences.filter((sentence) => !/^[^\n]{20,600}$/.test(sentence))).toEqual([]);
  expect(sentences.length).toBeGreaterThan(seeds / 3);
});

test('a local cloud that is killed twelve times under load keeps every acknowledged write, and no write in part', async () => {
  expect(await killedUnderLoad(12)).toEqual({ damage: [], lost: [], torn: [], isEnough: true });
});

/** Calls `write` until it fails. Returns the number of successes and the failure. */
async function fill(write: (i: number) => Promise<unknown>) {
  for (let written = 0; written < 200; written++) {
    const failure = await failureOf(write(written));
    if (failure) return { written, failure };
  }
  throw new Error('The disk was never full.');
}

const failureOf = async (promise: Promise<unknown>) => promise.then(() => undefined).catch((error: Error) => error);

/** The command that changes a limit of a running process. Only Linux has it. */
const canLift = spawnSync('prlimit', ['--version']).status === 0;

test('on a full disk every write fails at once and whole, reads continue, and writes succeed again with space', async () => {
  const dataDir = aFolder();
  const { pid, addresses, kill } = await startCloud(dataDir, { fileBlocks: 2001 });
  const db = connect(addresses.firestoreHost);
  process.env['STORAGE_EMULATOR_HOST'] = `http://${addresses.storageHost}`;
  process.env['FIREBASE_AUTH_EMULATOR_HOST'] = addresses.authHost;
  const app = initializeApp({ projectId: 'demo-decks' }, 'full-disk');
  const [auth, bucket] = [getAuth(app), getStorage(app).bucket(BUCKET)];
  const resend = new Resend('re_local', { baseUrl: addresses.mailUrl });
  const text = 'x'.repeat(100_000);
  const full = expect.stringContaining('Free disk space') as string;
  let runs = 0;

  const commitTwo = (i: number) =>
    db.runTransaction(async (transaction) => {
      runs++;
      await transaction.get(db.doc(`disk/${i}a`));
      for (const part of ['a', 'b']) transaction.set(db.doc(`disk/${i}${part}`), { i, text });
    });
  const upload = (name: string, size: number, resumable = false) => {
    // The session of a resumable upload still fits.
    const metadata = size > 1 ? {} : { metadata: { text: text.slice(0, 7000) } };
    return bucket.file(name).save(Buffer.alloc(size, 1), { resumable, metadata });
  };
  const createUser = (i: number) => auth.createUser({ uid: `user-${i}`, displayName: text });
  const send = async (i: number) => {
    const mail = { from: 'a@example.com', to: 'b@example.com', subject: String(i), text };
    const { error } = await resend.emails.send(mail);
    if (error) throw Object.assign(new Error(error.message), error);
  };

  const documents = await fill(commitTwo);
  expect(documents.failure).toMatchObject({ code: code.failedPrecondition, message: full });
  expect(documents.written).toBeGreaterThan(2);
  // The SDK did not retry.
  expect(runs).toBe(documents.written + 1);
  const expectWhole = async (from: Firestore) => {
    const { docs } = await from.collection('disk').select('i').get();
    const twice = Array.from({ length: documents.written }, (_, i) => [i, i]).flat();
    expect(docs.map((each) => each.get('i') as number).sort((a, b) => a - b)).toEqual(twice);
  };
  await expectWhole(db);
  // The writes of one call share a disk transaction. One that is too large for the disk does not fail the other.
  const writer = db.bulkWriter({ throttling: false });
  writer.onWriteError(() => false);
  const large = codeOf(writer.set(db.doc('beside/large'), { text: text.repeat(9) }));
  const small = codeOf(writer.set(db.doc('beside/small'), { i: 1 }));
  await writer.close();
  expect(await Promise.all([large, small])).toEqual([code.failedPrecondition, undefined]);

  const objects = await fill((i) => upload(`small-${i}`, 1));
  const users = await fill(createUser);
  const mails = await fill(send);
  for (const resumable of [false, true])
    expect(await failureOf(upload('large', 3_000_000, resumable))).toMatchObject({ code: 507 });
  expect(objects.failure).toMatchObject({ code: 507, message: full });
  expect(users.failure).toMatchObject({ message: full });
  expect(mails.failure).toMatchObject({ statusCode: 507, message: full });

  // Reads
  await expectWhole(db);
  expect((await bucket.getFiles({ prefix: 'small-' }))[0]).toHaveLength(objects.written);
  expect((await bucket.file('small-0').download())[0]).toHaveLength(1);
  expect((await auth.getUser(`user-${users.written - 1}`)).displayName).toHaveLength(text.length);
  expect((await auth.listUsers()).users).toHaveLength(users.written);
  const inbox = (await (await fetch(`${addresses.mailUrl}/messages?limit=200`)).json()) as { messages: unknown[] };
  expect(inbox.messages).toHaveLength(mails.written);

  if (canLift) {
    execFileSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:']);
    await upload('small-again', 1);
    await upload('large', 3_000_000, true);
    expect((await bucket.file('large').download())[0]).toHaveLength(3_000_000);
    await createUser(users.written);
    await send(mails.written);
  }
  await Promise.all([db.terminate(), deleteApp(app)]);
  await kill();

  const again = await startFixture(dataDir);
  await expectWhole(again.db);
  expect((await again.db.doc('beside/small').get()).get('i')).toBe(1);
  await again.db.doc('disk/after').set({ i: documents.written });
  await again.stop();
});

test('a start that fails while it builds indexes on a full disk is repeated by the next start', async () => {
  const dataDir = aFolder();
  const exempt: IndexFile = { fieldOverrides: [{ collectionGroup: 'tagged', fieldPath: 'tags', indexes: [] }] };
  const fields = ['a', 'b', 'c'];
  const descending = (fieldPath: string) => ({ fieldPath, order: 'DESCENDING' as const });
  const tags = { fieldPath: 'tags', arrayConfig: 'CONTAINS' as const };
  const indexes = fields.map((field) => ({ collectionGroup: 'tagged', fields: [tags, descending(field)] }));
  const visit = async (file: IndexFile, action: (db: Firestore) => Promise<void>) => {
    const { db, stop } = await startFixture(dataDir, file);
    await action(db);
    await stop();
  };
  // 60 000 entries: several transactions, and more bytes than the limit. The documents have 0.3 MB.
  await visit(exempt, async (db) => {
    const tags = ['all', ...Array.from({ length: 999 }, (_, i) => `tag${i}`)];
    for (let i = 0; i < 20; i++) await db.doc(`tagged/${i}`).set({ tags, a: i, b: i % 7, c: -i });
  });
  await expect(startCloud(dataDir, { fileBlocks: 6000, indexes: { ...exempt, indexes } })).rejects.toThrow(/disk/);

  await visit({ ...exempt, indexes }, async (db) => {
    for (const field of fields) {
      const found = await db.collection('tagged').where('tags', 'array-contains', 'all').orderBy(field, 'desc').get();
      expect(new Set(found.docs.map(({ id }) => id)).size).toBe(20);
    }
  });
});
