import { setTimeout as pause } from 'node:timers/promises';
import { timeLeftMs, withinTimeout } from '../../functions/src/deadlines';
import { readIn } from '../../functions/src/records/database';
import { presentationRef } from '../../functions/src/records/presentations';
import { transact } from '../../functions/src/records/transact';
import { passSeconds } from '../support/clock';
import { runJob } from '../support/jobs';
import { startLossyFirestore, type LossyFirestore } from '../support/lossy-firestore';
import { blob, page, succeed, World, type Account, type Answered } from '../support/world';

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
/** The data of a call while the answers to the next commits are lost. */
async function losing<T>(commits: number, send: () => Promise<Answered<T>>): Promise<T> {
  network.loseAnswers(commits);
  const answer = await send();
  network.loseAnswers(0);
  return succeed(Promise.resolve(answer));
}
const opens = async (deck: { presentationId: string; token: string }) =>
  (await world.visit(world.viewUrl(deck))) === 200;
const isKey = async (key: string) => (await world.call('verifyApiKey', undefined, { key })).status === 200;

describe('when the answer to a commit is lost', () => {
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

  test('a version is made once, with and without a base version', async () => {
    const { presentationId } = await world.aDeck(owner);
    const push = (fields: object) => losing(1, () => world.commit(owner, { presentationId, ...fields }, [page()]));
    expect([(await push({ expectedBaseVersion: 1 })).version, (await push({})).version]).toEqual([2, 3]);
    expect(await count(`presentations/${presentationId}/versions`)).toBe(3);
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
