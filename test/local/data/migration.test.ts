import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { Firestore } from 'firebase-admin/firestore';
import { getStorage } from 'firebase-admin/storage';
import { open } from 'lmdb';
import { startLocalCloud } from '../../../local';
import { checkDataFolder } from '../../../local/check';
import { documentKey, parseDocumentName } from '../../../local/firestore/names';
import { StoredDocument } from '../../../local/firestore/store';
import { Digest } from '../../../local/storage/digest';

const dataDir = mkdtempSync(join(tmpdir(), 'migration-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const BUCKET = 'demo-decks.firebasestorage.app';
/** More than one transaction of the migration copies. */
const DOCUMENTS = 2500;
const CREATED = 1.7e15;

/** Writes a data folder as it was before records had checksums and files had headers. */
async function writeOldFolder(): Promise<void> {
  const binary = { keyEncoding: 'binary', encoding: 'binary' } as const;
  const common = { noSubdir: false, overlappingSync: false, noSync: true } as const;
  const firestore = open({ path: dataDir, pageSize: 8192, ...binary, ...common });
  const documents = firestore.openDB<Buffer, Buffer>('documents', binary);
  firestore.transactionSync(() => {
    for (let i = 0; i < DOCUMENTS; i++) {
      const name = `projects/demo-decks/databases/(default)/documents/decks/${i}`;
      const key = documentKey(parseDocumentName(name));
      const fields = { i: { integerValue: String(i) } };
      documents.putSync(key, StoredDocument.create(key, name, fields, CREATED, CREATED + i).stored);
    }
  });
  const lastCommit = Buffer.alloc(8);
  lastCommit.writeDoubleBE(CREATED + DOCUMENTS);
  const meta = firestore.openDB<Buffer, Buffer>('meta', binary);
  meta.putSync(Buffer.from('last commit'), lastCommit);
  meta.putSync(Buffer.from('indexes'), Buffer.from(JSON.stringify({ format: 1, file: {} })));
  for (const name of ['index', 'history'])
    firestore.openDB(name, binary).putSync(Buffer.from('old'), Buffer.from('old'));
  await firestore.close();

  const storage = join(dataDir, 'storage');
  mkdirSync(join(storage, 'blobs'), { recursive: true });
  writeFileSync(join(storage, 'blobs', 'one'), 'bytes');
  const digest = new Digest();
  digest.update(Buffer.from('bytes'));
  const metadata = open({ path: join(storage, 'metadata'), ...common });
  const time = new Date(CREATED / 1000).toISOString();
  const object = {
    bucket: BUCKET,
    name: 'a',
    file: 'one',
    size: 5,
    ...digest.hashes(),
    generation: 7,
    metageneration: 2,
  };
  const objects = metadata.openDB({ name: 'objects', keyEncoding: 'binary' });
  objects.putSync(Buffer.from(`${BUCKET}\0a`), {
    ...object,
    componentCount: undefined,
    timeCreated: time,
    updated: time,
  });
  metadata.openDB({ name: 'counters' }).putSync('generation', 8e15);
  await metadata.close();

  const auth = open({ path: join(dataDir, 'auth'), ...common });
  auth.openDB({ name: 'accounts' }).putSync('ada', { localId: 'ada', email: 'ada@example.com', createdAt: '1' });
  auth.openDB({ name: 'handles' }).putSync(['email', 'ada@example.com'], 'ada');
  await auth.close();

  const mail = open({ path: join(dataDir, 'mail'), ...common });
  const message = { id: 'm', from: 'a@example.com', to: ['b@example.com'], subject: 'Hello', html: null, text: 'x' };
  const rest = { headers: {}, cc: [], bcc: [], replyTo: [], tags: [], attachments: [], lastEvent: 'delivered' };
  mail.openDB({ name: 'messages' }).putSync(3, { ...message, ...rest, createdAt: time });
  mail.openDB({ name: 'numbers' }).putSync('m', 3);
  mail.openDB({ name: 'byRecipient' }).putSync(['b@example.com', 3], true);
  await mail.close();
}

test('data from before checksums stays readable, also after a start that was killed while it added them', async () => {
  await writeOldFolder();
  expect((await checkDataFolder(dataDir)).damage).toEqual([]);
  // Without its header, a file is migrated again.
  for (const _ of ['first start', 'start after a kill']) {
    rmSync(join(dataDir, 'data.header'), { force: true });
    rmSync(join(dataDir, 'auth', 'data.header'), { force: true });
    const ports = { functions: 0, hosting: 0, decks: 0, firestore: 0, storage: 0, auth: 0, mail: 0 };
    const cloud = await startLocalCloud({ dataDir, ports, loadFunctions: () => Promise.resolve({}) });
    const app = initializeApp({ projectId: 'demo-decks', storageBucket: BUCKET }, 'migration');
    const db = new Firestore({ projectId: 'demo-decks' });
    expect((await db.collection('decks').count().get()).data().count).toBe(DOCUMENTS);
    const [last] = (await db.collection('decks').orderBy('i', 'desc').limit(1).get()).docs;
    expect(last!.get('i')).toBe(DOCUMENTS - 1);
    expect(last!.updateTime.toMillis()).toBe(Math.floor((CREATED + DOCUMENTS - 1) / 1000));
    const file = getStorage(app).bucket().file('a');
    expect((await file.download())[0].toString()).toBe('bytes');
    expect((await file.getMetadata())[0]).toMatchObject({ generation: '7', metageneration: '2' });
    expect((await getAuth(app).getUserByEmail('ada@example.com')).uid).toBe('ada');
    const inbox = await (await fetch(`${cloud.mailUrl}/messages?to=b@example.com`)).json();
    expect(inbox).toMatchObject({ messages: [{ id: 'm', subject: 'Hello', text: 'x' }] });
    await db.terminate();
    await deleteApp(app);
    await cloud.close();
    expect((await checkDataFolder(dataDir)).damage).toEqual([]);
  }
});
