import { type Firestore } from 'firebase-admin/firestore';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { startFirestore } from '../../../local/firestore';
import { thePrograms } from './processes';
import { code, codeOf, connect, temporaryFolder } from './world';

const programs = thePrograms();
const folder = temporaryFolder();
const newFolder = () => mkdtempSync(join(folder, 'data-'));

/** Commits of three documents each, from several writers at once, until stopped. */
class Load {
  readonly acknowledged: number[] = [];
  attempted = 0;
  private isRunning = true;
  private onAcknowledged = () => {};
  private readonly writers: Promise<void>[];

  constructor(private readonly db: Firestore) {
    this.writers = Array.from({ length: 8 }, () => this.write());
  }

  parts(k: number) {
    return ['a', 'b', 'c'].map((part) => this.db.doc(`load/${k}${part}`));
  }

  /** Resolves when so many more commits have been acknowledged. */
  async reaches(more: number): Promise<void> {
    const goal = this.acknowledged.length + more;
    while (this.acknowledged.length < goal) await new Promise<void>((resolve) => (this.onAcknowledged = resolve));
  }

  stop(): Promise<unknown> {
    this.isRunning = false;
    return Promise.all(this.writers);
  }

  private async write(): Promise<void> {
    while (this.isRunning) {
      const k = this.attempted++;
      const batch = this.db.batch();
      for (const ref of this.parts(k)) batch.set(ref, { k, text: 'x'.repeat(500) });
      await batch.commit();
      this.acknowledged.push(k);
      this.onAcknowledged();
    }
  }
}

test('twelve times killed under load, the server loses nothing acknowledged and tears no commit', async () => {
  const dataDir = newFolder();
  let server = programs.server(dataDir);
  const port = Number(await server.nextLine());
  const db = connect(`127.0.0.1:${port}`);
  const load = new Load(db);
  let lost = 0;
  let torn = 0;
  let checked = 0;
  for (let round = 0; round < 12; round++) {
    await load.reaches(10 + 7 * round);
    const acknowledged = load.acknowledged.length;
    const attempted = load.attempted;
    await server.kill('SIGKILL');
    server = programs.server(dataDir, port);
    expect(Number(await server.nextLine())).toBe(port);
    for (let k = checked; k < attempted; k++) {
      const found = (await db.getAll(...load.parts(k))).filter((each) => each.get('k') === k).length;
      if (found % 3 !== 0) torn++;
    }
    for (const k of load.acknowledged.slice(0, acknowledged)) {
      if (k >= checked && (await db.getAll(...load.parts(k))).some((each) => !each.exists)) lost++;
    }
    checked = Math.max(0, attempted - 50);
  }
  await load.stop();
  const { count } = (await db.collection('load').where('k', '>=', 0).count().get()).data();
  expect({ lost, torn, count }).toEqual({ lost: 0, torn: 0, count: 3 * load.acknowledged.length });
  await db.terminate();
  await server.kill('SIGTERM');
}, 90_000);

test('a full disk answers an error and changes nothing; when there is room again, all goes on', async () => {
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
  expect(failure).toBe(code.internal);
  expect(written).toBeGreaterThan(2);

  const expectIntact = async (from: Firestore) => {
    const found = await from.collection('disk').select('i').get();
    expect(found.size).toBe(2 * written);
    expect((await from.collection('disk').where('i', '==', written).get()).empty).toBe(true);
    expect((await from.doc(`disk/${written - 1}b`).get()).get('i')).toBe(written - 1);
  };
  await expectIntact(db);
  await db.terminate();
  await limited.kill('SIGKILL');

  const server = await startFirestore({ dataDir });
  const again = connect(`127.0.0.1:${server.port}`);
  await expectIntact(again);
  await again.doc('disk/after').set({ i: -1 });
  expect((await again.doc('disk/after').get()).exists).toBe(true);
  await again.terminate();
  await server.close();
});

test('a data folder has one server at a time, and a killed one does not keep it', async () => {
  const dataDir = newFolder();
  const first = programs.server(dataDir);
  expect(await first.nextLine()).toMatch(/^\d+$/);
  await expect(startFirestore({ dataDir })).rejects.toThrow(/data folder .* is in use by process \d+/);
  await first.kill('SIGKILL');
  const second = await startFirestore({ dataDir });
  await expect(startFirestore({ dataDir })).rejects.toThrow(/is in use by process/);
  await second.close();
  await second.close();
  const third = await startFirestore({ dataDir });
  await third.close();
});

test('a port that is taken is refused by name, and the data folder stays free', async () => {
  const one = await startFirestore({ dataDir: newFolder() });
  const dataDir = newFolder();
  await expect(startFirestore({ dataDir, port: one.port })).rejects.toThrow(String(one.port));
  const two = await startFirestore({ dataDir });
  await Promise.all([one.close(), two.close()]);
});

test('closing answers what was accepted, keeps it, and does not wait for listeners or transactions', async () => {
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
  await db
    .runTransaction(async (transaction) => {
      await transaction.get(db.doc('kept/x'));
      await server.close();
    })
    .catch(() => {});
  stop();
  await db.terminate();
  const again = await startFirestore({ dataDir });
  const other = connect(`127.0.0.1:${again.port}`);
  expect((await other.doc('kept/x').get()).get('v')).toBe(1);
  await other.terminate();
  await again.close();
});
