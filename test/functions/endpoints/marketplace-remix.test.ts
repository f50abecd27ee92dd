import { readIn } from '../../../functions/src/records/database';
import { listingRef, updateListing, type Listing } from '../../../functions/src/records/listings';
import { transact } from '../../../functions/src/records/transact';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { runJob } from '../../support/jobs';
import {
  aBegunRemix,
  author,
  begun,
  blobsOf,
  copiesAskedFor,
  countOf,
  decksOf,
  listingOf,
  reader,
  remix,
  startRemixing,
  update,
  view,
  world,
  type Remix,
} from '../../support/remixes';
import { documentsWith, storedObjects } from '../../support/whole-store';
import { blob, page, sha256, succeed, type Account, type DeckFile } from '../../support/world';

startRemixing();

describe('remixMarketplaceListing', () => {
  test('makes a deck of the caller with the files of the listed version and a link', async () => {
    const style: DeckFile = { path: 'a/style.css', bytes: Buffer.from('p {}'), contentType: 'text/css' };
    const twin: DeckFile = { ...style, path: 'b/style.css', contentType: 'text/plain' };
    const source = await world.aDeck(author, [page('Listed'), style, twin], 'The source');
    const { slug } = await world.aListing(author, { title: 'The listing' }, source);
    const { presentationId } = source;
    await succeed(world.upload(author, source, page('Later')));
    await succeed(world.commit(author, { presentationId }, [page('Later')]));

    const answer = await remix(reader, { slug });
    const deck = answer.data;
    expect(deck).toEqual({
      presentationId: expect.not.stringContaining(presentationId) as string,
      version: 1,
      tokenId: expect.any(String) as string,
      token: expect.stringMatching(/^[\w-]{64}$/) as string,
      shareUrl: `${world.cloud.hostingUrl}/share/${deck.presentationId}?token=${deck.token}`,
      fileCount: 3,
      totalBytes: page('Listed').bytes.length + 2 * 4,
      remixedFrom: { slug, version: 1 },
    });
    expect(JSON.stringify(answer.body)).not.toMatch(new RegExp(`${presentationId}|${source.token}`));
    expect(await view(deck)).toContain('Listed');
    const files = ['a/style.css', 'b/style.css'].map((path) => fetch(world.viewUrl(deck, path)));
    const types = (await Promise.all(files)).map(({ headers }) => headers.get('content-type'));
    expect(types).toEqual(['text/css', 'text/plain']);
    const [mine] = await decksOf(reader);
    expect(mine).toMatchObject({ id: deck.presentationId, title: 'The listing', version: 1, role: 'owner' });
    // Two files with the same bytes are one blob.
    expect(await storedObjects(`presentations/${deck.presentationId}/`)).toHaveLength(2);
    expect(await countOf(deck.presentationId)).toBe(2);
    expect(await begun()).toEqual([]);
  });

  test('makes a deck that works like any other and that remains when its source is deleted', async () => {
    const { slug, presentationId: source } = await world.aListing(author);
    const deck = await succeed(remix(reader, { slug, title: '  Mine  ' }));
    const { presentationId } = deck;
    expect((await decksOf(reader))[0]).toMatchObject({ title: 'Mine' });
    const style = blob(20, 'style.css');
    const missing = await world.call(
      'precheckAssets',
      { presentationId, hashes: [page(), style].map(({ bytes }) => sha256(bytes)) },
      { key: reader.key },
    );
    expect(missing.data).toEqual({ missing: [sha256(style.bytes)] });
    await succeed(world.upload(reader, deck, style));
    expect((await succeed(world.commit(reader, { presentationId }, [page(), style]))).version).toBe(2);
    expect((await world.commit(author, { presentationId }, [page()])).status).toBe(403);

    await succeed(world.call('deletePresentation', { presentationId: source }, { key: author.key }));
    expect(await view(deck)).toContain('Hello');
    const restored = world.call('restorePresentationVersion', { presentationId, version: 1 }, { key: reader.key });
    expect((await restored).data).toMatchObject({ version: 3 });
  });

  test('makes a new deck with each call, also from a listing of the caller, and does not change its counters', async () => {
    const { slug } = await world.aListing(author);
    const decks = [await succeed(remix(author, { slug })), await succeed(remix(author, { slug }))];
    expect(decks[0]!.presentationId).not.toBe(decks[1]!.presentationId);
    expect((await listingOf(slug).get()).data()).toMatchObject({ remixCount: 0, viewCount: 0, stars: 0 });
  });

  test('no lineage names a listing that is taken down, however early it was published; put back, it is named again', async () => {
    const title = 'Unwanted title';
    const first = await world.aListing(author, { title, slug: 'the-first-one' });
    const child = await world.aListing(reader, { title: 'Child' }, await succeed(remix(reader, first)));
    const deck = await succeed(remix(author, child));
    const grandchild = await world.aListing(author, { title: 'Grandchild' }, deck);
    const late = await succeed(remix(author, child));
    const bodyOf = async (
      name: string,
      input?: object,
      options: { query?: Record<string, string>; key?: string } = {},
    ) => JSON.stringify((await world.call(name, input, options)).body);
    const answersOf = ({ slug }: { slug: string }, { key }: Account) =>
      Promise.all([
        bodyOf('getMarketplaceListing', undefined, { query: { slug } }),
        bodyOf('getMarketplaceListing', undefined, { query: { slug }, key }),
        bodyOf('updateMarketplaceListing', { slug, category: 'x' }, { key }),
        bodyOf('listMarketplaceListings'),
        bodyOf('listMarketplaceRemixes', undefined, { query: { slug: child.slug } }),
        ...['', `/${slug}`].map(async (path) => (await fetch(`${world.cloud.hostingUrl}/marketplace${path}`)).text()),
      ]);
    const detail = async (slug: string) =>
      (await world.call('getMarketplaceListing', undefined, { query: { slug } })).data;
    const setTakedown = (takedown: Listing['takedown']) =>
      transact(async (tx) => {
        const [listing] = await readIn(tx, listingRef(first.slug));
        updateListing(tx, listing!, { takedown });
      });

    await setTakedown({ at: new Date(), reason: 'Spam' });
    for (const text of each([...(await answersOf(child, reader)), ...(await answersOf(grandchild, author))])) {
      expect(text).toContain('Child');
      expect(text).not.toMatch(/Unwanted|the-first-one/);
    }
    expect(await detail(child.slug)).toMatchObject({ remixedFromSlug: null, remixedFromTitle: null, lineage: [] });
    const { slug } = await world.aListing(author, {}, late);
    const lineage = [{ slug: child.slug, title: 'Child' }];
    expect(await detail(slug)).toMatchObject({ lineage });

    await setTakedown(null);
    expect(await detail(slug)).toMatchObject({ lineage: [...lineage, { slug: first.slug, title }] });
    expect(await detail(child.slug)).toMatchObject({ remixedFromSlug: first.slug, remixedFromTitle: title });
  });

  test('refuses a listing that does not exist, is not public, was deleted or was taken down', async () => {
    const { slug, presentationId } = await world.aListing(author);
    const refusal = async (fields: Record<string, unknown>) => {
      const { status, error, body } = await remix(reader, fields);
      expect(JSON.stringify(body)).not.toContain('presentations/');
      return [status, error.code];
    };
    expect(await refusal({})).toEqual([400, 'invalid-argument']);
    expect(await refusal({ slug, title: 'x'.repeat(256) })).toEqual([400, 'invalid-argument']);
    expect(await refusal({ slug: 'no-such-listing' })).toEqual([404, 'not-found']);
    expect(await refusal({ slug: '../users' })).toEqual([404, 'not-found']);
    await update(slug, { status: 'unlisted' });
    expect(await refusal({ slug })).toEqual([409, 'conflict']);
    await listingOf(slug).update({ takedown: { at: new Date(), reason: 'x' } });
    expect(await refusal({ slug })).toEqual([410, 'expired']);
    await listingOf(slug).update({ takedown: null });
    await succeed(world.call('deletePresentation', { presentationId }, { key: author.key }));
    expect(await refusal({ slug })).toEqual([410, 'expired']);
    expect(await begun()).toEqual([]);
  });

  test('checks the plan of the caller before it copies, and names the exceeded cap', async () => {
    const MB = 1024 * 1024;
    const large: DeckFile = { path: 'large.html', bytes: Buffer.alloc(11 * MB, ' '), contentType: 'text/html' };
    const { slug } = await world.aListing(author, {}, await world.aDeck(author, [page(), large]));
    const pages = Array.from({ length: 501 }, (_, i) => page('One of many', `${i}.html`));
    const many = await world.aListing(author, {}, await world.aDeck(author, pages));
    const small = await world.anOwner('free');
    const [byBytes, byCount] = [await remix(small, { slug }), await remix(small, many)];
    expect([byBytes.status, byBytes.error.code]).toEqual([413, 'payload-too-large']);
    expect(byBytes.error.details).toEqual({ limit: 10 * MB, actual: 11 * MB, path: 'large.html', plan: 'free' });
    expect([byCount.status, byCount.error.code]).toEqual([400, 'too-many-files']);
    expect(byCount.error.details).toEqual({ limit: 500, actual: 501, plan: 'free' });
    expect(await begun()).toEqual([]);
  });
});

describe('a remix happens once', () => {
  test('under an Idempotency-Key, whatever the state of the listing is now: a replay copies nothing and has no token', async () => {
    const { slug, presentationId } = await world.aListing(author);
    const key = { 'Idempotency-Key': 'once' };
    const { token, shareUrl, ...rest } = await succeed(remix(reader, { slug }, key));
    expect(shareUrl).toContain(token);
    await succeed(world.call('deletePresentation', { presentationId }, { key: author.key }));
    let replay!: Awaited<ReturnType<typeof remix>>;
    passSeconds(0);
    await world.useKey(reader);
    const cost = await world.costOf(async () => (replay = await remix(reader, { slug }, key)));
    expect(replay.data).toEqual(rest);
    expect(token).toBeTruthy();
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
    expect(cost).toMatchObject({ storageCalls: 0, roundTrips: 3 });
    expect((await remix(reader, { slug, title: 'Another' }, key)).status).toBe(409);
    const { presentationId: made } = rest;
    await succeed(world.call('deletePresentation', { presentationId: made }, { key: reader.key }));
    expect((await remix(reader, { slug }, key)).status).toBe(404);
  });

  test.each(['with', 'without'])('when calls of one user race, %s a key', async (how) => {
    const racer = await world.anOwner();
    const { slug } = await world.aListing(author, {}, await world.aDeck(author, [page(), blob(10), blob(20)]));
    const headers: Record<string, string> = how === 'with' ? { 'Idempotency-Key': 'race' } : {};
    // Parallel calls work on one deck. A call that starts after that deck is made starts the next one.
    const answers = await Promise.all(Array.from({ length: 6 }, () => remix(racer, { slug }, headers)));
    const made = new Set(answers.map(({ data }) => data.presentationId));
    expect((await decksOf(racer)).map(({ id }) => id).sort()).toEqual([...made].sort());
    expect(answers.filter(({ data }) => data.token !== undefined)).toHaveLength(made.size);
    if (how === 'with') expect(made.size).toBe(1);
    for (const { data, headers } of each(answers)) {
      expect(data).toMatchObject({ version: 1, fileCount: 3, remixedFrom: { slug, version: 1 } });
      // A replay does not repeat the link.
      if (!headers.has('idempotency-replayed')) expect(data.shareUrl).toContain(data.presentationId);
    }
    expect(await begun()).toEqual([]);
  });

  test('for each user: no call continues the remix of another user', async () => {
    const { slug } = await world.aListing(author);
    const others = await Promise.all([world.anOwner(), world.anOwner(), world.anOwner()]);
    const answers = await Promise.all(others.map((other) => remix(other, { slug })));
    const decks = await Promise.all(others.map(async (other) => (await decksOf(other)).map(({ id }) => id)));
    expect(decks).toEqual(answers.map(({ data }) => [data.presentationId]));
    expect(new Set(decks.flat()).size).toBe(3);
  });
});

describe('a remix that was cut off', () => {
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
  async function cleanUp(): Promise<void> {
    // A session lasts an hour, and the job waits for 15 minutes more.
    passSeconds(75 * 60 + 1);
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
    passSeconds(3601);
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
});
