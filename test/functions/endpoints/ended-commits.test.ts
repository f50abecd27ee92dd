import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { timeLeftMs, withinTimeout } from '../../../functions/src/deadlines';
import { readIn } from '../../../functions/src/records/database';
import { GRACE_MS } from '../../../functions/src/records/deletions';
import { presentationRef } from '../../../functions/src/records/presentations';
import { transact } from '../../../functions/src/records/transact';
import { SESSION_TTL_SECONDS } from '../../../functions/src/records/upload-sessions';
import { refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { losing, network, startWorldBehindNetwork } from '../../support/gateways';
import { meanwhile, type HeldCalls } from '../../support/held-calls';
import { runJob } from '../../support/jobs';
import { count, everythingStored } from '../../support/whole-store';
import { type Account, type Answered, blob, type Deck, page, succeed, world } from '../../support/world';

/**
 * Commits whose deck, session or permission ends between their first read and their transaction, and commits whose
 * answer is lost. The gateway holds the transaction's first read or drops the answer, so that the order of events is
 * the same in every run.
 */

let owner: Account;
let dev: Account;

startWorldBehindNetwork(async () => {
  [owner, dev] = await Promise.all([world.aPublisher(), world.anOwner()]);
});

/** A commit reads the organization twice: before its transaction and inside it. Holds that read of a call. */
function holdTransaction(account: Account, read = 2): HeldCalls {
  let reads = 0;
  const isThat = (message: Buffer) => message.includes(`organizations/${account.organizationId}`) && ++reads === read;
  return network.hold('BatchGetDocuments', isThat, 1);
}

const deleteDeck = (presentationId: string) =>
  succeed(world.call('deletePresentation', { presentationId }, { key: owner.key }));
const sessionsOfRemixes = async () => {
  const { docs } = await world.database.collection('uploadSessions').get();
  return docs.filter(({ id }) => id.startsWith('remix-'));
};
const versionOf = async (presentationId: string) =>
  (await world.database.doc(`presentations/${presentationId}`).get()).get('current.version') as number;
const storedOf = async (presentationId: string) =>
  (await everythingStored(world)).filter((name) => name.includes(presentationId));
async function cleanUp(): Promise<void> {
  passSeconds(GRACE_MS / 1000 + 1);
  await runJob('removeExpiredSessions');
  await runJob('finishDeletions');
  await runJob('makePictures');
}
/** The call is refused, and after a clean-up nothing of the deck is stored. */
async function expectNothing(presentationId: string, ended: Promise<Answered<unknown>>): Promise<void> {
  expect(await refusal(ended)).toEqual([404, 'not-found']);
  await cleanUp();
  expect(await storedOf(presentationId)).toEqual([]);
}

describe('a commit that is under way', () => {
  test('is refused to a dev whose access ends meanwhile', async () => {
    const { presentationId } = await world.aDeck(owner);
    const input = { presentationId, email: dev.email };
    await succeed(world.call('inviteCollaborator', input, { key: owner.key }));
    await world.uploadAll(dev, { presentationId }, [page('Two')]);
    // The plan of the deck applies, which is the plan of the owner's organization.
    const uninvite = () => succeed(world.call('uninviteCollaborator', input, { key: owner.key }));
    const held = holdTransaction(owner);
    const ended = meanwhile(held, world.commit(dev, { presentationId }, [page('Two')]), uninvite);
    expect(await refusal(ended)).toEqual([403, 'permission-denied']);
    expect(await versionOf(presentationId)).toBe(1);
  });

  test('answers 404 and stores nothing when the deck is deleted meanwhile', async () => {
    const { presentationId } = await world.aDeck(owner);
    await world.uploadAll(owner, { presentationId }, [page('Two')]);
    const held = holdTransaction(owner);
    const committing = world.commit(owner, { presentationId }, [page('Two')]);
    const ended = meanwhile(held, committing, () => deleteDeck(presentationId));
    await expectNothing(presentationId, ended);
  });

  /** A session in its last second, with an uploaded file. */
  async function aLateSession() {
    const { sessionId, presentationId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    passSeconds(SESSION_TTL_SECONDS - 1);
    return { sessionId, presentationId };
  }

  test('answers 404 and stores nothing when the session is removed meanwhile', async () => {
    const { sessionId, presentationId } = await aLateSession();
    const held = holdTransaction(owner);
    const committing = world.commit(owner, { sessionId, title: 'x' }, [page()]);
    const ended = meanwhile(held, committing, () => {
      // The clock of the job is ahead by the maximum that the service allows for.
      passSeconds(1);
      return cleanUp();
    });
    await expectNothing(presentationId, ended);
  });

  test('in the last second of a session makes a deck that the scheduled functions do not damage', async () => {
    const { sessionId } = await aLateSession();
    const held = holdTransaction(owner);
    const committing = world.commit<Deck>(owner, { sessionId, title: 'x' }, [page()]);
    const { data } = await meanwhile(held, committing, () => {
      passSeconds(GRACE_MS / 1000 - 1);
      return runJob('removeExpiredSessions');
    });
    await cleanUp();
    expect(await world.visit(world.viewUrl(data))).toBe(200);
  });

  test('is refused when the plan shrinks meanwhile, for a new deck and for the next version', async () => {
    const large = { ...page(), bytes: Buffer.alloc(11 * 1024 * 1024, ' ') };
    const organization = world.database.doc(`organizations/${owner.organizationId}`);
    const { presentationId } = await world.aDeck(owner);
    const { sessionId } = await world.aSession(owner);
    for (const target of [{ presentationId }, { sessionId, title: 'x' }]) {
      await world.uploadAll(owner, target, [large]);
      await organization.update({ plan: 'starter' });
      const held = holdTransaction(owner);
      const committing = world.commit(owner, target, [large]);
      const ended = meanwhile(held, committing, () => organization.update({ plan: 'free' }));
      expect(await refusal(ended)).toEqual([413, 'payload-too-large']);
    }
    expect(await versionOf(presentationId)).toBe(1);
  });
});

describe('a remix that is under way', () => {
  // The transaction that opens the session of the remix reads the organization, too.
  const remix = (slug: string) => world.call<Deck>('remixMarketplaceListing', { slug }, { key: dev.key });

  test('makes no deck when its session is removed meanwhile', async () => {
    const { slug } = await world.aListing(owner, {}, await world.aDeck(owner, [page(), blob(40)]));
    const held = holdTransaction(dev, 3);
    let presentationId = '';
    const ended = meanwhile(held, remix(slug), async () => {
      presentationId = (await sessionsOfRemixes())[0]!.get('presentationId') as string;
      passSeconds(SESSION_TTL_SECONDS + 1);
      await cleanUp();
    });
    expect(await refusal(ended)).toEqual([409, 'conflict']);
    expect(await storedOf(presentationId)).toEqual([]);
  });

  test('fails and stores nothing when its source is deleted meanwhile', async () => {
    const source = await world.aDeck(owner, [page(), blob(40)]);
    const { slug } = await world.aListing(owner, {}, source);
    const held = holdTransaction(dev, 3);
    const ended = meanwhile(held, remix(slug), () => deleteDeck(source.presentationId));
    expect(await refusal(ended)).toEqual([410, 'expired']);
    passSeconds(SESSION_TTL_SECONDS);
    await cleanUp();
    expect(await sessionsOfRemixes()).toEqual([]);
  });
});

test('a link that is added while its deck is deleted is not made', async () => {
  const { presentationId } = await world.aDeck(owner);
  const held = network.hold('BatchGetDocuments', (message) => message.includes(`presentations/${presentationId}`), 1);
  const adding = world.call('addPresentationToken', { presentationId, tokenName: 'x' }, { key: owner.key });
  const ended = meanwhile(held, adding, () => deleteDeck(presentationId));
  await expectNothing(presentationId, ended);
});

test('an invitation that is taken back while its address logs in gives no access', async () => {
  const { presentationId } = await world.aDeck(owner);
  const email = `invited-${randomUUID()}@example.org`;
  const input = { presentationId, email };
  await succeed(world.call('inviteCollaborator', input, { key: owner.key }));
  await succeed(world.call('cliRequestSignupOtp', { email }, { headers: { 'x-forwarded-for': randomUUID() } }));
  const code = await world.mailedCode(email);
  const isOfRow = (message: Buffer) => message.includes(`presentations/${presentationId}/collaborators/`);
  const held = network.hold('BatchGetDocuments', isOfRow, 1);
  const body = { email, code, user: { firstName: 'A' } };
  const signingUp = world.call<{ apiKey: { raw: string } }>('cliCompleteSignup', body);
  const uninvite = () => succeed(world.call('uninviteCollaborator', input, { key: owner.key }));
  const key = (await meanwhile(held, signingUp, uninvite)).data.apiKey.raw;
  expect((await world.call('precheckAssets', { presentationId, hashes: [] }, { key })).status).toBe(403);
});

/** The server applies a commit and its answer is lost. The SDK then runs the transaction again. */
describe('when the answer to a commit is lost', () => {
  test('a version is made once, with and without a base version', async () => {
    const { presentationId } = await world.aDeck(owner);
    const push = (fields: object) => losing(1, () => world.commit(owner, { presentationId, ...fields }, [page()]));
    expect([(await push({ expectedBaseVersion: 1 })).version, (await push({})).version]).toEqual([2, 3]);
    expect(await count(`presentations/${presentationId}/versions`)).toBe(3);
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
  const work = () =>
    transact(async (tx) => {
      await readIn(tx, presentationRef(presentationId));
      while (timeLeftMs() > 0) await pause(10);
      throw new Error('The transaction is given up.');
    });
  const { calls } = await world.costOf(async () => {
    const late = withinTimeout(6, work);
    // Whichever comes first: the end of the transaction's time, or its own error.
    await expect(late).rejects.toThrow(/did not answer in time|^The transaction is given up\.$/);
    // This write waits until the lock of the transaction is free.
    await world.database.doc(`presentations/${presentationId}`).update({ title: 'Written later' });
  });
  expect(calls).toMatchObject({ Rollback: 1 });
});

test('a transaction that was given up is not committed later', async () => {
  const { presentationId } = await world.aDeck(owner);
  const { CALL_TIMEOUT_MS } = process.env;
  process.env['CALL_TIMEOUT_MS'] = '2000';
  network.refuse(status.UNAVAILABLE, ['Commit']);
  const late = transact(async (tx) => {
    await pause(900);
    tx.delete(presentationRef(presentationId));
  });
  await expect(late).rejects.toThrow('Firestore did not answer in time.');
  network.refuse(undefined);
  // The SDK repeats the commit after pauses of random length.
  await pause(1500);
  expect(await versionOf(presentationId)).toBe(1);
  process.env['CALL_TIMEOUT_MS'] = CALL_TIMEOUT_MS!;
});
