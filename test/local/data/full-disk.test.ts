import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { Firestore } from 'firebase-admin/firestore';
import { getStorage } from 'firebase-admin/storage';
import { Resend } from 'resend';
import { codeOf } from '../firestore/fixture';

const folder = mkdtempSync(join(tmpdir(), 'full-disk-'));
const program = join(folder, 'parts.js');
const children: ChildProcess[] = [];

beforeAll(() => {
  const entry = join(__dirname, 'programs', 'parts.ts');
  buildSync({ entryPoints: [entry], outfile: program, bundle: true, platform: 'node', packages: 'external' });
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Addresses {
  firestore: string;
  storage: string;
  auth: string;
  mail: string;
}

/** Starts the parts with a limit on the size of a file. With SIGXFSZ ignored, a write beyond the limit fails. */
async function startLimited(dataDir: string): Promise<{ child: ChildProcess; addresses: Addresses }> {
  const script = `trap '' XFSZ; ulimit -S -f 2000; exec "$0" "$@"`;
  const env = {
    ...process.env,
    NODE_PATH: join(__dirname, '../../../node_modules'),
    METADATA_SERVER_DETECTION: 'none',
  };
  const child = spawn('sh', ['-c', script, process.execPath, program, dataDir], {
    env,
    // LMDB prints a line for each refused page.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, addresses: JSON.parse(line) as Addresses };
}

/** Calls `write` until it fails. Returns the number of successes and the failure. */
async function fill<Failure>(write: (i: number) => Promise<Failure | undefined>) {
  for (let written = 0; written < 200; written++) {
    const failure = await write(written);
    if (failure !== undefined) return { written, failure };
  }
  throw new Error('The disk was never full.');
}

const failureOf = (promise: Promise<unknown>): Promise<Error | undefined> =>
  promise.then(
    () => undefined,
    (error: Error) => error,
  );

/** The command that changes a limit of a running process. Only Linux has it. */
const canLift = spawnSync('prlimit', ['--version']).status === 0;

test('on a full disk every write fails at once, reads continue, and writes succeed again when there is space', async () => {
  const { child, addresses } = await startLimited(mkdtempSync(join(folder, 'data-')));
  Object.assign(process.env, {
    METADATA_SERVER_DETECTION: 'none',
    FIRESTORE_EMULATOR_HOST: addresses.firestore,
    FIREBASE_AUTH_EMULATOR_HOST: addresses.auth,
    STORAGE_EMULATOR_HOST: addresses.storage,
  });
  const db = new Firestore({ projectId: 'demo-decks' });
  const app = initializeApp({ projectId: 'demo-decks', storageBucket: 'decks' }, 'full-disk');
  const bucket = getStorage(app).bucket();
  const auth = getAuth(app);
  const resend = new Resend('re_local', { baseUrl: addresses.mail });
  const text = 'x'.repeat(100_000);
  let runs = 0;

  const writeInTransaction = (i: number) =>
    db.runTransaction(async (transaction) => {
      runs++;
      await transaction.get(db.doc(`disk/${i}`));
      transaction.set(db.doc(`disk/${i}`), { text });
    });
  const upload = (name: string, size: number, resumable: boolean) =>
    bucket.file(name).save(Buffer.alloc(size, 1), { resumable, metadata: { metadata: { text: text.slice(0, 7000) } } });
  const createUser = (i: number) => auth.createUser({ uid: `user-${i}`, displayName: text });
  const send = async (i: number) => {
    const mail = { from: 'a@example.com', to: 'b@example.com', subject: String(i), text };
    return (await resend.emails.send(mail)).error ?? undefined;
  };

  const documents = await fill((i) => failureOf(writeInTransaction(i)));
  expect(documents.failure).toMatchObject({ code: 9, message: expect.stringContaining('Free disk space') });
  // The SDK did not retry.
  expect(runs).toBe(documents.written + 1);
  expect(await codeOf(db.doc('disk/other').set({ text }))).toBe(9);

  const objects = await fill((i) => failureOf(upload(`small-${i}`, 1, false)));
  const users = await fill((i) => failureOf(createUser(i)));
  const mails = await fill(send);
  await upload('before', 1000, false).catch(() => undefined);
  for (const resumable of [false, true]) {
    expect(await failureOf(upload('large', 3_000_000, resumable))).toMatchObject({ code: 507 });
  }
  expect(objects.failure).toMatchObject({ code: 507, message: expect.stringContaining('Free disk space') });
  expect(users.failure).toMatchObject({ message: expect.stringContaining('Free disk space') });
  expect(mails.failure).toMatchObject({ statusCode: 507, message: expect.stringContaining('Free disk space') });

  // Reads
  expect((await db.collection('disk').select().get()).size).toBe(documents.written);
  expect((await bucket.getFiles({ prefix: 'small-' }))[0]).toHaveLength(objects.written);
  expect((await bucket.file('small-0').download())[0]).toHaveLength(1);
  expect((await auth.getUser(`user-${users.written - 1}`)).displayName).toHaveLength(text.length);
  expect((await auth.listUsers()).users).toHaveLength(users.written);
  const inbox = (await (await fetch(`${addresses.mail}/messages?limit=200`)).json()) as { messages: unknown[] };
  expect(inbox.messages).toHaveLength(mails.written);

  if (canLift) {
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:']);
    await writeInTransaction(documents.written);
    await upload('small-again', 1, false);
    await upload('large', 3_000_000, true);
    expect((await bucket.file('large').download())[0]).toHaveLength(3_000_000);
    await createUser(users.written);
    expect(await send(mails.written)).toBeUndefined();
  }
  await db.terminate();
  await deleteApp(app);
});
