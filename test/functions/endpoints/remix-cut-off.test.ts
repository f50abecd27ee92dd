import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildManifest } from '../../../functions/src/policy/manifest';
import { passSeconds } from '../../support/clock';
import { buildInstance } from '../../support/instance';
import { runJob } from '../../support/jobs';
import {
  author,
  begun,
  blobsOf,
  countOf,
  decksOf,
  listingOf,
  objectOf,
  reader,
  remix,
  startRemixing,
  update,
  view,
  world,
  type Remix,
} from '../../support/remixes';
import { documentsWith, storedObjects } from '../../support/whole-store';
import { blob, manifestRow, page, succeed } from '../../support/world';

startRemixing();

/** The library retries a bucket call only when the call has a precondition. */
const onceOnly = { preconditionOpts: { ifGenerationMatch: 0 } };
const HOUR = 3600;
const GRACE = 15 * 60;

/** A listed deck with `count` files, and its hashes in the order in which a remix copies them. */
async function aListedDeckOf(count: number): Promise<{ slug: string; presentationId: string; hashes: string[] }> {
  const files = [page(), ...Array.from({ length: count - 1 }, (_, i) => blob(40, `${i}.css`))];
  const { slug, presentationId } = await world.aListing(author, {}, await world.aDeck(author, files, 'Large'));
  const hashes = buildManifest(files.map(manifestRow)).shards.flatMap((shard) => shard.map((file) => file.sha256));
  return { slug, presentationId, hashes };
}

/** The folder of the bundled functions, which `test/functions/programs/instance.ts` runs in a separate process. */
const folder = mkdtempSync(join(tmpdir(), 'instance-'));
afterAll(() => rmSync(folder, { recursive: true }));
async function anInstance(name: string, caller: object, input: object): Promise<ChildProcess> {
  await buildInstance(folder);
  const args = [join(folder, 'instance.js'), name, JSON.stringify(caller), JSON.stringify(input)];
  return spawn(process.execPath, args, { env: { ...process.env }, stdio: 'inherit' });
}

describe('a remix that was cut off', () => {
  /**
   * A remix of the reader that failed because an object of the source is missing: the last one or the first. `mend`
   * restores that object.
   */
  async function aBegunRemix(count = 4, at: -1 | 0 = -1) {
    const source = await aListedDeckOf(count);
    const missing = objectOf(source.presentationId, source.hashes.at(at)!);
    const aside = objectOf(`aside-${source.presentationId}`, source.hashes.at(at)!);
    await missing.move(aside, onceOnly);
    const answer = await remix(reader, source);
    expect([answer.status, answer.error.code]).toEqual([500, 'internal']);
    expect(JSON.stringify(answer.body)).not.toContain(source.presentationId);
    const [deckId] = await begun();
    return { ...source, deckId: deckId!, mend: () => aside.move(missing, onceOnly) };
  }
  /** The sessions that reserve the id of a deck, and the collections and objects below it. */
  async function leftOf(deckId: string): Promise<string[]> {
    const sessions = await documentsWith(world, 'uploadSessions', 'presentationId', deckId);
    const records = await world.database.doc(`presentations/${deckId}`).listCollections();
    return [
      ...sessions.map(({ ref }) => ref.path),
      ...records.map(({ path }) => path),
      ...(await storedObjects(`presentations/${deckId}/`)),
    ];
  }
  async function copiesAskedFor(count: number): Promise<void> {
    const asked = () => world.cloud.storage.stats().calls['objects.rewrite'] ?? 0;
    while (asked() < count) await new Promise(setImmediate);
  }
  async function cleanUp(): Promise<void> {
    passSeconds(HOUR + GRACE + 1);
    await runJob('removeExpiredSessions');
    await runJob('finishDeletions');
  }

  test('leaves no partial deck; the next call copies the remaining files, also when the listing is not public any more', async () => {
    const { slug, deckId, hashes, mend } = await aBegunRemix(510);
    expect((await decksOf(reader)).filter(({ id }) => id === deckId)).toEqual([]);
    expect(await countOf(deckId)).toBe(500);
    await mend();
    await update(slug, { status: 'unlisted' });
    expect((await remix(author, { slug })).status).toBe(409);
    let deck!: Remix;
    const cost = await world.costOf(async () => (deck = await succeed(remix(reader, { slug }))));
    expect(deck).toMatchObject({ presentationId: deckId, fileCount: hashes.length });
    expect(cost.storageCalls).toBe(10);
    expect(await storedObjects(`presentations/${deckId}/`)).toHaveLength(hashes.length);
    expect(await countOf(deckId)).toBe(hashes.length);
    expect(await begun()).toEqual([]);
    // The remix is complete, so a further call would have to start a new one.
    expect((await remix(reader, { slug })).status).toBe(409);
  });

  test('is not completed after the listing was taken down, and is removed with its session', async () => {
    const { slug, deckId, mend } = await aBegunRemix();
    await mend();
    await listingOf(slug).update({ takedown: { at: new Date(), reason: 'x' } });
    expect((await remix(reader, { slug })).status).toBe(410);
    expect(await leftOf(deckId)).toHaveLength(1 + 3);
    await cleanUp();
    expect(await leftOf(deckId)).toEqual([]);
  });

  test('is completed by one of two parallel calls; the other answers the same deck without its token', async () => {
    const { slug, deckId, hashes, mend } = await aBegunRemix();
    await mend();
    let pending!: ReturnType<typeof remix>[];
    await world.database.runTransaction(async (tx) => {
      // While this transaction locks the record, both calls copy files and neither can record them.
      await tx.get(blobsOf(deckId).doc(hashes[0]!));
      world.cloud.storage.resetStats();
      pending = [remix(reader, { slug, title: 'One' }), remix(reader, { slug, title: 'Other' })];
      await copiesAskedFor(2 * hashes.length);
    });
    const decks = (await Promise.all(pending)).map(({ data }) => data);
    const [maker, other] = decks[0]!.token ? decks : decks.reverse();
    const { token, tokenId, ...rest } = maker!;
    expect(other).toEqual(rest);
    expect(rest.presentationId).toBe(deckId);
    expect(rest.shareUrl).toContain(token);
    expect(tokenId).toBeTruthy();
    expect((await decksOf(reader)).filter(({ id }) => id === deckId)).toHaveLength(1);
  });

  test('starts again when its hour is over, and the old session is removed although the new one has its name', async () => {
    const { slug, deckId, mend } = await aBegunRemix();
    await mend();
    passSeconds(HOUR + 1);
    const deck = await succeed(remix(reader, { slug }));
    expect(deck.presentationId).not.toBe(deckId);
    expect(await storedObjects(`presentations/${deck.presentationId}/`)).toHaveLength(4);
    expect(await leftOf(deckId)).toHaveLength(3);
    await cleanUp();
    expect(await leftOf(deckId)).toEqual([]);
    expect(await view(deck)).toContain('Hello');
  });

  test('starts again when the listing shows another version', async () => {
    const { slug, presentationId, deckId } = await aBegunRemix();
    await succeed(world.upload(author, { presentationId }, page('Second')));
    await succeed(world.commit(author, { presentationId }, [page('Second')]));
    await update(slug, { version: 2 });
    const deck = await succeed(remix(reader, { slug }));
    expect(deck).toMatchObject({ fileCount: 1, remixedFrom: { slug, version: 2 } });
    expect(deck.presentationId).not.toBe(deckId);
    expect(await view(deck)).toContain('Second');
    await cleanUp();
  });

  test('accepts no uploaded files, not even from its user', async () => {
    const { deckId } = await aBegunRemix();
    const [session] = await leftOf(deckId);
    const sessionId = session!.replace('uploadSessions/', '');
    expect((await world.upload(reader, { sessionId }, page())).status).toBe(404);
    expect((await world.upload(reader, { presentationId: deckId }, page())).status).toBe(404);
    expect((await world.commit(reader, { sessionId, title: 'x' }, [page()])).status).toBe(404);
    await cleanUp();
  });

  test('by the deletion of its source reports the deletion', async () => {
    const { slug, presentationId, deckId, hashes, mend } = await aBegunRemix(510, 0);
    await mend();
    let pending!: ReturnType<typeof remix>;
    await world.database.runTransaction(async (tx) => {
      // While this transaction locks the record, the remix cannot record its first 500 copies and does not make the
      // others.
      await tx.get(blobsOf(deckId).doc(hashes[0]!));
      world.cloud.storage.resetStats();
      pending = remix(reader, { slug });
      await copiesAskedFor(1);
      await succeed(world.call('deletePresentation', { presentationId }, { key: author.key }));
    });
    const { status, error } = await pending;
    expect([status, error.code]).toEqual([410, 'expired']);
    await cleanUp();
    expect(await leftOf(deckId)).toEqual([]);
  });

  test('by the end of its instance is completed by the next call', async () => {
    const { slug, deckId, hashes, mend } = await aBegunRemix(520, 0);
    await mend();
    const { keyId, organizationId, userId } = reader;
    await world.database.runTransaction(async (tx) => {
      // This transaction locks the record of a late file, so the records after the first 500 have to wait. Each read
      // renews the lock.
      const late = blobsOf(deckId).doc(hashes[510]!);
      await tx.get(late);
      const caller = { kind: 'organization', keyId, organizationId, userId };
      const instance = await anInstance('remixMarketplaceListing', caller, { slug });
      const exited = once(instance, 'exit');
      while ((await countOf(deckId)) < 500 && instance.exitCode === null) await tx.get(late);
      instance.kill('SIGKILL');
      expect((await exited)[1]).toBe('SIGKILL');
      // The database cancels the waiting call of a closed connection before it answers the next read.
      await tx.get(late);
    });
    expect(await countOf(deckId)).toBe(500);

    let deck!: Remix;
    const cost = await world.costOf(async () => (deck = await succeed(remix(reader, { slug }))));
    expect(deck).toMatchObject({ presentationId: deckId, fileCount: hashes.length });
    expect(cost.storageCalls).toBe(20);
    expect(await countOf(deckId)).toBe(hashes.length);
    expect(await storedObjects(`presentations/${deckId}/`)).toHaveLength(hashes.length);
    expect(await view(deck)).toContain('Hello');
  });
});
