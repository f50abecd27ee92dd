import { passSeconds } from '../../support/clock';
import { network, startWorldBehindNetwork } from '../../support/gateways';
import { runJob } from '../../support/jobs';
import { type Account, page, succeed, world } from '../../support/world';
import { count, losing } from './lost-answers';

/**
 * The answer to a commit is lost, for one endpoint after the other. The server has applied the commit, and the SDK runs
 * the transaction again.
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
    type Made = { token: string; version: number };
    const made = await losing(1, () => world.commit<Made>(owner, { sessionId, title: 'x' }, [page()]));
    expect([made.version, await opens({ presentationId, token: made.token })]).toEqual([1, true]);
    expect(await count(`presentations/${presentationId}/shareTokens`)).toBe(1);
  });

  test('a remix makes one deck, and the caller gets its token', async () => {
    const { slug } = await world.aListing(await world.aPublisher());
    const { key } = await world.anOwner();
    type Remix = { presentationId: string; token: string };
    const deck = await losing(4, () => world.call<Remix>('remixMarketplaceListing', { slug }, { key }));
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
    const keys = await world.database.collection('apiKeys').where('organizationId', '==', organizationId).get();
    expect(keys.size).toBe(2);
  });

  test('a link is mailed once and stays live', async () => {
    const { presentationId } = await world.aDeck(owner);
    for (const lost of [1, 2, 3]) {
      const email = `lost-${lost}-${Date.now()}@example.org`;
      type Shared = { sent: { shareUrl: string }[] };
      const { sent } = await losing(lost, () =>
        world.call<Shared>('sharePresentationViaEmail', { presentationId, emails: [email] }, { key: owner.key }),
      );
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
    expect((await signUp(code === '000000' ? '000001' : '000000')).error.details).toEqual({ attemptsRemaining: 4 });
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
    const views = Array.from({ length: 20 }, (_, i) => {
      const headers = { 'x-forwarded-for': `192.0.2.${i}` };
      return succeed(world.call('recordMarketplaceView', { slug }, { headers }));
    });
    await Promise.all(views);
    network.loseAnswers(2);
    await runJob('foldMarketplaceCounters');
    const listing = await world.database.doc(`listings/${slug}`).get();
    expect(listing.data()).toMatchObject({ stars: 0, viewCount: 21, remixCount: 1 });
    await losing(2, () => world.call('reportMarketplaceListing', { slug, reason: 'spam' }));
    const places = await world.database.collection(`listingReports/${slug}/reports`).get();
    expect(places.docs.map((each) => each.data())).toMatchObject([{ reason: 'spam', count: 1, texts: { length: 1 } }]);
  });
});
