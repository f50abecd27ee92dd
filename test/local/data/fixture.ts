import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { Firestore } from 'firebase-admin/firestore';
import { getStorage } from 'firebase-admin/storage';
import { Resend } from 'resend';
import { startLocalCloud } from '../../../local';
import { freePorts } from '../../../local/ports';

const loadFunctions = () => Promise.resolve({});
const start = (dataDir: string) => startLocalCloud({ dataDir, ports: freePorts, loadFunctions });

/** Starts a cloud that should not start: one that does must not keep the folder. */
export const startAndStop = async (dataDir: string) => (await start(dataDir)).close();

/** Writes to every part through its SDK, so that each file has pages of every kind and free pages. */
export async function fillDataFolder(dataDir: string, rounds = 3): Promise<void> {
  const cloud = await start(dataDir);
  const app = initializeApp({ projectId: 'demo-decks', storageBucket: 'demo-decks.firebasestorage.app' }, 'damage');
  const [auth, bucket] = [getAuth(app), getStorage(app).bucket()];
  const resend = new Resend('re_local', { baseUrl: cloud.mailUrl });
  const db = new Firestore({ projectId: 'demo-decks' });
  for (let round = 0; round < rounds; round++) {
    const batch = db.batch();
    for (let i = 0; i < 150; i++) {
      const text = 'x'.repeat(i % 30 === 0 ? 20_000 : i);
      batch.set(db.doc(`decks/${round}-${i}/parts/a`), { text, i, tags: ['a', String(i)], nested: { round } });
    }
    await batch.commit();
    await db.recursiveDelete(db.doc(`decks/${round}-7`));
    for (let i = 0; i < 6; i++) {
      await bucket.file(`round-${round % 2}/${i}`).save(`bytes ${round} ${i}`.repeat(1 + i * 50), { resumable: false });
      const email = `${round}-${i}@example.com`;
      await auth.createUser({ uid: `user-${round}-${i}`, email, displayName: 'x'.repeat(500) });
      const text = 'x'.repeat(i * 400);
      await resend.emails.send({ from: 'a@example.com', to: `${i}@example.com`, subject: `${round} ${i}`, text });
    }
    await auth.deleteUser(`user-${round}-3`);
  }
  await db.terminate();
  await deleteApp(app);
  await cloud.close();
}
