import { atOnce, fullRefusal, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { gateway } from '../../support/gateways';
import { runJob } from '../../support/jobs';
import { detail, list, listingDoc, remixesOf, setTakedown } from '../../support/marketplace';
import {
  aBegunRemix,
  author,
  begun,
  blobsOf,
  copiesAskedFor,
  countOf,
  decksOf,
  reader,
  remix,
  startRemixing,
  update,
  view,
  type Remix,
} from '../../support/remixes';
import { documentsWith, storedObjects } from '../../support/whole-store';
import { blob, page, sha256, succeed, type Account, type DeckFile, world } from '../../support/world';

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

    const deck = await succeed(remix(reader, { slug }));
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
    expect(JSON.stringify(deck)).not.toMatch(new RegExp(`${presentationId}|${source.token}`));
    expect(await view(deck)).toContain('Listed');
    for (const { path, contentType } of [style, twin]) {
      expect((await fetch(world.viewUrl(deck, path))).headers.get('content-type')).toBe(contentType);
    }
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
    const hashes = [page(), style].map(({ bytes }) => sha256(bytes));
    const checked = await world.call('precheckAssets', { presentationId, hashes }, { key: reader.key });
    expect(checked.data).toEqual({ missing: hashes.slice(1) });
    await succeed(world.upload(reader, deck, style));
    expect((await succeed(world.commit(reader, { presentationId }, [page(), style]))).version).toBe(2);
    expect((await world.commit(author, { presentationId }, [page()])).status).toBe(403);

    await succeed(world.call('deletePresentation', { presentationId: source }, { key: author.key }));
    expect(await view(deck)).toContain('Hello');
    await succeed(world.call('restorePresentationVersion', { presentationId, version: 1 }, { key: reader.key }));
  });

  test('makes a new deck with each call, also from a listing of the caller, and does not change its counters', async () => {
    const { slug } = await world.aListing(author);
    const [one, other] = [await succeed(remix(author, { slug })), await succeed(remix(author, { slug }))];
    expect(one.presentationId).not.toBe(other.presentationId);
    expect((await listingDoc(slug).get()).data()).toMatchObject({ remixCount: 0, viewCount: 0, stars: 0 });
  });

  test('no lineage names a listing that is taken down, however early it was published; put back, it is named again', async () => {
    const title = 'Unwanted title';
    const first = await world.aListing(author, { title, slug: 'the-first-one' });
    const child = await world.aListing(reader, { title: 'Child' }, await succeed(remix(reader, first)));
    const deck = await succeed(remix(author, child));
    const grandchild = await world.aListing(author, { title: 'Grandchild' }, deck);
    const late = await succeed(remix(author, child));
    const shownOf = async (slug: string, key?: string) => (await detail(slug, key)).data;
    const pageOf = async (path: string) => (await fetch(`${world.cloud.hostingUrl}/marketplace${path}`)).text();

    await setTakedown(first.slug, { at: new Date(), reason: 'Spam' });
    const shown = async ({ slug }: { slug: string }, { key }: Account) => [
      await shownOf(slug),
      await shownOf(slug, key),
      (await world.call('updateMarketplaceListing', { slug, category: 'x' }, { key })).data,
      (await list()).data,
      (await remixesOf(child.slug)).data,
      await pageOf(''),
      await pageOf(`/${slug}`),
    ];
    for (const answer of each([...(await shown(child, reader)), ...(await shown(grandchild, author))]))
      expect(JSON.stringify(answer)).toMatch(/^(?!.*(Unwanted|the-first-one)).*Child/);
    expect(await shownOf(child.slug)).toMatchObject({ remixedFromSlug: null, remixedFromTitle: null, lineage: [] });
    const { slug } = await world.aListing(author, {}, late);
    const lineage = [{ slug: child.slug, title: 'Child' }];
    expect(await shownOf(slug)).toMatchObject({ lineage });

    await setTakedown(first.slug, null);
    expect(await shownOf(slug)).toMatchObject({ lineage: [...lineage, { slug: first.slug, title }] });
    expect(await shownOf(child.slug)).toMatchObject({ remixedFromSlug: first.slug, remixedFromTitle: title });
  });

  test('refuses a listing that does not exist, is not public, was deleted or was taken down', async () => {
    const { slug, presentationId } = await world.aListing(author);
    const title = 'x'.repeat(256);
    for (const fields of [{}, { slug, title }]) expect((await remix(reader, fields)).status).toBe(400);
    for (const unknown of ['no-such-listing', '../users']) {
      expect(await refusal(remix(reader, { slug: unknown }))).toEqual([404, 'not-found']);
    }
    await update(slug, { status: 'unlisted' });
    expect(await refusal(remix(reader, { slug }))).toEqual([409, 'conflict']);
    await setTakedown(slug, { at: new Date(), reason: 'x' });
    expect(await refusal(remix(reader, { slug }))).toEqual([410, 'expired']);
    await setTakedown(slug, null);
    await succeed(world.call('deletePresentation', { presentationId }, { key: author.key }));
    expect(await refusal(remix(reader, { slug }))).toEqual([410, 'expired']);
    expect(await begun()).toEqual([]);
  });

  test('checks the plan of the caller before it copies, and names the exceeded cap', async () => {
    const MB = 1024 * 1024;
    const large: DeckFile = { path: 'large.html', bytes: Buffer.alloc(11 * MB, ' '), contentType: 'text/html' };
    const { slug } = await world.aListing(author, {}, await world.aDeck(author, [page(), large]));
    const pages = Array.from({ length: 501 }, (_, i) => page('One of many', `${i}.html`));
    const many = await world.aListing(author, {}, await world.aDeck(author, pages));
    const small = await world.anOwner('free');
    const bytes = { limit: 10 * MB, actual: 11 * MB, path: 'large.html', plan: 'free' };
    expect(await fullRefusal(remix(small, { slug }))).toEqual([413, 'payload-too-large', bytes]);
    const count = { limit: 500, actual: 501, plan: 'free' };
    expect(await fullRefusal(remix(small, many))).toEqual([400, 'too-many-files', count]);
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
    passSeconds(0);
    await world.useKey(reader);
    const cost = await world.costOf(async () => {
      const { data, headers } = await remix(reader, { slug }, key);
      expect([data, headers.get('idempotency-replayed')]).toEqual([rest, 'true']);
    });
    expect(cost).toMatchObject({ storageCalls: 0, roundTrips: 3 });
    expect((await remix(reader, { slug, title: 'Another' }, key)).status).toBe(409);
    const made = { presentationId: rest.presentationId };
    await succeed(world.call('deletePresentation', made, { key: reader.key }));
    expect((await remix(reader, { slug }, key)).status).toBe(404);
  });

  test.each(['with', 'without'])('when calls of one user race, %s a key', async (how) => {
    const racer = await world.anOwner();
    const { slug } = await world.aListing(author, {}, await world.aDeck(author, [page(), blob(10), blob(20)]));
    const headers: Record<string, string> = how === 'with' ? { 'Idempotency-Key': 'race' } : {};
    // Parallel calls work on one deck. A call that starts after that deck is made starts the next one.
    const answers = await atOnce(6, () => remix(racer, { slug }, headers));
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
});

describe('a remix that was cut off', () => {
  /** The sessions that reserve the id of a deck, and the collections and objects below it. */
  async function leftOf(deckId: string): Promise<string[]> {
    const sessions = await documentsWith(world, 'uploadSessions', 'presentationId', deckId);
    const records = await world.database.doc(`presentations/${deckId}`).listCollections();
    const paths = [...sessions.map(({ ref }) => ref), ...records].map(({ path }) => path);
    return [...paths, ...(await storedObjects(`presentations/${deckId}/`))];
  }
  async function cleanUp(): Promise<void> {
    // A session lasts an hour, and the job waits for 15 minutes more.
    passSeconds(75 * 60 + 1);
    await runJob('removeExpiredSessions');
    await runJob('finishDeletions');
  }

  test('leaves no partial deck; the next call of its user copies the remaining files, also when the listing is not public any more', async () => {
    // A remix records its files in batches of 500.
    const { slug, deckId, hashes, mend } = await aBegunRemix(502);
    expect((await decksOf(reader)).filter(({ id }) => id === deckId)).toEqual([]);
    await mend();
    await update(slug, { status: 'unlisted' });
    expect((await remix(author, { slug })).status).toBe(409);
    let deck!: Remix;
    const cost = await world.costOf(async () => (deck = await succeed(remix(reader, { slug }))));
    expect(deck).toMatchObject({ presentationId: deckId, fileCount: hashes.length });
    expect(cost.storageCalls).toBe(2);
    expect(await storedObjects(`presentations/${deckId}/`)).toHaveLength(hashes.length);
    expect(await countOf(deckId)).toBe(hashes.length);
    expect(await begun()).toEqual([]);
    // The remix is complete, so a further call would have to start a new one.
    expect((await remix(reader, { slug })).status).toBe(409);
  });

  test('is not completed after the listing was taken down, and is removed with its session', async () => {
    const { slug, deckId, mend } = await aBegunRemix();
    await mend();
    await listingDoc(slug).update({ takedown: { at: new Date(), reason: 'x' } });
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
    const { token, tokenId: _, ...rest } = maker!;
    expect(other).toEqual(rest);
    expect(rest).toMatchObject({ presentationId: deckId, shareUrl: expect.stringContaining(token) as string });
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
    for (const target of [{ sessionId }, { presentationId: deckId }]) {
      expect((await world.upload(reader, target, page())).status).toBe(404);
    }
    expect((await world.commit(reader, { sessionId, title: 'x' }, [page()])).status).toBe(404);
    await cleanUp();
  });

  test('by the deletion of its source reports the deletion', async () => {
    const { slug, presentationId, deckId, mend } = await aBegunRemix();
    await mend();
    const held = gateway.hold('request', ({ address }) => address.includes('/rewriteTo/'));
    const pending = remix(reader, { slug });
    await held.until(pending);
    await succeed(world.call('deletePresentation', { presentationId }, { key: author.key }));
    held.release();
    expect(await refusal(pending)).toEqual([410, 'expired']);
    await cleanUp();
    expect(await leftOf(deckId)).toEqual([]);
  });
});
