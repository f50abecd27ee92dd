import type { z } from 'zod';
import type { Answer as Row } from '../../../functions/src/endpoints/tokens/answerAccessRequest';
import type { Answer as List } from '../../../functions/src/endpoints/tokens/listAccessRequests';
import { mailPageUrl } from '../../../functions/src/mail/mail-page-url';
import { mailTokenFor } from '../../../functions/src/records/mail-recipients';
import { recipientKey } from '../../../functions/src/records/recipient-key';
import { labelOfListing, labelOfToken } from '../../../functions/src/values/deck-origins';
import { atOnce, outcomes, refusal } from '../../support/answers';
import { askAt, askFor, asksOf, storeAsk } from '../../support/ask';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { runJob } from '../../support/jobs';
import { failing } from '../../support/mail-gateway';
import { deck, gateway, owner, someone, startMailing } from '../../support/mailing';
import { succeed, world } from '../../support/world';

/** A person who has proved an address asks the owner of a deck for access, and the owner answers. */

type AccessRow = z.output<typeof Row>;
const DAY = 86_400;
const NOBODY = 'a'.repeat(32);

let session: string;
let asker: string;
startMailing('pro', 'Secret title');
beforeEach(async () => {
  session = await world.aDashboardSession(owner);
  asker = someone();
});

const label = () => labelOfToken(deck.tokenId);
const list = async (key = session, query = {}) =>
  (await succeed(world.call<z.output<typeof List>>('listAccessRequests', undefined, { key, query }))).requests;
const answer = (requestId: string, allow: boolean, key = session) =>
  world.call<AccessRow>('answerAccessRequest', { requestId, allow }, { key });
const set = (rules: object) => {
  const { presentationId, tokenId } = deck;
  return succeed(world.call('updateShareToken', { presentationId, tokenId, ...rules }, { key: owner.key }));
};
/** Asks for access to the deck. Returns the id of the request. */
async function asked(message?: string): Promise<string> {
  await askFor(deck, asker, message);
  return (await list())[0]!.requestId;
}
const links = async () => {
  type Info = { tokens: { tokenId: string; name: string; hasPasscode: boolean; expiresAt: string | null }[] };
  const query = { presentationId: deck.presentationId };
  return (await succeed(world.call<Info>('getSharedPresentationInfo', undefined, { key: owner.key, query }))).tokens;
};
const newLinks = async () => (await links()).filter(({ name }) => name === asker);

describe('a request', () => {
  test('is mailed to the owner once by a job, however often it runs, and listed', async () => {
    await askAt(world, label(), asker, 'We met at the fair');
    expect([await list(), await world.mails(owner.email)]).toEqual([[], []]);
    await runJob('notifyOwners');
    // A run that was cut off before it noted the mail.
    const [request] = await asksOf(world, asker);
    await request!.ref.update({ isDue: true });
    await atOnce(2, () => runJob('notifyOwners'));
    const mails = await world.mails(owner.email);
    expect(mails).toHaveLength(1);
    for (const text of [asker, 'Secret title', 'We met at the fair', '/dashboard/requests'])
      expect(mails[0]!.text).toContain(text);
    const { presentationId } = deck;
    const row = { presentationId, title: 'Secret title', tokenName: 'default', email: asker, status: 'open' };
    expect(await list()).toEqual([
      { ...row, message: 'We met at the fair', requestId: expect.any(String), createdAt: expect.any(String) },
    ]);
    expect(await list(await world.aDashboardSession(await world.anOwner()))).toEqual([]);
    expect(await refusal(world.call('listAccessRequests', undefined, { key: owner.key }))).toEqual([
      403,
      'permission-denied',
    ]);
  });

  test('is one a day for a deck and a mailbox, and 10 mails a day for a deck', async () => {
    await askFor(deck, asker);
    await askFor(deck, asker.replace('@', '+again@'));
    expect(await list()).toHaveLength(1);
    for (let i = 0; i < 10; i++) await storeAsk(label(), `many-${i}-${asker}`);
    await runJob('notifyOwners');
    expect([(await list()).length, (await world.mails(owner.email)).length]).toEqual([11, 10]);
    passSeconds(DAY);
    await askFor(deck, asker);
    session = await world.aDashboardSession(owner);
    expect([(await list()).length, (await world.mails(owner.email)).length]).toEqual([12, 11]);
  });

  test.each([
    ['a label of nobody', () => Promise.resolve(NOBODY)],
    ['a listing', async () => labelOfListing((await world.aListing(await world.aPublisher())).slug)],
    [
      'a deck that was taken down',
      async () => {
        await world.database.doc(`presentations/${deck.presentationId}`).update({
          takedown: { at: new Date(), reason: 'x' },
        });
        return label();
      },
    ],
    [
      'an expired deck',
      async () => {
        await world.database.doc(`presentations/${deck.presentationId}`).update({ expiresAt: new Date(1) });
        return label();
      },
    ],
  ])('at %s is dropped', async (_what, labelOf) => {
    await storeAsk(await labelOf(), asker);
    await runJob('notifyOwners');
    expect([await asksOf(world, asker), await world.mails(owner.email)]).toEqual([[], []]);
  });

  test('is listed and not mailed when the owner stopped such mails', async () => {
    await askFor(deck, asker);
    const page = /https?:\/\/\S+\/mail\/[\w-]+/.exec((await world.mails(owner.email))[0]!.text)![0];
    await fetch(page, { method: 'POST' });
    await askFor(deck, `other-${asker}`);
    expect([(await list()).length, (await world.mails(owner.email)).length]).toEqual([2, 1]);
  });

  test('is paged, newest first, and ends after 7 days or with its deck', async () => {
    await askFor(deck, asker);
    passSeconds(1);
    await askFor(deck, `later-${asker}`);
    const [first, second] = [await list(session, { limit: 1 }), await list()];
    expect([first.map(({ email }) => email), second.length]).toEqual([[`later-${asker}`], 2]);
    const requestId = second[1]!.requestId;
    const login = await world.aDashboardSession(owner);
    passSeconds(7 * DAY);
    expect(await refusal(answer(requestId, true, await world.aDashboardSession(owner)))).toEqual([404, 'not-found']);
    expect((await list(await world.aDashboardSession(owner))).length).toBeLessThan(2);
    jest.useRealTimers();
    await succeed(world.call('deletePresentation', { presentationId: deck.presentationId }, { key: owner.key }));
    expect(await list(login)).toEqual([]);
    expect(await refusal(answer(requestId, true, login))).toEqual([404, 'not-found']);
  });
});

describe('an answer', () => {
  test('that allows mails one link with the rules of the other, for the asker alone, however many calls race', async () => {
    await set({ passcode: 'orchid-47', expiresAt: new Date(Date.now() + 60_000).toISOString(), maxOpenings: 3 });
    const requestId = await asked();
    passSeconds(61);
    const answers = await atOnce(4, () => answer(requestId, true));
    expect(outcomes(answers)).toEqual({ ok: 4 });
    expect(await succeed(answer(requestId, true))).toMatchObject({ status: 'allowed', email: asker });
    const made = await newLinks();
    expect(made).toMatchObject([
      { hasPasscode: true, maxOpenings: 3, openings: 0, expiresAt: null, allowedEmailCount: 1, state: 'open' },
    ]);
    const mails = (await world.mails(asker)).filter(({ text }) => text.includes('Secret title'));
    expect([mails.length, mails[0]!.text.includes(`opens only with a code that is sent to ${asker}`)]).toEqual([
      1,
      true,
    ]);
    expect(await refusal(answer(requestId, false))).toEqual([409, 'conflict']);
    const sends = await succeed(
      world.call<{ sends: object[] }>('listEmailSends', undefined, {
        key: owner.key,
        query: { presentationId: deck.presentationId },
      }),
    );
    expect(sends.sends).toMatchObject([{ email: asker, tokenId: made[0]!.tokenId, outcome: 'sent' }]);
  });

  test('that declines makes no link, and cannot be taken back', async () => {
    const requestId = await asked();
    const answers = await atOnce(3, () => answer(requestId, false));
    expect(outcomes(answers)).toEqual({ ok: 3 });
    expect(await refusal(answer(requestId, true))).toEqual([409, 'conflict']);
    expect([(await list())[0]!.status, await newLinks()]).toEqual(['declined', []]);
  });

  test('of both kinds at once is one of them', async () => {
    const requestId = await asked();
    const answers = await atOnce(4, (i) => answer(requestId, i % 2 === 0));
    const [{ status }] = (await list()) as [AccessRow];
    expect(outcomes(answers)).toEqual({ ok: 2, conflict: 2 });
    expect((await newLinks()).length).toBe(status === 'allowed' ? 1 : 0);
  });

  test('comes from the owner alone, in a session', async () => {
    const requestId = await asked();
    const dev = await world.anOwner();
    await world.addMember(deck, dev);
    for (const other of each([dev, await world.anOwner()]))
      expect(await refusal(answer(requestId, true, await world.aDashboardSession(other)))).toEqual([404, 'not-found']);
    for (const key of [owner.key, await world.anAdmin()])
      expect(await refusal(answer(requestId, true, key))).toEqual([403, 'permission-denied']);
    expect((await list())[0]!.status).toBe('open');
  });

  test.each([
    ['was taken down', { takedown: { at: new Date(), reason: 'x' } }],
    ['has expired', { expiresAt: new Date(1) }],
  ])('that allows is refused for a deck that %s, and the request stays open', async (_what, change) => {
    const requestId = await asked();
    const stored = world.database.doc(`presentations/${deck.presentationId}`);
    await stored.update(change);
    expect(await refusal(answer(requestId, true))).toEqual([409, 'conflict']);
    await stored.update({ takedown: null, expiresAt: null });
    expect([(await list())[0]!.status, await newLinks()]).toEqual(['open', []]);
    await succeed(answer(requestId, true));
  });

  test('that allows mails nobody who stopped such mails, and counts to the mails of the organization', async () => {
    const requestId = await asked();
    const stop = mailPageUrl(mailTokenFor(await recipientKey(), asker, { ...deck, ...owner }));
    await fetch(`${stop}?choice=all`, { method: 'POST' });
    expect(await refusal(answer(requestId, true))).toEqual([409, 'conflict']);
    expect([await newLinks(), (await list())[0]!.status]).toEqual([[], 'open']);
    await fetch(`${stop}?choice=resume`, { method: 'POST' });
    await succeed(answer(requestId, true));
    const usage = await succeed(
      world.call<{ mailsToday: { used: number } }>('getUsage', undefined, { key: owner.key }),
    );
    expect(usage.mailsToday.used).toBe(1);
  });

  test('that allows is repeated after an outage of the provider, and sends one mail', async () => {
    const requestId = await asked();
    gateway.plan(...failing(503, 'unavailable'));
    expect(await refusal(answer(requestId, true))).toEqual([409, 'conflict']);
    await succeed(answer(requestId, true));
    expect(await newLinks()).toHaveLength(1);
    expect((await world.mails(asker)).filter(({ text }) => text.includes('Secret title'))).toHaveLength(1);
  });
});
