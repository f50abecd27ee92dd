import { eventTypes } from '../../../functions/src/contract/events';
import { readIn } from '../../../functions/src/records/database';
import { presentationRef, renameDeck } from '../../../functions/src/records/presentations';
import { transact } from '../../../functions/src/records/transact';
import { passSeconds } from '../../support/clock';
import { dataOf, eventsOf, feed, newestEvents, type AnyEvent } from '../../support/events';
import { runJob } from '../../support/jobs';
import { setTakedown } from '../../support/marketplace';
import { aReader, readOnce, slide } from '../../support/views';
import { makeWebhook } from '../../support/webhooks';
import { page, startWorld, succeed, world, type Account, type Deck } from '../../support/world';

/** What happens in an organization is told by events, each in the commit of what it tells, and once to who follows. */

let owner: Account;
let deck: Deck;
startWorld();
beforeEach(async () => {
  owner = await world.aPublisher('pro');
  deck = await world.aDeck(owner, [page()], 'Sales');
});

const call = (name: string, input: object, key = owner.key) => succeed(world.call(name, input, { key }));
/** Makes a call a second after the one before it, so that their events have an order. */
const later = (...args: Parameters<typeof call>) => {
  passSeconds(1);
  return call(...args);
};
/** The events of all tests. */
const allEvents: AnyEvent[] = [];
afterEach(async () => void allEvents.push(...(await newestEvents(owner))));

const typesOf = (events: readonly AnyEvent[]) => events.map(({ type }) => type);

describe('a change is told', () => {
  test('of a deck and its versions, and a first version is told alone', async () => {
    const { presentationId } = deck;
    const key = { kind: 'key', keyId: owner.keyId, name: 'CLI default key', userId: owner.userId };
    let pushed: Deck;
    const published = await eventsOf(owner, async () => (pushed = await world.aPushedDeck(owner, [page()], 'New')));
    expect(typesOf(published)).toEqual(['presentation.published']);
    expect(published[0]).toMatchObject({ actor: key, presentationId: pushed!.presentationId });
    expect(dataOf(published, 'presentation.published')).toMatchObject({
      presentation: { id: pushed!.presentationId, title: 'New', version: 1, activeLinks: 1 },
      version: { version: 1, createdBy: owner.userId },
    });
    const changes = await eventsOf(owner, async () => {
      await succeed(world.commit(owner, { presentationId }, [page()]));
      await later('restorePresentationVersion', { presentationId, version: 1 });
      await later('renamePresentation', { presentationId, title: 'Profit' });
      await later('deletePresentation', { presentationId });
    });
    const version = 'presentation.version_created';
    expect(typesOf(changes)).toEqual([version, version, 'presentation.renamed', 'presentation.deleted']);
    expect(changes[1]!.data).toMatchObject({ presentation: { version: 3 }, version: { version: 3, restoredFrom: 1 } });
    const { presentation, before } = dataOf(changes, 'presentation.renamed');
    expect([presentation.title, before]).toEqual(['Profit', { title: 'Sales' }]);
    expect(await newestEvents(owner, { presentationId, type: 'presentation.deleted' })).toHaveLength(1);
  });

  test('of links', async () => {
    const { presentationId } = deck;
    const events = await eventsOf(owner, async () => {
      const made = await call('addPresentationToken', { presentationId, tokenName: 'Board', passcode: 'orchid-47' });
      const tokenId = made['tokenId'] as string;
      await later('updateShareToken', { presentationId, tokenId, name: 'Bank', maxOpenings: 3 });
      await later('unsharePresentation', { presentationId, tokenId });
      await later('unsharePresentation', { presentationId, all: true });
    });
    expect(typesOf(events)).toEqual(['link.created', 'link.changed', 'link.revoked', 'link.revoked']);
    const { title, link } = dataOf(events, 'link.created');
    expect([title, link.name, link.hasPasscode, link.state]).toEqual(['Sales', 'Board', true, 'open']);
    expect(dataOf(events, 'link.changed').before).toEqual({ name: 'Board', maxOpenings: null });
    expect(events[2]!.data).toMatchObject({ tokenIds: [link.tokenId], link: { revoked: true } });
    expect(events[3]!.data).toEqual({ title: 'Sales', tokenIds: [deck.tokenId] });
    expect(JSON.stringify(events)).not.toMatch(/share\/|orchid|token=/);
  });

  test('of views, which begin with the first beacon and end after 30 silent minutes', async () => {
    const reader = await aReader({ shareUrl: deck.shareUrl });
    const load = await reader.load();
    const begun = await eventsOf(owner, async () => {
      await load.tell();
      passSeconds(20);
      await load.tell({ seconds: 20, slides: [slide('a@slide.example', 0, 1)] });
      await runJob('foldInsights');
    });
    expect(typesOf(begun)).toEqual(['link.opened']);
    expect(begun[0]).toMatchObject({ actor: { kind: 'reader', email: null }, presentationId: deck.presentationId });
    const ended = await eventsOf(owner, async () => {
      passSeconds(29 * 60);
      await runJob('foldInsights');
      expect(await newestEvents(owner, { type: 'view.ended' })).toEqual([]);
      passSeconds(60);
      await runJob('foldInsights');
      await runJob('foldInsights');
    });
    const { view } = dataOf(ended, 'view.ended');
    const { view: opened } = dataOf(begun, 'link.opened');
    expect([view.viewId, view.seconds, view.tokenName]).toEqual([opened.viewId, 20, 'default']);
    // The texts of slides are not addresses of people.
    expect(view.slides).toMatchObject([{ key: 'a@slide.example' }]);
    const stored = await world.database.collection(`organizations/${owner.organizationId}/events`).get();
    expect(stored.docs.flatMap((event) => event.get('addresses') as string[])).toEqual([]);
  });

  test('of collaborators, whose ids the owner learns at their first use', async () => {
    const { presentationId } = deck;
    const dev = await world.anOwner();
    const events = await eventsOf(owner, async () => {
      await call('inviteCollaborator', { presentationId, email: dev.email });
      await later('leavePresentation', { presentationId }, dev.key);
    });
    expect(typesOf(events).sort()).toEqual(['collaborator.activated', 'collaborator.invited', 'collaborator.removed']);
    const { collaborator } = dataOf(events, 'collaborator.removed');
    expect(collaborator).toMatchObject({ email: dev.email, status: 'revoked', userId: null });
    expect(JSON.stringify(events)).not.toContain(dev.userId);
  });

  test('of mails and their links', async () => {
    const input = { presentationId: deck.presentationId, emails: ['friend@example.org', 'nobody'] };
    const events = await eventsOf(owner, () => call('sharePresentationViaEmail', input));
    expect(typesOf(events).sort()).toEqual(['email.failed', 'email.sent', 'link.created']);
    const others = { ...input, emails: ['bounce@example.org', 'complaint@example.org'] };
    await call('sharePresentationViaEmail', others);
    const told = await eventsOf(owner, () => world.cloud.mailEvents.runDue());
    const types = ['email.bounced', 'email.complained', 'email.delivered', 'email.delivered'];
    expect(typesOf(told).sort()).toEqual(types);
    expect(dataOf(events, 'email.sent').send).toMatchObject({ email: 'friend@example.org', outcome: 'sent' });
    expect(dataOf(events, 'link.created').link).toMatchObject({ name: 'friend@example.org', isPersonal: true });
  });

  test('of listings, and their owner does not learn who starred or remixed', async () => {
    const other = await world.aPublisher();
    const events = await eventsOf(owner, async () => {
      const { slug } = await world.aListing(owner, {}, deck);
      await later('updateMarketplaceListing', { slug, category: 'business' });
      await later('starMarketplaceListing', { slug }, other.key);
      await call('starMarketplaceListing', { slug }, other.key);
      await later('remixMarketplaceListing', { slug }, other.key);
      passSeconds(1);
      await setTakedown(slug, { at: new Date(), reason: 'a reason' });
    });
    const types = ['published', 'updated', 'starred', 'remixed', 'taken_down'].map((each) => `listing.${each}`);
    expect(typesOf(events)).toEqual(types);
    expect(dataOf(events, 'listing.updated').before).toMatchObject({ category: null });
    const nobody = { kind: 'user', userId: null };
    expect(events.slice(2).map(({ actor }) => actor)).toEqual([nobody, nobody, { kind: 'system' }]);
    expect(typesOf(await newestEvents(other))).toContain('presentation.published');
  });

  test('of webhooks', async () => {
    const events = await eventsOf(owner, async () => {
      const { webhookId } = await makeWebhook(world, owner);
      await later('updateWebhook', { webhookId, status: 'disabled' });
    });
    expect(typesOf(events)).toEqual(['webhook.created', 'webhook.disabled']);
  });

  test('of keys, sessions and the account', async () => {
    const session = await world.aDashboardSession(owner);
    const events = await eventsOf(owner, async () => {
      const made = await call('createApiKey', { name: 'ci', scopes: ['presentations:read'] }, session);
      const { keyId } = made['apiKey'] as { keyId: string };
      await later('revokeApiKey', { keyId }, session);
      await later('updateProfile', { firstName: 'Grace' }, session);
      await later('updateOrganization', { name: 'Engines' }, session);
      await world.aDashboardSession(owner);
    });
    expect(typesOf(events).slice(0, 4)).toEqual(['key.created', 'key.revoked', 'account.changed', 'account.changed']);
    expect(dataOf(events, 'key.created').key).toMatchObject({ name: 'ci', status: 'active' });
    expect(events[2]!.data).toMatchObject({ user: { firstName: 'Grace' }, before: { firstName: 'Ada' } });
    expect(events[3]!.data).toMatchObject({ organization: { name: 'Engines' } });
    expect(events[0]!.actor).toEqual({ kind: 'user', userId: owner.userId });
    expect(dataOf(events, 'session.created').session.device).toBe('a program');
    expect(JSON.stringify(events)).not.toMatch(/ck[oas]_\w{9}/);
  });
});

test('the address of a reader is answered on request, until the reader is forgotten', async () => {
  const email = 'grace@example.org';
  const input = { presentationId: deck.presentationId, emails: [email] };
  const { sent } = (await call('sharePresentationViaEmail', input)) as { sent: [{ shareUrl: string }] };
  await readOnce(sent[0]);
  const opened = async (query: Record<string, string>) => {
    const [event] = await newestEvents(owner, { type: 'link.opened', ...query });
    const { view } = event!.data as { view: { email: string | null; tokenName: string } };
    return [(event!.actor as { email: string | null }).email, view.email, view.tokenName];
  };
  expect(await opened({})).toEqual([null, null, '']);
  expect(await opened({ includeReaders: 'true' })).toEqual([email, email, email]);
  await call('forgetReader', { email }, await world.aDashboardSession(owner));
  await runJob('forgetReaders');
  expect(await opened({ includeReaders: 'true' })).toEqual([null, null, expect.not.stringContaining(email)]);
  const stored = await world.database.collection(`organizations/${owner.organizationId}/events`).get();
  expect(stored.docs.some((document) => JSON.stringify(document.data()).includes(email))).toBe(false);
});

test('each type of the table is told', () => {
  // The tests of deliveries see how events are dropped.
  const told = new Set(['deliveries.dropped', ...typesOf(allEvents)]);
  expect(Object.keys(eventTypes).filter((type) => !told.has(type as AnyEvent['type']))).toEqual([]);
});

describe('the feed', () => {
  let hours = 0;
  // The clock of the database never goes back, so each test begins after the dates of the test before it.
  beforeEach(() => passSeconds(3600 * ++hours));
  const rename = (title: string) => call('renamePresentation', { presentationId: deck.presentationId, title });

  test('is complete for who follows it, however transactions overlap', async () => {
    const renameIn = ({ presentationId }: Deck, title: string, held: Promise<void> = Promise.resolve()) =>
      transact(async (tx) => {
        const [found] = await readIn(tx, presentationRef(presentationId));
        renameDeck(tx, found!, title);
        await held;
      });
    const other = await world.aDeck(owner);
    passSeconds(60);
    const start = await feed(owner, { limit: '100' });
    let commit!: () => void;
    const late = renameIn(deck, 'late', new Promise((resolve) => (commit = resolve)));
    await renameIn(other, 'early');
    passSeconds(60);
    const first = await feed(owner, { cursor: start.nextCursor! });
    commit();
    await late;
    passSeconds(60);
    const second = await feed(owner, { cursor: first.nextCursor! });
    const titlesOf = ({ events }: typeof first) =>
      events.map(({ data }) => (data as { presentation: { title: string } }).presentation.title);
    expect([titlesOf(first), titlesOf(second)]).toEqual([['early'], ['late']]);
  });

  test('does not pass an event while others of its time may still be committed', async () => {
    await rename('Young');
    expect(await newestEvents(owner, { type: 'presentation.renamed' })).toHaveLength(1);
    const { events, nextCursor } = await feed(owner, { type: 'presentation.renamed' });
    expect([events, typeof nextCursor]).toEqual([[], 'string']);
    passSeconds(60);
    const query = { type: 'presentation.renamed', cursor: nextCursor! };
    expect((await feed(owner, query)).events).toHaveLength(1);
  });

  test('has pages in both orders, and ends after 30 days', async () => {
    for (const title of ['a', 'b', 'c']) {
      passSeconds(1);
      await rename(title);
    }
    passSeconds(60);
    for (const order of ['asc', 'desc']) {
      const all = await feed(owner, { order, limit: '100' });
      const pages: AnyEvent[] = [];
      for (let cursor: string | null | undefined; pages.length < all.events.length;) {
        const some = await feed(owner, { order, limit: '2', ...(cursor && { cursor }) });
        pages.push(...some.events);
        cursor = some.nextCursor;
      }
      expect(pages).toEqual(all.events);
      expect(all.nextCursor === null).toBe(order === 'desc');
    }
    passSeconds(31 * 86_400);
    expect((await feed(owner)).events).toEqual([]);
  });

  test('is that of the own organization', async () => {
    const other = await world.anOwner();
    expect(await newestEvents(other, { presentationId: deck.presentationId })).toEqual([]);
  });
});
