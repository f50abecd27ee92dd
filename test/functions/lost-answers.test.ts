import { setTimeout as pause } from 'node:timers/promises';
import { timeLeftMs, withinTimeout } from '../../functions/src/deadlines';
import { readIn } from '../../functions/src/records/database';
import { presentationRef } from '../../functions/src/records/presentations';
import { transact } from '../../functions/src/records/transact';
import { passSeconds } from '../support/clock';
import { runJob } from '../support/jobs';
import { startLossyFirestore, type LossyFirestore } from '../support/lossy-firestore';
import { blob, page, succeed, World, type Account } from '../support/world';

/** The server applies a commit and its answer is lost. The SDK then runs the transaction again. */

let world: World;
let network: LossyFirestore;
let owner: Account;

beforeAll(async () => {
  world = await World.start();
  network = await startLossyFirestore(world.cloud.firestoreHost);
  // The functions connect through the gateway with their first request. The test is already connected directly.
  process.env['FIRESTORE_EMULATOR_HOST'] = network.host;
  owner = await world.anOwner();
});
afterAll(async () => {
  await network.close();
  await world.stop();
});

const count = async (path: string) => (await world.database.collection(path).get()).size;

describe('when the answer to a commit is lost', () => {
  test('a new deck is made once, and the caller gets its token', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    network.loseAnswers(1);
    const deck = await succeed(
      world.commit<{ token: string; version: number }>(owner, { sessionId, title: 'x' }, [page()]),
    );
    expect(deck.version).toBe(1);
    expect(await world.visit(world.viewUrl({ presentationId, token: deck.token }))).toBe(200);
    expect(await count(`presentations/${presentationId}/shareTokens`)).toBe(1);
  });

  test('a remix makes one deck, and the caller gets its token', async () => {
    const { slug } = await world.aListing(await world.aPublisher());
    const reader = await world.anOwner();
    network.loseAnswers(4);
    const deck = await succeed(
      world.call<{ presentationId: string; token: string }>('remixMarketplaceListing', { slug }, { key: reader.key }),
    );
    expect(await world.visit(world.viewUrl(deck))).toBe(200);
    const { presentations } = await succeed(
      world.call<{ presentations: object[] }>('listMyPresentations', undefined, { key: reader.key }),
    );
    expect(presentations).toHaveLength(1);
    expect(await count('uploadSessions')).toBe(0);
  });

  test('a version is made once, with and without a base version', async () => {
    const { presentationId } = await world.aDeck(owner);
    network.loseAnswers(1);
    expect((await succeed(world.commit(owner, { presentationId, expectedBaseVersion: 1 }, [page()]))).version).toBe(2);
    network.loseAnswers(1);
    expect((await succeed(world.commit(owner, { presentationId }, [page()]))).version).toBe(3);
    expect(await count(`presentations/${presentationId}/versions`)).toBe(3);
  });

  test('a code is mailed and accepted once, and the caller gets the new key', async () => {
    const { email, organizationId } = await world.anOwner();
    passSeconds(31);
    network.loseAnswers(1);
    await succeed(world.call('cliRequestLoginOtp', { email }));
    const code = await world.mailedCode(email);
    network.loseAnswers(1);
    const { apiKey } = await succeed(world.call<{ apiKey: { raw: string } }>('cliCompleteLogin', { email, code }));
    expect((await world.call('verifyApiKey', undefined, { key: apiKey.raw })).status).toBe(200);
    const keys = await world.database.collection('apiKeys').where('organizationId', '==', organizationId).get();
    expect(keys.size).toBe(2);
  });

  test('a link is mailed once and stays live', async () => {
    const deck = await world.aDeck(owner);
    for (const lost of [1, 2, 3]) {
      const email = `lost-${lost}-${Date.now()}@example.org`;
      network.loseAnswers(lost);
      const body = { presentationId: deck.presentationId, emails: [email] };
      const { sent } = await succeed(
        world.call<{ sent: { shareUrl: string }[] }>('sharePresentationViaEmail', body, { key: owner.key }),
      );
      network.loseAnswers(0);
      expect(await world.mails(email)).toHaveLength(1);
      passSeconds(3600);
      const token = new URL(sent[0]!.shareUrl).searchParams.get('token')!;
      expect(await world.visit(world.viewUrl({ presentationId: deck.presentationId, token }))).toBe(200);
    }
    expect(await count(`presentations/${deck.presentationId}/shareTokens`)).toBe(4);
    expect(await count(`presentations/${deck.presentationId}/emailSends`)).toBe(3);
  });

  test('an account is made once, and a wrong code counts once', async () => {
    const email = `lost-${Date.now()}@example.org`;
    await succeed(world.call('cliRequestSignupOtp', { email }));
    const code = await world.mailedCode(email);
    network.loseAnswers(1);
    const wrong = await world.call('cliCompleteSignup', {
      email,
      code: code === '000000' ? '000001' : '000000',
      user: { firstName: 'A' },
    });
    expect(wrong.error.details).toEqual({ attemptsRemaining: 4 });
    network.loseAnswers(2);
    const { apiKey } = await succeed(
      world.call<{ apiKey: { raw: string } }>('cliCompleteSignup', { email, code, user: { firstName: 'A' } }),
    );
    expect((await world.call('verifyApiKey', undefined, { key: apiKey.raw })).status).toBe(200);
  });

  test('a star, a view and a report count once, and a fold adds each count once', async () => {
    const publisher = await world.aPublisher();
    const { slug } = await world.aListing(publisher);
    const mine = { key: publisher.key };
    const stored = async () => (await world.database.doc(`listings/${slug}`).get()).data();
    for (const [name, answer] of [
      ['starMarketplaceListing', { slug, starred: true, stars: 1 }],
      ['unstarMarketplaceListing', { slug, starred: false, stars: 0 }],
      ['recordMarketplaceView', { slug, viewCount: 1 }],
      ['recordMarketplaceRemix', { slug, remixCount: 1 }],
    ] as const) {
      network.loseAnswers(2);
      expect(await succeed(world.call(name, { slug }, mine))).toEqual(answer);
      network.loseAnswers(0);
    }
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const headers = { 'x-forwarded-for': `192.0.2.${i}` };
        return succeed(world.call('recordMarketplaceView', { slug }, { headers }));
      }),
    );
    network.loseAnswers(2);
    await runJob('foldMarketplaceCounters');
    expect(await stored()).toMatchObject({ stars: 0, viewCount: 21, remixCount: 1 });
    network.loseAnswers(2);
    await succeed(world.call('reportMarketplaceListing', { slug, reason: 'spam' }));
    const places = await world.database.collection(`listingReports/${slug}/reports`).get();
    expect(places.docs.map((each) => each.data())).toMatchObject([{ reason: 'spam', count: 1, texts: { length: 1 } }]);
  });

  test('uploads at the same time are recorded, and each file is counted once', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const files = Array.from({ length: 12 }, () => blob(100));
    network.loseAnswers(2);
    const answers = await Promise.all(files.map((file) => world.upload(owner, { sessionId }, file)));
    network.loseAnswers(0);
    expect(answers.map(({ status }) => status)).toEqual(files.map(() => 200));
    expect(await count(`presentations/${presentationId}/blobs`)).toBe(12);
    const counters = await world.database.collection(`presentations/${presentationId}/uploadCounters`).get();
    const sum = (unit: string) => counters.docs.reduce((total, shard) => total + (shard.get(unit) as number), 0);
    expect([sum('files'), sum('bytes')]).toEqual([12, 1200]);
  });
});

test('a transaction whose request has no time left is rolled back, so that its locks do not stay', async () => {
  const { presentationId } = await world.aDeck(owner);
  const { calls } = await world.costOf(async () => {
    const late = withinTimeout(6, () =>
      transact(async (tx) => {
        await readIn(tx, presentationRef(presentationId));
        while (timeLeftMs() > 0) await pause(10);
        throw new Error('The transaction is given up.');
      }),
    );
    // Whichever comes first: the end of the transaction's time, or its own error.
    await expect(late).rejects.toThrow(/did not answer in time|^The transaction is given up\.$/);
    // This write waits until the lock of the transaction is free.
    await world.database.doc(`presentations/${presentationId}`).update({ title: 'Written later' });
  });
  expect(calls).toMatchObject({ Rollback: 1 });
});
