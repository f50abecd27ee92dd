import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GRACE_MS } from '../../../functions/src/records/deletions';
import { startSchedules } from '../../../local/schedules';
import { passSeconds } from '../../support/clock';
import { buildInstance } from '../../support/instance';
import { runJob } from '../../support/jobs';
import { storeDocuments, storeObject } from '../../support/stored';
import { storedObjects } from '../../support/whole-store';
import { blob, sha256, world } from '../../support/world';
import { HOUR, aHalfDeletedDeck, aLeftSession, leftovers, owner, startDeleting } from './left-decks';

/** Deletions of large decks, deletions that are cut off, and the schedules of the jobs that finish them. */

startDeleting();

async function pastTheGrace(): Promise<void> {
  passSeconds(GRACE_MS / 1000 + 1);
  await runJob('finishDeletions');
}

/** Adds blob records, versions with their manifests, and real objects of the first blobs. */
async function seed(presentationId: string, blobs: number, versions: number, objects: number): Promise<void> {
  const deck = `presentations/${presentationId}`;
  const hashes = Array.from({ length: blobs }, (_, i) => sha256(String(i)));
  const contentType = 'text/plain';
  await storeDocuments(world.database, [
    ...hashes.map((hash) => [`${deck}/blobs/${hash}`, { sizeBytes: 1, contentType, createdAt: new Date() }] as const),
    ...Array.from({ length: versions - 1 }, (_, i) => i + 2).flatMap((version) => [
      [`${deck}/versions/${version}`, { version }] as const,
      ...[0, 1, 2].map((shard) => [`${deck}/manifestShards/${version}-${shard}`, { files: 'x'.repeat(1000) }] as const),
    ]),
  ]);
  const file = { bytes: Buffer.from('x'), contentType };
  await Promise.all(hashes.slice(0, objects).map((hash) => storeObject(world.cloud, presentationId, hash, file)));
}

const folder = mkdtempSync(join(tmpdir(), 'instance-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('an instance that is killed during a deletion leaves a hidden deck, which the scheduled function removes', async () => {
  await buildInstance(folder);
  const deck = await world.aDeck(owner);
  const { presentationId } = deck;
  const blobs = world.database.collection(`presentations/${presentationId}/blobs`);
  // A deletion removes 500 records, then queries the next 500.
  await seed(presentationId, 560, 1, 20);
  const last = (await blobs.get()).docs.at(-1)!.ref;
  const caller = JSON.stringify({ kind: 'organization', keyId: owner.keyId, userId: owner.userId });
  const input = JSON.stringify({ presentationId });
  const countLeft = async () => (await blobs.count().get()).data().count;
  await world.database.runTransaction(async (tx) => {
    // The deletion waits while this transaction locks the last record. Each read renews the lock.
    await tx.get(last);
    const program = spawn(process.execPath, [join(folder, 'instance.js'), 'deletePresentation', caller, input], {
      env: { ...process.env },
      stdio: 'inherit',
    });
    const exited = once(program, 'exit');
    while ((await countLeft()) > 100 && program.exitCode === null) await tx.get(last);
    program.kill('SIGKILL');
    expect((await exited)[1]).toBe('SIGKILL');
    // The database cancels the waiting call of a closed connection before it answers the next read.
    await tx.get(last);
  });
  const left = await countLeft();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(100);
  expect(await world.visit(world.viewUrl(deck))).toBe(404);
  expect((await world.upload(owner, deck, blob(5))).status).toBe(404);
  await pastTheGrace();
  expect(await leftovers()).toEqual([]);
});

test('a deck of ten thousand files and two hundred versions is deleted in one call, which reads each document once and deletes it once', async () => {
  const { presentationId } = await world.aDeck(owner);
  await seed(presentationId, 9_999, 200, 300);
  const documents = 10_000 + 4 * 200;
  const cost = await world.costOf(async () => {
    const { data } = await world.call('deletePresentation', { presentationId }, { key: owner.key });
    expect(data).toMatchObject({ versionsDeleted: 200, assetsDeleted: 10_000 });
  });
  expect(cost.documentReads).toBeLessThan(documents + 50);
  expect(cost.documentWrites).toBeLessThan(documents + 20);
  expect(cost.storageCalls).toBeLessThan(301 + 10);
  expect(await storedObjects(`presentations/${presentationId}/`)).toEqual([]);
  // The last sweep finds nothing and is cheap.
  const sweep = await world.costOf(pastTheGrace);
  expect(sweep.roundTrips).toBeLessThanOrEqual(6);
  expect(sweep.storageCalls).toBe(2);
  expect(await leftovers()).toEqual([]);
});

test('a session that was never committed is gone within 2 hours by the schedules of the jobs, and so is a deletion that was cut off', async () => {
  await aHalfDeletedDeck();
  await aLeftSession();
  passSeconds(HOUR);
  const schedules = startSchedules({ functions: world.functions, baseUrl: world.cloud.baseUrl, log: () => {} });
  for (let minutes = 0; minutes < 120; minutes += 10) {
    passSeconds(600);
    await schedules.runDue();
  }
  await schedules.close();
  expect(await leftovers()).toEqual([]);
});
