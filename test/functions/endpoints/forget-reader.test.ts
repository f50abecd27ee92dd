import { runJob } from '../../support/jobs';
import { insightsOf } from '../../support/stored-views';
import { aReader, viewsOf } from '../../support/views';
import { page, startWorld, succeed, world, type Account, type Deck } from '../../support/world';

/** An address is removed from all decks of an organization, and from no other. */

let owner: Account;
let session: string;
startWorld();
beforeEach(async () => {
  owner = await world.aPublisher();
  session = await world.aDashboardSession(owner);
});

const READER = 'grace@example.org';
const forget = (key = session) =>
  world.call<{ email: string }>('forgetReader', { email: READER.toUpperCase() }, { key });

/** A deck that has the address wherever a deck can have one. */
async function aDeckWithReader(of: Account): Promise<Deck> {
  const deck = await world.aDeck(of, [page()]);
  const { presentationId, tokenId } = deck;
  const options = { key: of.key };
  const input = { presentationId, emails: [READER] };
  const { sent } = await succeed(
    world.call<{ sent: { shareUrl: string }[] }>('sharePresentationViaEmail', input, options),
  );
  await (await (await aReader({ shareUrl: sent[0]!.shareUrl })).load()).tell();
  const rules = { presentationId, tokenId, allowedEmails: [READER, '@example.com'] };
  await succeed(world.call('updateShareToken', rules, options));
  const opening = { tokenId, email: READER, createdAt: new Date(), expiresAt: new Date(Date.now() + 9e7) };
  await world.database.doc(`presentations/${presentationId}/openings/o`).set(opening);
  await runJob('foldInsights');
  return deck;
}

/** The documents below a deck that have the address, by their collections. */
async function traces({ presentationId }: Deck): Promise<string[]> {
  const collections = await world.database.doc(`presentations/${presentationId}`).listCollections();
  const found = await Promise.all(
    collections.map(async (each) => {
      const { docs } = await each.get();
      return docs.some((document) => JSON.stringify(document.data()).includes(READER)) ? [each.id] : [];
    }),
  );
  return found.flat().sort();
}

test('a reader is forgotten in all decks of the organization, and the owner is told', async () => {
  const other = await world.aPublisher();
  const [deck, second, foreign] = [
    await aDeckWithReader(owner),
    await aDeckWithReader(owner),
    await aDeckWithReader(other),
  ];
  const all = ['emailSends', 'linkReaders', 'linkTotals', 'openings', 'shareTokens', 'views'];
  expect(await traces(deck)).toEqual(all);
  const { status, data } = await forget();
  expect([status, data]).toEqual([202, { email: READER }]);
  await runJob('forgetReaders');
  expect([await traces(deck), await traces(second)]).toEqual([[], []]);
  expect(await traces(foreign)).toEqual(all);
  expect(await viewsOf(owner, deck)).toMatchObject([
    { email: null, emailIsProven: false, tokenName: 'Forgotten reader' },
  ]);
  expect((await insightsOf(owner, deck)).byLink).toMatchObject([{ tokenName: 'Forgotten reader', views: 1 }]);
  const path = `/${deck.presentationId}`;
  const { sends } = await succeed(
    world.call<{ sends: { email: string }[] }>('listEmailSends', undefined, { key: owner.key, path }),
  );
  expect(sends[0]!.email).toMatch(/^forgotten-[\da-f]{24}$/);
  const [mail] = await world.mails(owner.email);
  expect(mail!.text).toContain(READER);
  expect((await world.database.collection('readerRemovals').get()).size).toBe(0);
});

test('a link that admitted only the reader admits nobody, and its name goes with the next visits', async () => {
  const deck = await aDeckWithReader(owner);
  const { presentationId, tokenId } = deck;
  await succeed(
    world.call('updateShareToken', { presentationId, tokenId, allowedEmails: [READER] }, { key: owner.key }),
  );
  await forget();
  await runJob('forgetReaders');
  const path = `/${presentationId}/${tokenId}`;
  const row = await succeed(world.call('getShareToken', undefined, { key: owner.key, path }));
  expect(row).toMatchObject({ allowedEmails: [], allowedEmailCount: 0, state: 'open' });
});

test('only a session may ask for it', async () => {
  expect((await forget(owner.key)).status).toBe(403);
});
