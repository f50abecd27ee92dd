import type { Firestore } from 'firebase-admin/firestore';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type IndexFile, startFirestore } from '../../../local/firestore';
import { buildPrograms, killedUnderLoad } from './processes';
import { code, codeOf, connect, gate, temporaryFolder } from './fixture';

const programs = buildPrograms();
const folder = temporaryFolder();
const newFolder = () => mkdtempSync(join(folder, 'data-'));

test('a server that is killed under load keeps every acknowledged commit, and no partial commit', async () => {
  expect(await killedUnderLoad(programs, newFolder(), 2)).toEqual({ kills: 2, lost: 0, torn: 0 });
});

test('a commit on a full disk fails without a change; commits succeed again when there is space', async () => {
  const dataDir = newFolder();
  const limited = programs.serverWithFileLimit(dataDir, 4000);
  const db = connect(`127.0.0.1:${await limited.nextLine()}`);
  const part = (i: number, name: string) => db.doc(`disk/${i}${name}`);
  const fill = (i: number) => {
    const batch = db.batch();
    for (const name of ['a', 'b']) batch.set(part(i, name), { i, text: 'x'.repeat(100_000) });
    return codeOf(batch.commit());
  };
  let written = 0;
  let failure: number | undefined;
  while (written < 100 && (failure = await fill(written)) === undefined) written++;
  expect(failure).toBe(code.failedPrecondition);
  expect(written).toBeGreaterThan(2);

  const expectIntact = async (from: Firestore) => {
    const found = await from.collection('disk').select('i').get();
    expect(found.size).toBe(2 * written);
    expect((await from.collection('disk').where('i', '==', written).get()).empty).toBe(true);
    expect((await from.doc(`disk/${written - 1}b`).get()).get('i')).toBe(written - 1);
  };
  await expectIntact(db);
  // The writes of one call share a disk transaction. One that is too large for the disk does not fail the other.
  const writer = db.bulkWriter({ throttling: false });
  writer.onWriteError(() => false);
  const large = writer.set(db.doc('beside/large'), { text: 'x'.repeat(900_000) });
  const small = writer.set(db.doc('beside/small'), { i: written });
  const codes = Promise.all([codeOf(large), codeOf(small)]);
  await writer.close();
  expect(await codes).toEqual([code.failedPrecondition, undefined]);
  await expectIntact(db);
  await db.terminate();
  await limited.kill('SIGKILL');

  const server = await startFirestore({ dataDir });
  const again = connect(`127.0.0.1:${server.port}`);
  await expectIntact(again);
  expect((await again.doc('beside/small').get()).get('i')).toBe(written);
  await again.doc('disk/after').set({ i: -1 });
  expect((await again.doc('disk/after').get()).exists).toBe(true);
  await again.terminate();
  await server.close();
});

test('a start that fails while it builds indexes on a full disk is repeated by the next start', async () => {
  const dataDir = newFolder();
  const exempt: IndexFile = { fieldOverrides: [{ collectionGroup: 'tagged', fieldPath: 'tags', indexes: [] }] };
  const fields = ['a', 'b', 'c'];
  const indexed: IndexFile = {
    ...exempt,
    indexes: fields.map((fieldPath) => ({
      collectionGroup: 'tagged',
      fields: [
        { fieldPath: 'tags', arrayConfig: 'CONTAINS' },
        { fieldPath, order: 'DESCENDING' },
      ],
    })),
  };
  const visit = async (indexes: IndexFile, action: (db: Firestore) => Promise<void>) => {
    const server = await startFirestore({ dataDir, indexes });
    const db = connect(`127.0.0.1:${server.port}`);
    await action(db);
    await db.terminate();
    await server.close();
  };
  // 90 000 entries: several transactions, and more bytes than the limit. The documents have 0.4 MB.
  await visit(exempt, async (db) => {
    const tags = ['all', ...Array.from({ length: 999 }, (_, i) => `tag${i}`)];
    for (let i = 0; i < 30; i++) await db.doc(`tagged/${i}`).set({ tags, a: i, b: i % 7, c: -i });
  });
  expect(await programs.serverWithFileLimit(dataDir, 8000, indexed).nextLine()).toMatch(/disk/);

  await visit(indexed, async (db) => {
    for (const field of fields) {
      const found = await db.collection('tagged').where('tags', 'array-contains', 'all').orderBy(field, 'desc').get();
      expect(new Set(found.docs.map(({ id }) => id)).size).toBe(30);
    }
  });
});

test('the error for a port in use names the port, and the data file is closed', async () => {
  const one = await startFirestore({ dataDir: newFolder() });
  const dataDir = newFolder();
  await expect(startFirestore({ dataDir, port: one.port })).rejects.toThrow(String(one.port));
  const two = await startFirestore({ dataDir });
  await Promise.all([one.close(), two.close()]);
});

test('close answers and keeps accepted commits, and does not wait for listeners or transactions', async () => {
  const dataDir = newFolder();
  const server = await startFirestore({ dataDir });
  const db = connect(`127.0.0.1:${server.port}`);
  await db.doc('kept/x').set({ v: 1 });
  const stop = await new Promise<() => void>((resolve) => {
    const unsubscribe = db.collection('kept').onSnapshot(
      () => resolve(unsubscribe),
      () => {},
    );
  });
  const holding = gate();
  const held = db.runTransaction(async (transaction) => {
    await transaction.get(db.doc('kept/x'));
    holding.open();
    await gate().opened;
  });
  await Promise.race([holding.opened, held]);
  await server.close();
  stop();
  await db.terminate();
  const again = await startFirestore({ dataDir });
  const other = connect(`127.0.0.1:${again.port}`);
  expect((await other.doc('kept/x').get()).get('v')).toBe(1);
  await other.terminate();
  await again.close();
});
