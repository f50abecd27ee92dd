import { status } from '@grpc/grpc-js';
import { atOnce } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { newestEvents } from '../../support/events';
import { losing, network, startWorldBehindNetwork } from '../../support/gateways';
import { runJob } from '../../support/jobs';
import { wrong } from '../../support/sign-in';
import { aReader } from '../../support/views';
import { count, documentsWith } from '../../support/whole-store';
import { type Account, type Deck, page, succeed, world } from '../../support/world';

/**
 * The answer to a commit is lost, for one endpoint after the other. The server has applied the commit, and the SDK runs
 * the transaction again. An event exists when its change is committed, and only then.
 */

let owner: Account;

startWorldBehindNetwork(async () => {
  owner = await world.aPublisher();
});

describe('when the answer to a commit is lost', () => {
  const opens = async (deck: { presentationId: string; token: string }) =>
    (await world.visit(world.viewUrl(deck))) === 200;
  const isKey = async (key: string) => (await world.call('verifyApiKey', undefined, { key })).status === 200;

  test('a new deck is made once, and the caller gets its token', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    const made = await losing(1, () => world.commit<Deck>(owner, { sessionId, title: 'x' }, [page()]));
    expect([made.version, await opens(made)]).toEqual([1, true]);
    expect(await count(`presentations/${presentationId}/shareTokens`)).toBe(1);
  });

  test('a remix makes one deck, and the caller gets its token', async () => {
    const { slug } = await world.aListing(await world.aPublisher());
    const { key } = await world.anOwner();
    const deck = await losing(4, () => world.call<Deck>('remixMarketplaceListing', { slug }, { key }));
    expect(await opens(deck)).toBe(true);
    const mine = await succeed(world.call<{ presentations: object[] }>('listMyPresentations', undefined, { key }));
    expect(mine.presentations).toHaveLength(1);
    expect(await count('uploadSessions')).toBe(0);
  });

  test('a code is mailed and accepted once, and the caller gets the new key', async () => {
    const { email, organizationId } = await world.anOwner();
    passSeconds(31);
    await losing(1, () => world.call('cliRequestLoginOtp', { email }));
    const code = await world.mailedCode(email);
    type Login = { apiKey: { raw: string } };
    const { apiKey } = await losing(1, () => world.call<Login>('cliCompleteLogin', { email, code }));
    expect(await isKey(apiKey.raw)).toBe(true);
    expect(await documentsWith(world, 'apiKeys', 'organizationId', organizationId)).toHaveLength(2);
  });

  test('a link is mailed once and stays live', async () => {
    const { presentationId } = await world.aDeck(owner);
    for (const lost of [1, 2, 3]) {
      const email = `lost-${lost}-${Date.now()}@example.org`;
      const input = { presentationId, emails: [email] };
      type Shared = { sent: { shareUrl: string }[] };
      const share = () => world.call<Shared>('sharePresentationViaEmail', input, { key: owner.key });
      const { sent } = await losing(lost, share);
      expect(await world.mails(email)).toHaveLength(1);
      passSeconds(3600);
      const token = new URL(sent[0]!.shareUrl).searchParams.get('token')!;
      expect(await opens({ presentationId, token })).toBe(true);
    }
    expect(await count(`presentations/${presentationId}/shareTokens`)).toBe(4);
    expect(await count(`presentations/${presentationId}/emailSends`)).toBe(3);
  });

  test('an account is made once, and a wrong code counts once', async () => {
    const email = `lost-${Date.now()}@example.org`;
    await succeed(world.call('cliRequestSignupOtp', { email }));
    const code = await world.mailedCode(email);
    const signUp = (by: string) =>
      world.call<{ apiKey: { raw: string } }>('cliCompleteSignup', { email, code: by, user: { firstName: 'A' } });
    network.loseAnswers(1);
    expect((await signUp(wrong(code))).error.details).toEqual({ attemptsRemaining: 4 });
    const { apiKey } = await losing(2, () => signUp(code));
    expect(await isKey(apiKey.raw)).toBe(true);
  });

  test('a star, a view and a report count once, and a fold adds each count once', async () => {
    const publisher = await world.aPublisher();
    const { slug } = await world.aListing(publisher);
    for (const [name, answer] of [
      ['starMarketplaceListing', { slug, starred: true, stars: 1 }],
      ['unstarMarketplaceListing', { slug, starred: false, stars: 0 }],
      ['recordMarketplaceView', { slug, viewCount: 1 }],
      ['recordMarketplaceRemix', { slug, remixCount: 1 }],
    ] as const) {
      expect(await losing(2, () => world.call(name, { slug }, { key: publisher.key }))).toEqual(answer);
    }
    await atOnce(20, (i) => {
      const headers = { 'x-forwarded-for': `192.0.2.${i}` };
      return succeed(world.call('recordMarketplaceView', { slug }, { headers }));
    });
    network.loseAnswers(2);
    await runJob('foldMarketplaceCounters');
    const listing = await world.database.doc(`listings/${slug}`).get();
    expect(listing.data()).toMatchObject({ stars: 0, viewCount: 21, remixCount: 1 });
    await losing(2, () => world.call('reportMarketplaceListing', { slug, reason: 'spam' }));
    const places = await world.database.collection(`listingReports/${slug}/reports`).get();
    expect(places.docs.map((each) => each.data())).toMatchObject([{ reason: 'spam', count: 1, texts: { length: 1 } }]);
  });
});

describe('an event', () => {
  let deck: Deck;
  beforeEach(async () => {
    owner = await world.anOwner('pro');
    deck = await world.aDeck(owner);
  });
  afterEach(() => network.refuse(undefined));

  const rename = (title: string) =>
    world.call('renamePresentation', { presentationId: deck.presentationId, title }, { key: owner.key });
  const countOf = async (type: string) => (await newestEvents(owner, { type })).length;
  /** The title of the deck, and how many events of a rename there are. */
  const renamed = async () => {
    const record = await world.database.doc(`presentations/${deck.presentationId}`).get();
    return [record.get('title'), await countOf('presentation.renamed')];
  };

  test('of a change that the database refuses does not exist', async () => {
    network.refuse(status.PERMISSION_DENIED, ['Commit']);
    expect((await rename('Refused')).status).toBe(500);
    network.refuse(undefined);
    expect(await renamed()).toEqual(['A deck', 0]);
  });

  test('of a change whose answer is lost, and of one that is retried, exists once', async () => {
    network.loseAnswers(1);
    await succeed(rename('Lost'));
    expect(await renamed()).toEqual(['Lost', 1]);
    network.refuse(status.ABORTED, ['Commit'], 1);
    await succeed(rename('Retried'));
    expect(await renamed()).toEqual(['Retried', 2]);
  });

  test('of a view that is not recorded does not exist, and that of racing beacons exists once', async () => {
    const load = await (await aReader(deck)).load();
    network.refuse(status.PERMISSION_DENIED, ['Commit']);
    await load.tell();
    network.refuse(undefined);
    expect(await countOf('link.opened')).toBe(0);
    await Promise.all([load.tell(), load.tell({ seconds: 13 })]);
    expect(await countOf('link.opened')).toBe(1);
  });
});
