import type { z } from 'zod';
import type { Answer } from '../../../functions/src/endpoints/account/getUsage';
import { planCaps } from '../../../functions/src/policy/plans';
import { newId } from '../../../functions/src/values/ids';
import { atOnce, fullRefusal, outcomes, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { runJob } from '../../support/jobs';
import { storeObject } from '../../support/stored';
import { askForGrants, complete, sendDirectly } from '../../support/uploads';
import { documentsWith } from '../../support/whole-store';
import { blob, page, sha256, startWorld, succeed, world } from '../../support/world';
import type { Account, Answered, Deck, DeckFile, Target } from '../../support/world';

const MB = 1024 * 1024;
const HOUR = 3600;
const free = planCaps.free;

let by: Account;
startWorld();
beforeEach(async () => {
  by = await world.anOwner();
});

type Usage = z.output<typeof Answer>;
const usage = (key = by.key) => succeed(world.call<Usage>('getUsage', undefined, { key }));
/** The used amounts: decks, stored bytes, granted bytes, new decks of the hour. */
const used = async ({ key } = by) => {
  const { decks, storedBytes, grantedBytes, newDecksThisHour } = await usage(key);
  return [decks, storedBytes, grantedBytes, newDecksThisHour].map((amount) => amount.used);
};
const record = () => world.database.doc(`organizationUsages/${by.organizationId}`);
const sum = (files: DeckFile[]) => files.reduce((total, { bytes }) => total + bytes.length, 0);
/** Sets the usage, as if the organization had decks with these amounts. */
const use = ({ decks = 0, storedBytes = 0, newDecks = 0 }) =>
  record().update({ decks, storedBytes, newDecks: Array<Date>(newDecks).fill(new Date()) });

const commit = (target: object, files = [page()], account = by) =>
  world.commit<Deck>(account, { title: 'A deck', ...target }, files);
const aDeck = async (files?: DeckFile[]) => ({ presentationId: (await world.aDeck(by, files)).presentationId });
/** A session whose files are uploaded. */
async function aSession(files = [page()]) {
  const { sessionId } = await world.aSession(by);
  await world.uploadAll(by, { sessionId }, files);
  return { sessionId };
}
/** Makes so many decks in calls that race. */
const commitAtOnce = async (count: number) =>
  Promise.all((await atOnce(count, () => aSession())).map((target) => commit(target)));
const remove = ({ presentationId }: Pick<Deck, 'presentationId'>) =>
  succeed(world.call('deletePresentation', { presentationId }, { key: by.key }));
const grant = (target: Target, size: number, count = 1) => {
  const assets = Array.from({ length: count }, () => ({ sha256: sha256(newId()), size, contentType: 'video/mp4' }));
  return askForGrants(world, by, target, assets);
};
const remix = (slug: string) => world.call<Deck>('remixMarketplaceListing', { slug }, { key: by.key });
/** One of the answers that are refused, which must tell when to call again if the refusal ends with the hour. */
function refused(answers: Answered<unknown>[]) {
  const { status, error, headers } = answers.find((answer) => answer.status !== 200)!;
  if (status === 429) {
    const wait = String(error.details!['retryInSeconds']);
    expect(Number(wait)).toBeLessThanOrEqual(HOUR);
    expect(headers.get('retry-after')).toBe(wait);
    expect(headers.get('ratelimit')).toContain(`t=${wait}`);
    expect(headers.get('ratelimit-policy')).toContain(`w=${HOUR}`);
  }
  return [status, error.code, error.details];
}
const exceeded = (limit: number, actual = limit + 1) => ({ limit, actual, plan: 'free' });
const perHour = (limit: number) => {
  const details = { ...exceeded(limit), windowSeconds: HOUR, retryInSeconds: expect.any(Number) as number };
  return [429, 'rate-limited', details];
};

describe('the usage of an organization', () => {
  test('names every limit of the plan, to a key and to a session of the dashboard', async () => {
    const answer = await usage();
    const unused = (limit: number) => ({ used: 0, limit });
    expect(answer).toEqual({
      plan: 'free',
      decks: unused(free.decks),
      storedBytes: unused(free.storedBytes),
      grantedBytes: unused(2 * free.deckBytes),
      newDecksThisHour: unused(free.newDecksPerHour),
      mailsToday: unused(answer.mailsToday.limit),
      keys: { used: 1, limit: 20 },
    });
    expect(await usage(await world.aDashboardSession(by))).toEqual(answer);
    const admin = world.call('getUsage', undefined, { key: await world.anAdmin() });
    expect(await refusal(admin)).toEqual([403, 'permission-denied']);
    const caps = Object.values(planCaps);
    expect(caps.map(({ grantedBytes }) => grantedBytes)).toEqual(caps.map(({ deckBytes }) => 2 * deckBytes));
  });

  test('costs no more reads when the organization revoked many keys', async () => {
    const reads = async () => (await world.costOf(usage)).documentReads;
    const before = await reads();
    const [key] = await documentsWith(world, 'apiKeys', 'keyId', by.keyId);
    const store = (fields: object) =>
      world.database.doc(`apiKeys/${newId()}`).set({ ...key!.data(), ...fields, keyId: newId() });
    await atOnce(20, () => store({ status: 'revoked' }));
    expect(await reads()).toBe(before);
    await atOnce(2, () => store({ expiresAt: new Date(Date.now() - 1) }));
    expect((await usage()).keys).toEqual({ used: 1, limit: 20 });
  });

  test('counts the mails of the last 24 hours', async () => {
    const invitation = { ...(await aDeck()), email: 'usage@example.org' };
    await succeed(world.call('inviteCollaborator', invitation, { key: by.key }));
    expect((await usage()).mailsToday.used).toBe(1);
    passSeconds(24 * HOUR + 1);
    expect((await usage()).mailsToday.used).toBe(0);
  });

  test('counts decks and the distinct files of each deck at the commit, and no longer when the deck is deleted', async () => {
    const [first, shared, unused, later] = [page('first'), blob(1000), blob(300), blob(70)];
    const session = await aSession([first, shared]);
    expect(await used()).toEqual([0, 0, 0, 0]);
    const { presentationId } = (await commit(session, [first, shared, { ...shared, path: 'copy.bin' }])).data;
    const counted = [1, sum([first, shared]), 0, 1];
    expect(await used()).toEqual(counted);
    // The files of old versions and files that no version uses are stored, too.
    await world.uploadAll(by, { presentationId }, [unused, later]);
    expect(await used()).toEqual(counted);
    await succeed(commit({ presentationId }, [first, later]));
    const more = [1, sum([first, shared, unused, later]), 0, 1];
    expect(await used()).toEqual(more);
    await succeed(commit({ presentationId }, [first]));
    await succeed(world.call('restorePresentationVersion', { presentationId, version: 1 }, { key: by.key }));
    expect(await used()).toEqual(more);
    // Another deck stores its own copy.
    await world.aPushedDeck(by, [first, shared]);
    expect(await used()).toEqual([2, more[1]! + sum([first, shared]), 0, 2]);
    for (let times = 0; times < 2; times++) await remove({ presentationId });
    expect(await used()).toEqual([1, sum([first, shared]), 0, 2]);
    passSeconds(HOUR + 1);
    expect(await used()).toEqual([1, sum([first, shared]), 0, 0]);
  });

  test('counts a remix with its copies', async () => {
    const publisher = await world.aPublisher();
    const files = [page('remixed'), blob(500), blob(0)];
    const { slug } = await world.aListing(publisher, {}, await world.aDeck(publisher, files));
    const [remixed] = [await succeed(remix(slug)), await succeed(remix(slug))];
    expect(await used()).toEqual([2, 2 * sum(files), 0, 2]);
    await use({ decks: 100 });
    const full = [409, 'conflict', exceeded(100)];
    expect(await fullRefusal(remix(slug))).toEqual(full);
    // A dry run of a new deck is refused as its commit would be, before any upload.
    const { sessionId } = await world.aSession(by);
    expect(await fullRefusal(commit({ sessionId, dryRun: true }, files))).toEqual(full);
    await remove(remixed);
    await succeed(remix(slug));
  });

  test('counts uploads before their commit when they exceed 32 MB, and no longer when their session has expired', async () => {
    const deck = await aDeck();
    const [first, second] = [await world.aSession(by), await world.aSession(by)];
    // As if each had 48 MB of files.
    for (const { presentationId } of [deck, first, second]) {
      const counter = world.database.doc(`presentations/${presentationId}/uploadCounters/stored`);
      await counter.set({ files: 1, bytes: 48 * MB });
    }
    const [more, last] = [blob(10), page()];
    await atOnce(3, () => world.uploadAll(by, deck, [more]));
    expect(await used()).toEqual([1, 48 * MB, 0, 1]);
    for (const { sessionId } of [first, second]) await world.uploadAll(by, { sessionId }, [last]);
    expect(await used()).toEqual([1, 3 * 48 * MB, 0, 1]);
    await succeed(commit(deck, [more]));
    await succeed(commit({ sessionId: first.sessionId }, [last]));
    const bytes = sum([more, last]);
    expect(await used()).toEqual([2, 3 * 48 * MB + bytes, 0, 2]);
    // A count from the records has the same result.
    await record().update({ countedAt: new Date(0) });
    await runJob('recountUsage');
    expect(await used()).toEqual([2, 3 * 48 * MB + bytes, 0, 2]);
    passSeconds(HOUR + 15 * 60 + 1);
    await runJob('removeExpiredSessions');
    expect(await used()).toEqual([2, 2 * 48 * MB + bytes, 0, 0]);
    await remove(deck);
    expect(await used()).toEqual([1, 48 * MB + last.bytes.length, 0, 0]);
  });

  // The cost of a next version: costs.test.ts.
  test('costs the commit of a new deck of one file at most ten reads', async () => {
    await world.useKey(by);
    const session = await aSession();
    expect((await world.costOf(() => succeed(commit(session)))).documentReads).toBeLessThanOrEqual(10);
  });

  test('counts a file whose upload ended between storing and recording, once', async () => {
    const [first, file] = [page(), blob(400)];
    const { sessionId, presentationId } = await world.aSession(by);
    await storeObject(world.cloud, presentationId, sha256(file.bytes), file);
    await atOnce(5, () => world.upload(by, { sessionId }, file));
    await world.uploadAll(by, { sessionId }, [first]);
    await succeed(commit({ sessionId }, [first, file]));
    expect(await used()).toEqual([1, sum([first, file]), 0, 1]);
  });
});

describe('the limits of a plan', () => {
  test('allow exactly so many new decks an hour, however many calls race', async () => {
    await use({ newDecks: 57 });
    const answers = await commitAtOnce(6);
    expect(outcomes(answers)).toEqual({ ok: 3, 'rate-limited': 3 });
    expect(refused(answers)).toEqual(perHour(60));
    expect(await used()).toEqual([3, 3 * sum([page()]), 0, 60]);
    // A next version is not a new deck.
    const { presentationId } = answers.find(({ status }) => status === 200)!.data;
    await succeed(commit({ presentationId }));
    await remove({ presentationId });
    expect(await used()).toEqual([2, 2 * sum([page()]), 0, 60]);
    passSeconds(HOUR);
    await succeed(commit(await aSession()));
  });

  test('allow twice as many sessions as new decks in an hour, however many calls race', async () => {
    const open = () => world.call('precheckAssets', { hashes: [] }, { key: by.key });
    await record().update({ newSessions: Array<Date>(117).fill(new Date()) });
    const answers = await atOnce(6, open);
    expect(outcomes(answers)).toEqual({ ok: 3, 'rate-limited': 3 });
    expect(refused(answers)).toEqual(perHour(120));
    passSeconds(HOUR);
    await succeed(open());
  });

  test('refuse a remix of too many before its copy', async () => {
    const publisher = await world.aPublisher();
    await use({ newDecks: 59 });
    const slugs = await atOnce(4, async () => (await world.aListing(publisher)).slug);
    expect(outcomes(await Promise.all(slugs.map(remix)))).toEqual({ ok: 1, 'rate-limited': 3 });
    expect(await documentsWith(world, 'uploadSessions', 'organizationId', by.organizationId)).toEqual([]);
    expect((await used())[3]).toBe(60);
  });

  test('allow exactly so many stored bytes, however many commits race', async () => {
    const limit = free.storedBytes;
    const decks = await atOnce(4, () => aDeck());
    const files = decks.map(() => [blob(1000)]);
    await Promise.all(decks.map((deck, i) => world.uploadAll(by, deck, files[i]!)));
    // Room for two of the four files, and for 999 bytes.
    await use({ decks: 4, storedBytes: limit - 2999 });
    const answers = await Promise.all(decks.map((deck, i) => commit(deck, files[i])));
    expect(outcomes(answers)).toEqual({ ok: 2, conflict: 2 });
    expect(refused(answers)).toEqual([409, 'conflict', exceeded(limit)]);
    expect((await usage()).storedBytes).toEqual({ used: limit - 999, limit });
    // An upload that the next commit could not count is refused before its bytes are stored.
    const { sessionId } = await world.aSession(by);
    expect((await world.upload(by, { sessionId }, blob(1000))).error.code).toBe('conflict');
    await succeed(world.upload(by, { sessionId }, blob(900)));
    // Deleting a deck makes room.
    await remove(decks[answers.findIndex(({ status }) => status === 200)]!);
    await succeed(world.upload(by, { sessionId }, blob(1000)));
  });

  test('allow open grants of twice the deck size, over all decks; completed and expired grants make room', async () => {
    const granted = async () => (await usage()).grantedBytes;
    const limit = 500 * MB;
    const decks = await atOnce(3, () => aDeck());
    const answers = await atOnce(9, (i) => grant(decks[i % 3]!, 50 * MB, 2));
    expect(outcomes(answers)).toEqual({ ok: 5, conflict: 4 });
    expect(refused(answers)).toEqual([409, 'conflict', exceeded(limit, 600 * MB)]);
    expect(await granted()).toEqual({ used: limit, limit });
    passSeconds(HOUR + 600);
    const [deck, other] = [decks[0]!, decks[1]!];
    const hashes = await sendDirectly(world, by, deck, [blob(MB)]);
    expect((await granted()).used).toBe(MB);
    for (const calls of [3, 1]) await atOnce(calls, () => succeed(complete(world, by, deck, hashes)));
    expect((await granted()).used).toBe(0);
    await succeed(grant(other, 50 * MB, 10));
    expect((await grant(other, 1)).error.details).toMatchObject({ actual: limit + 1 });
  });

  test('are those of the organization of the deck when a dev of another organization commits', async () => {
    const dev = await world.anOwner();
    const deck = await aDeck();
    await world.addMember(deck, dev);
    const file = blob(800);
    await world.uploadAll(dev, deck, [file]);
    await succeed(commit(deck, [page(), file], dev));
    expect(await used()).toEqual([1, sum([page(), file]), 0, 1]);
    expect(await used(dev)).toEqual([0, 0, 0, 0]);
    await use({ decks: 1, storedBytes: free.storedBytes });
    expect((await world.upload(dev, deck, blob(1))).status).toBe(409);
  });
});

test('counts that differ from the decks are repaired within a week', async () => {
  const deck = await aDeck([page(), blob(77)]);
  const right = await used();
  await grant(deck, MB);
  await use({ decks: 41, storedBytes: 5000 });
  await runJob('recountUsage');
  expect((await used()).slice(0, 2)).toEqual([41, 5000]);
  passSeconds(7 * 24 * HOUR + 1);
  await Promise.all([runJob('recountUsage'), aDeck()]);
  expect((await used()).slice(0, 2)).toEqual([2, right[1]! + sum([page()])]);
});
