import { createHash, randomBytes, randomInt } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { startLocalCloud } from '../../../local';
import { checkDataFolder } from '../../../local/check';
import { freePorts } from '../../../local/ports';
import { DOCUMENTS, RawFirestore, ROOT } from '../../support/raw-firestore';
import { connect } from '../firestore/fixture';
import { aFolder } from '../folders';
import { BUCKET, bucketAt } from '../storage/fixture';
import { startCloud } from './processes';

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('base64');

async function post(url: string, body: unknown, method = 'POST') {
  const headers = { authorization: 'Bearer owner', 'content-type': 'application/json' };
  const answer = await fetch(url, { method, headers, body: Buffer.isBuffer(body) ? body : JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  const text = await answer.text();
  return { location: answer.headers.get('location'), body: (text ? JSON.parse(text) : undefined) as never };
}

/**
 * Writes to every part of a local cloud in another process, kills it in the middle, and starts it again, `kills` times.
 * Returns what a last start lacks of the acknowledged writes, and what it has of others in part or twice.
 */
export async function killedUnderLoad(kills: number) {
  const dataDir = aFolder();
  /** The keys of acknowledged commits, and the ids of acknowledged mails and users. */
  const [commits, mails, users] = [new Set<number>(), new Set<string>(), new Map<string, string>()];
  /** The hash of each object that was acknowledged, and of all tries, which have an answer or not. */
  const [objects, tries] = [new Map<string, string>(), new Map<string, Set<string>>()];
  let [key, acknowledged, resumables] = [0, 0, 0];

  for (let round = 0; round < kills; round++) {
    const { addresses, kill } = await startCloud(dataDir);
    const firestore = new RawFirestore(Number(addresses.firestoreHost.split(':')[1]));
    const killAt = acknowledged + randomInt(60, 120);
    let killed: Promise<unknown> | undefined;
    /** Repeats a write until the cloud does not answer. Every writer has a write in progress at the kill. */
    const repeat = async (write: (turn: number) => Promise<unknown>) => {
      for (let turn = 0; !killed; turn++) {
        await write(turn);
        if (++acknowledged === killAt) killed = kill();
      }
    };

    const commit = async () => {
      const k = key++;
      const fields = { k: { integerValue: String(k) }, text: { stringValue: 'x'.repeat(500) } };
      const writes = ['a', 'b', 'c'].map((part) => ({ update: { name: `${DOCUMENTS}/load/${k}${part}`, fields } }));
      const answer = await firestore.call('Commit', { database: ROOT, writes });
      if ('failure' in answer) throw new Error(answer.failure.message);
      commits.add(k);
    };
    /** A writer creates new names, and overwrites one name that no other writer uses. */
    const upload = (id: number) => async (turn: number) => {
      const name = turn % 3 === 0 ? `hot/${id}` : `cold/${round}/${id}/${turn}`;
      const bytes = randomBytes(randomInt(0, 400_000));
      tries.set(name, (tries.get(name) ?? new Set<string>()).add(md5(bytes)));
      const url = `http://${addresses.storageHost}/upload/storage/v1/b/${BUCKET}/o?name=${encodeURIComponent(name)}`;
      if (turn % 2 === 0) await post(`${url}&uploadType=media`, bytes);
      else {
        resumables++;
        await post((await post(`${url}&uploadType=resumable`, {})).location!, bytes, 'PUT');
        resumables--;
      }
      objects.set(name, md5(bytes));
    };
    const signUp = (id: number) => async (turn: number) => {
      const email = `u${round}-${id}-${turn}@example.com`;
      const path = 'identitytoolkit.googleapis.com/v1/projects/demo-decks/accounts';
      const { body } = await post(`http://${addresses.authHost}/${path}`, { email });
      users.set(email, (body as { localId: string }).localId);
    };
    const send = async (turn: number) => {
      const mail = { from: 'a@example.com', to: 'b@example.com', subject: `${round} ${turn}`, text: 'x' };
      const { body } = await post(`${addresses.mailUrl}/emails/batch`, [mail, mail]);
      for (const { id } of (body as { data: { id: string }[] }).data) mails.add(id);
    };
    const writers = [commit, commit, commit, upload(0), upload(1), upload(2), signUp(0), signUp(1), send];
    await Promise.allSettled(writers.map(repeat));
    await killed;
    firestore.close();
  }

  const { damage } = await checkDataFolder(dataDir);
  const cloud = await startLocalCloud({ dataDir, ports: freePorts, loadFunctions: () => Promise.resolve({}) });
  const db = connect(cloud.firestoreHost);
  const parts = new Map<number, number>();
  for (const each of (await db.collection('load').get()).docs) {
    const k = each.get('k') as number;
    parts.set(k, (parts.get(k) ?? 0) + 1);
  }
  const { bucket, release } = bucketAt(cloud.environment['STORAGE_EMULATOR_HOST']!);
  const [files] = await bucket.getFiles();
  const hashes = new Map(files.map(({ name, metadata }) => [name, metadata.md5Hash!]));
  const app = initializeApp({ projectId: 'demo-decks' }, 'kills');
  const accounts = (await getAuth(app).listUsers(1000)).users;
  const uids = new Map(accounts.map(({ email, uid }) => [email, uid]));
  const listed = await fetch(`${cloud.mailUrl}/messages?to=b@example.com&limit=1000`);
  const { messages } = (await listed.json()) as { messages: { id: string; subject: string }[] };
  const ids = new Set(messages.map(({ id }) => id));
  const subjects = new Set(messages.map(({ subject }) => subject));
  const strayFiles = readdirSync(join(dataDir, 'storage', 'blobs')).length - files.length;
  await Promise.all([db.terminate(), release(), deleteApp(app)]);
  await cloud.close();

  /** An overwritten name may have the bytes of a later try. */
  const isKept = ([name, hash]: [string, string]) =>
    name.startsWith('hot/') ? tries.get(name)!.has(hashes.get(name)!) : hashes.get(name) === hash;
  return {
    damage,
    lost: [
      ...[...commits].filter((k) => !parts.has(k)),
      ...[...objects].filter((each) => !isKept(each)),
      ...[...users].filter(([email, uid]) => uids.get(email) !== uid),
      ...[...mails].filter((id) => !ids.has(id)),
    ],
    torn: [
      ...[...parts].filter(([, count]) => count !== 3),
      ...[...hashes].filter(([name, hash]) => !tries.get(name)?.has(hash)),
      ...(uids.size === accounts.length ? [] : ['two users with one address']),
      ...(messages.length === 2 * subjects.size ? [] : ['half of a batch of mails']),
      // A file without an object belongs to a resumable upload that may continue.
      ...(strayFiles <= resumables ? [] : ['bytes without an object']),
    ],
    isEnough: [commits, objects, users, mails].every(({ size }) => size > 2 * kills),
  };
}
