import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as functions from '../../../functions/src/index';
import { GRACE_MS } from '../../../functions/src/records/deletions';
import { hashKey, mintKey } from '../../../functions/src/values/keys';
import { buildInstance } from '../../support/instance';
import { passSeconds } from '../../support/clock';
import { endpoints } from '../../support/endpoints';
import { runJob } from '../../support/jobs';
import { storeDocuments, storeObject } from '../../support/stored';
import { bucket, everythingStored, storedObjects } from '../../support/whole-store';
import { blob, page, sha256, succeed, World, type Account, type Answered, type Deck } from '../../support/world';

interface Deleted {
  presentationId: string;
  deleted: boolean;
  versionsDeleted: number;
  assetsDeleted: number;
  collaboratorsDeleted: number;
  listingSlug: string | null;
}

const GRACE = GRACE_MS / 1000 + 1;

let world: World;
let owner: Account;
let before: string[];

beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner('enterprise');
});
beforeEach(async () => {
  before = await everythingStored(world);
});
afterAll(() => world.stop());

const remove = (presentationId: string, key = owner.key) =>
  world.call<Deleted>('deletePresentation', { presentationId }, { key });
const deckPath = (deck: Pick<Deck, 'presentationId'>) => `presentations/${deck.presentationId}`;
/**
 * The documents and objects that the test added, without the mail window of the organization and the records and
 * keys of recipients, which are not part of a deck.
 */
const leftovers = async () => {
  const known = new Set([...before, `mailWindows/${owner.organizationId}`]);
  return (await everythingStored(world)).filter(
    (name) => !known.has(name) && !/^(mailRecipients|recipientKeys)\//.test(name),
  );
};
const pastTheGrace = async () => {
  passSeconds(GRACE);
  await runJob('finishDeletions');
};

/** A deck with documents in every collection of a deck. */
async function aFullDeck(): Promise<Deck> {
  const deck = await world.aDeck(owner, [page('one'), blob(10)]);
  const { presentationId } = deck;
  await world.uploadAll(owner, { presentationId }, [page('two')]);
  await succeed(world.commit(owner, { presentationId }, [page('two')]));
  await succeed(world.call('addPresentationToken', { presentationId, tokenName: 'x' }, { key: owner.key }));
  const invitation = { presentationId, email: `dev-${presentationId}@example.org` };
  await succeed(world.call('inviteCollaborator', invitation, { key: owner.key }));
  await world.visit(world.viewUrl(deck));
  return deck;
}

describe('deleting a deck', () => {
  test('leaves nothing in the whole store except for the note for the last sweep, and after that sweep nothing', async () => {
    const deck = await aFullDeck();
    // Collections that the code does not know, and documents whose parent is missing.
    await world.database.doc(`${deckPath(deck)}/novelties/a`).set({ n: 1 });
    await world.database.doc(`${deckPath(deck)}/novelties/none/below/a`).set({ n: 1 });
    expect(await succeed(remove(deck.presentationId))).toEqual({
      presentationId: deck.presentationId,
      deleted: true,
      versionsDeleted: 2,
      assetsDeleted: 3,
      collaboratorsDeleted: 1,
      listingSlug: null,
    });
    expect(await leftovers()).toEqual([`deletions/${deck.presentationId}`]);
    await runJob('finishDeletions');
    expect(await leftovers()).toEqual([`deletions/${deck.presentationId}`]);
    await pastTheGrace();
    expect(await leftovers()).toEqual([]);
  });

  test('touches no other deck, even one whose id has the same prefix', async () => {
    const deck = await aFullDeck();
    const other = await aFullDeck();
    const sibling = `presentations/${deck.presentationId}0/blobs/${'a'.repeat(64)}`;
    await bucket().file(sibling).save('x', onceOnly);
    const mine = (names: string[]) => names.filter((name) => name.includes(deck.presentationId + '/'));
    const others = (await everythingStored(world)).filter((name) => !mine([name]).length && name !== deckPath(deck));
    await succeed(remove(deck.presentationId));
    await pastTheGrace();
    expect(await everythingStored(world)).toEqual(others);
    expect(await world.visit(world.viewUrl(other))).toBe(200);
    await bucket().file(sibling).delete();
  });

  test('hides it from every call at once, and from every list', async () => {
    const deck = await aFullDeck();
    const { presentationId } = deck;
    await succeed(remove(presentationId));
    const { key } = owner;
    const entry = sha256(page('two').bytes);
    const calls = [
      world.call('listPresentationVersions', undefined, { key, query: { presentationId } }),
      world.call('getSharedPresentationInfo', undefined, { key, query: { presentationId } }),
      world.call('downloadPresentationAsset', undefined, { key, query: { presentationId, sha256: entry } }),
      world.call('precheckAssets', { presentationId, hashes: [] }, { key }),
      world.upload(owner, { presentationId }, page('two')),
      world.commit(owner, { presentationId }, [page('two')]),
      world.call('restorePresentationVersion', { presentationId, version: 1 }, { key }),
      world.call('addPresentationToken', { presentationId, tokenName: 'y' }, { key }),
      world.call('unsharePresentation', { presentationId, all: true }, { key }),
      world.call('setPresentationExpiry', { presentationId, expiresAt: null }, { key }),
      world.call('listCollaborators', { presentationId }, { key }),
    ];
    for (const { status } of await Promise.all(calls)) expect(status).toBe(404);
    expect(await world.visit(world.viewUrl(deck))).toBe(404);
    expect(await world.visit(world.viewUrl(deck, 'index.html'))).toBe(404);
    const listed = await world.call<{ presentations: { id: string }[] }>('listMyPresentations', undefined, { key });
    expect(listed.data.presentations.map(({ id }) => id)).not.toContain(presentationId);
  });

  test('gives the owner the same answer again until the last sweep, and a stranger 404', async () => {
    const { presentationId } = await aFullDeck();
    const stranger = await world.anOwner();
    expect((await remove(presentationId, stranger.key)).status).toBe(403);
    await succeed(remove(presentationId));
    expect(await succeed(remove(presentationId))).toMatchObject({
      deleted: true,
      versionsDeleted: 0,
      assetsDeleted: 0,
    });
    expect((await remove(presentationId, stranger.key)).status).toBe(404);
    await pastTheGrace();
    expect((await remove(presentationId)).status).toBe(404);
  });

  test('is allowed to an admin key and records that key', async () => {
    const { presentationId } = await aFullDeck();
    const raw = mintKey('admin');
    const own = (await world.database.doc(`apiKeys/${hashKey(owner.key)}`).get()).data()!;
    const admin = { ...own, kind: 'admin', keyId: 'the-operator', organizationId: null, userId: null };
    await world.database.doc(`apiKeys/${hashKey(raw)}`).set(admin);
    expect((await succeed(remove(presentationId, raw))).versionsDeleted).toBe(2);
    expect((await world.database.doc(`deletions/${presentationId}`).get()).get('deletedBy')).toBe('the-operator');
    expect((await succeed(remove(presentationId, raw))).versionsDeleted).toBe(0);
  });

  test('by two parallel calls succeeds in both, and together they count everything once', async () => {
    const { presentationId } = await aFullDeck();
    const both = await Promise.all([succeed(remove(presentationId)), succeed(remove(presentationId))]);
    const sum = (of: (one: Deleted) => number) => both.reduce((total, one) => total + of(one), 0);
    expect([sum((d) => d.versionsDeleted), sum((d) => d.assetsDeleted), sum((d) => d.collaboratorsDeleted)]).toEqual([
      2, 3, 1,
    ]);
    await pastTheGrace();
    expect(await leftovers()).toEqual([]);
  });
});

describe('a call that races with a deletion', () => {
  /**
   * The possible results of each call, depending on the order of call and deletion. In ended-uploads and ended-commits
   * the order is fixed.
   */
  const outcomes = {
    // A commit that has read the deck may find its files deleted.
    commit: ['ok', 'not-found', 'blobs-missing'],
    upload: ['ok', 'not-found'],
    addToken: ['ok', 'not-found'],
    visit: [200, 404],
  };

  test('succeeds before it or finds no deck, and the store is empty in the end', async () => {
    for (let round = 0; round < 6; round++) {
      const deck = await aFullDeck();
      const { presentationId } = deck;
      const codeOf = async (answer: Promise<Answered<unknown>>) => (await answer).body.error?.code ?? 'ok';
      const token = { presentationId, tokenName: 'z' };
      const others: [keyof typeof outcomes, () => Promise<string | number>][] = [
        ['commit', () => codeOf(world.commit(owner, { presentationId }, [page('two')]))],
        ['upload', () => codeOf(world.upload(owner, { presentationId }, blob(20)))],
        ['upload', () => codeOf(world.upload(owner, { presentationId }, blob(20)))],
        ['addToken', () => codeOf(world.call('addPresentationToken', token, { key: owner.key }))],
        ['visit', () => world.visit(world.viewUrl(deck))],
      ];
      const start = ([name, call]: (typeof others)[number]) => call().then((outcome) => [name, outcome] as const);
      const before = others.slice(0, round).map(start);
      const deleting = remove(presentationId);
      const answers = await Promise.all([...before, ...others.slice(round).map(start)]);
      expect((await deleting).status).toBe(200);
      const wrong = answers.filter(([name, outcome]) => !(outcomes[name] as unknown[]).includes(outcome));
      expect(wrong).toEqual([]);
    }
    await pastTheGrace();
    expect(await leftovers()).toEqual([]);
  });

  test('and writes after everything was removed leaves nothing after the last sweep', async () => {
    const deck = await aFullDeck();
    const { presentationId } = deck;
    const counter = (await world.database.collection(`${deckPath(deck)}/viewCounters`).listDocuments())[0]!;
    await succeed(remove(presentationId));
    const late = blob(30);
    await bucket()
      .file(`${deckPath(deck)}/blobs/${sha256(late.bytes)}`)
      .save(late.bytes, onceOnly);
    await world.database.doc(`${deckPath(deck)}/blobs/${sha256(late.bytes)}`).create({ sizeBytes: 30 });
    await counter.set({ views: 1 }, { merge: true });
    await bucket().file(`quarantine/${presentationId}/late`).save('x', onceOnly);
    expect(await leftovers()).toHaveLength(5);
    await pastTheGrace();
    expect(await leftovers()).toEqual([]);
  });

  test('must end before the last sweep: every function times out earlier', () => {
    const timeouts = Object.keys(endpoints).map((name) => {
      const { __endpoint } = functions[name as 'precheckAssets'] as unknown as {
        __endpoint: { timeoutSeconds: number };
      };
      return __endpoint.timeoutSeconds;
    });
    for (const timeout of timeouts) expect(timeout).toBeLessThan(GRACE_MS / 1000 - 60);
  });
});

describe('when the instance stops during a deletion', () => {
  const folder = mkdtempSync(join(tmpdir(), 'instance-'));
  beforeAll(() => buildInstance(folder));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A deck whose deletion was started and killed, and the number of its remaining blob records. */
  async function aHalfDeletedDeck(): Promise<Deck & { left: number }> {
    const deck = await aFullDeck();
    const blobs = world.database.collection(`${deckPath(deck)}/blobs`);
    // A deletion removes 500 records, then queries the next 500.
    await seed(deck, 560, 1, 20);
    const last = (await blobs.get()).docs.at(-1)!.ref;
    const caller = JSON.stringify({ kind: 'organization', keyId: owner.keyId, userId: owner.userId });
    const input = JSON.stringify({ presentationId: deck.presentationId });
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
    return { ...deck, left };
  }

  test('the deck is hidden from every caller, and the scheduled function removes the rest', async () => {
    const deck = await aHalfDeletedDeck();
    expect(await world.visit(world.viewUrl(deck))).toBe(404);
    expect((await world.upload(owner, deck, blob(5))).status).toBe(404);
    await pastTheGrace();
    expect(await leftovers()).toEqual([]);
  });

  test('calling again removes the rest and counts it', async () => {
    const { presentationId, left } = await aHalfDeletedDeck();
    expect((await succeed(remove(presentationId))).assetsDeleted).toBe(left);
    expect(await leftovers()).toEqual([`deletions/${presentationId}`]);
    // Two overlapping runs must both succeed.
    passSeconds(GRACE);
    await Promise.all([runJob('finishDeletions'), runJob('finishDeletions')]);
    expect(await leftovers()).toEqual([]);
  });
});

describe('a deck of ten thousand files and two hundred versions', () => {
  test('is deleted in one call, which reads each document once and deletes it once', async () => {
    const deck = await world.aDeck(owner);
    await seed(deck, 9_999, 200, 300);
    const documents = 10_000 + 4 * 200;
    const cost = await world.costOf(async () => {
      const deleted = await succeed(remove(deck.presentationId));
      expect(deleted).toMatchObject({ versionsDeleted: 200, assetsDeleted: 10_000 });
    });
    expect(cost.documentReads).toBeLessThan(documents + 50);
    expect(cost.documentWrites).toBeLessThan(documents + 20);
    expect(cost.storageCalls).toBeLessThan(301 + 10);
    expect(await storedObjects(deckPath(deck))).toEqual([]);
    // The last sweep finds nothing and is cheap.
    const sweep = await world.costOf(pastTheGrace);
    expect(sweep.roundTrips).toBeLessThanOrEqual(6);
    expect(sweep.storageCalls).toBe(2);
    expect(await leftovers()).toEqual([]);
  });
});

/** The library retries an upload after a lost connection only when the upload has a precondition. */
const onceOnly = { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } };

/** Adds blob records, versions with their manifests, and real objects of the first blobs. */
async function seed(deck: Deck, blobs: number, versions: number, objects: number): Promise<void> {
  const hashes = Array.from({ length: blobs }, (_, i) => sha256(String(i)));
  const blob = { sizeBytes: 1, contentType: 'text/plain', createdAt: new Date() };
  await storeDocuments(world.database, [
    ...hashes.map((hash) => [`${deckPath(deck)}/blobs/${hash}`, blob] as const),
    ...Array.from({ length: versions - 1 }, (_, i) => i + 2).flatMap((version) => [
      [`${deckPath(deck)}/versions/${version}`, { version }] as const,
      ...[0, 1, 2].map(
        (shard) => [`${deckPath(deck)}/manifestShards/${version}-${shard}`, { files: 'x'.repeat(1000) }] as const,
      ),
    ]),
  ]);
  const bytes = Buffer.from('x');
  await Promise.all(
    hashes
      .slice(0, objects)
      .map((hash) => storeObject(world.cloud, deck.presentationId, hash, { bytes, contentType: 'text/plain' })),
  );
}
