import type { z } from 'zod';
import type { Answer as Row } from '../../../functions/src/endpoints/tokens/answerAccessRequest';
import type { Answer as List } from '../../../functions/src/endpoints/tokens/listAccessRequests';
import { mailPageUrl } from '../../../functions/src/mail/mail-page-url';
import { mailTokenFor } from '../../../functions/src/records/mail-recipients';
import { recipientKey } from '../../../functions/src/records/recipient-key';
import { labelOfListing, labelOfToken, originOf } from '../../../functions/src/values/deck-origins';
import { atOnce, outcomes, refusal } from '../../support/answers';
import { askAt, askFor, asksOf, pageAfter, sendAsk, storeAsk } from '../../support/ask';
import { passSeconds } from '../../support/clock';
import { navigation, requestLocally } from '../../support/deck-origin';
import { each } from '../../support/each';
import { runJob } from '../../support/jobs';
import { failing } from '../../support/mail-gateway';
import { call, closed, deck, gateway, info, owner, sends, someone, startMailing } from '../../support/mailing';
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
const storedDeck = () => world.database.doc(`presentations/${deck.presentationId}`);
const list = async (key = session, query = {}) =>
  (await succeed(world.call<z.output<typeof List>>('listAccessRequests', undefined, { key, query }))).requests;
const answer = (requestId: string, allow: boolean, key = session) =>
  world.call<AccessRow>('answerAccessRequest', { requestId, allow }, { key });
/** Asks for access to the deck. Returns the id of the request. */
async function asked(): Promise<string> {
  await askFor(deck, asker);
  return (await list())[0]!.requestId;
}
const newLinks = async () => (await info()).tokens.filter(({ name }) => name === asker);
const mailsWithTitle = async () => (await world.mails(asker)).filter(({ text }) => text.includes('Secret title'));
describe('the page on which a person without a link asks', () => {
  test('is linked from each origin of a deck that opens nothing, whether the origin exists or not', async () => {
    const { slug } = await world.aListing(await world.aPublisher());
    const origins = [label(), NOBODY].map((each) => [each, originOf(world.cloud.deckOrigin!, each)] as const);
    const texts = [];
    for (const [of, origin] of origins) {
      const { status, text } = await requestLocally(`${origin}/`, { headers: navigation });
      expect([status, text.includes(`href="${world.cloud.hostingUrl}/share/ask/${of}"`)]).toEqual([404, true]);
      texts.push(text.replaceAll(of, 'x').replace(/<code[^>]*>[^<]*/, ''));
    }
    expect(texts[0]).toBe(texts[1]);
    const missing = await requestLocally(`${originOf(world.cloud.deckOrigin!, labelOfListing(slug))}/none.html`, {
      headers: navigation,
    });
    expect([missing.status, missing.text.includes('/share/ask/')]).toEqual([404, false]);
  });

  test('is the same for every label, and reads nothing', async () => {
    const pages: string[] = [];
    const cost = await world.costOf(async () => {
      for (const at of [label(), NOBODY]) {
        const page = await fetch(`${world.cloud.hostingUrl}/share/ask/${at}`);
        expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
        pages.push((await page.text()).replaceAll(at, 'x'));
      }
    });
    expect([pages[0] === pages[1], pages[0]!.includes('<script'), cost.roundTrips]).toEqual([true, false, 0]);
    for (const wrong of each(['abc', 'A'.repeat(32), `${NOBODY}/more`]))
      expect((await fetch(`${world.cloud.hostingUrl}/share/ask/${wrong}`)).status).toBe(404);
  });

  test('answers and costs the same for every label, up to the sent request', async () => {
    // The first instance of a new service makes this key.
    await recipientKey();
    const runs = [];
    for (const [i, of] of [label(), NOBODY].entries()) {
      const email = `same-${i}-${asker}`;
      const found: unknown[] = [];
      let gate = '';
      for (const step of ['first', 'wrong', 'right']) {
        const code = step === 'right' ? await world.mailedCode(email) : '000000';
        const fields = step === 'first' ? { label: of, email, message: 'Hello' } : { label: of, gate, code };
        let sent!: Awaited<ReturnType<typeof sendAsk>>;
        const cost = await world.costOf(async () => void (sent = await sendAsk(world, fields)));
        gate = sent.gate;
        const headers = [...sent.answer.headers.keys()].sort();
        const text = (await pageAfter(sent)).replaceAll(of, 'x').replaceAll(email, 'y').replaceAll(gate, 'z');
        found.push([sent.answer.status, headers, sent.location.length, cost.calls, text]);
      }
      expect((await world.mails(email)).length).toBe(1);
      runs.push(found);
    }
    expect(runs[0]).toEqual(runs[1]);
  });

  test.each([
    ['an address that is none', { email: 'nobody', message: 'Hello' }, 'This is not an email address.'],
    ['a web address', { message: 'See https://evil.example' }, 'without web'],
    ['a name with a dot', { message: 'look at evil.example now' }, 'without web'],
    ['201 characters', { message: 'x'.repeat(201) }, 'Keep the message to 200'],
    ['a control character', { message: 'a\u0007b' }, 'Keep the message to 200'],
  ])('refuses %s, keeps what was typed, and mails nothing', async (_what, fields, problem) => {
    const typed = { email: asker, ...fields };
    const page = await pageAfter(await sendAsk(world, { label: label(), ...typed }));
    for (const part of [problem, `value="${typed.email}"`, 'aria-invalid']) expect(page).toContain(part);
    expect(await world.mails(asker)).toEqual([]);
  });

  test('starts again after 10 minutes', async () => {
    const { gate } = await sendAsk(world, { label: label(), email: asker });
    const code = await world.mailedCode(asker);
    passSeconds(601);
    expect(await pageAfter(await sendAsk(world, { label: label(), gate, code }))).toContain('Please start again');
  });
});

describe('the code for asking', () => {
  test('is mailed in the name of the service, is for one label, and makes one request', async () => {
    const { gate } = await sendAsk(world, { label: label(), email: asker });
    const [mail] = await world.mails(asker);
    expect([mail!.text.includes('Secret'), mail!.html.includes(owner.email)]).toEqual([false, false]);
    const headers = { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
    expect(gateway.calls[0]!.mails[0]).toMatchObject({ headers });
    const code = await world.mailedCode(asker);
    const { gate: other } = await sendAsk(world, { label: NOBODY, email: asker });
    const elsewhere = await pageAfter(await sendAsk(world, { label: NOBODY, gate: other, code }));
    expect(elsewhere).toContain('This code is wrong');
    const pages = await atOnce(3, async () => pageAfter(await sendAsk(world, { label: label(), gate, code })));
    expect(pages.filter((page) => page.includes('Your request is sent'))).toHaveLength(1);
    await runJob('notifyOwners');
    const stored = await asksOf(world, asker);
    expect(stored.map((each) => each.get('label'))).toEqual([label()]);
  });
});

describe('a request', () => {
  test('is mailed to the owner once by a job, however often it runs, and listed', async () => {
    await askAt(world, label(), asker, 'We met at the fair');
    expect([await list(), await world.mails(owner.email)]).toEqual([[], []]);
    await runJob('notifyOwners');
    // A run that was cut off before it noted the mail.
    const [request] = await asksOf(world, asker);
    await request!.ref.update({ isDue: true });
    await atOnce(2, () => runJob('notifyOwners'));
    const [mail, ...more] = await world.mails(owner.email);
    expect(more).toEqual([]);
    for (const text of [asker, 'Secret title', 'We met at the fair', '/dashboard/requests'])
      expect(mail!.text).toContain(text);
    const of = { presentationId: deck.presentationId, title: 'Secret title', tokenName: 'default', email: asker };
    const added = { requestId: expect.any(String), createdAt: expect.any(String), status: 'open' };
    expect(await list()).toEqual([{ ...of, ...added, message: 'We met at the fair' }]);
    expect(await list(await world.aDashboardSession(await world.anOwner()))).toEqual([]);
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

  const expectDropped = async (at: string) => {
    await storeAsk(at, asker);
    await runJob('notifyOwners');
    expect([await asksOf(world, asker), await world.mails(owner.email)]).toEqual([[], []]);
  };

  test('at a label of nobody or of a listing is dropped', async () => {
    await expectDropped(NOBODY);
    await expectDropped(labelOfListing((await world.aListing(await world.aPublisher())).slug));
  });

  test.each(closed)('at a deck that %s is dropped', async (_what, change) => {
    await storedDeck().update(change);
    await expectDropped(label());
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
    await succeed(call('deletePresentation'));
    expect(await list(login)).toEqual([]);
    expect(await refusal(answer(requestId, true, login))).toEqual([404, 'not-found']);
  });
});

describe('an answer', () => {
  test('that allows mails one link with the rules of the other, for the asker alone, however many calls race', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const kept = { notify: 'first', versionMode: { type: 'pinned', version: 1 } };
    const rules = { passcode: 'orchid-47', expiresAt, maxOpenings: 3, ...kept };
    await succeed(call('updateShareToken', { tokenId: deck.tokenId, ...rules }));
    const requestId = await asked();
    passSeconds(61);
    expect(outcomes(await atOnce(4, () => answer(requestId, true)))).toEqual({ ok: 4 });
    expect(await succeed(answer(requestId, true))).toMatchObject({ status: 'allowed', email: asker });
    const made = await newLinks();
    const ofOther = { hasPasscode: true, maxOpenings: 3, openings: 0, expiresAt: null, ...kept };
    expect(made).toMatchObject([{ ...ofOther, allowedEmailCount: 1, state: 'open' }]);
    const text = expect.stringContaining(`opens only with a code that is sent to ${asker}`) as string;
    expect(await mailsWithTitle()).toMatchObject([{ text }]);
    expect(await refusal(answer(requestId, false))).toEqual([409, 'conflict']);
    expect(await sends()).toMatchObject([{ email: asker, tokenId: made[0]!.tokenId, outcome: 'sent' }]);
  });

  test('that declines makes no link, and cannot be taken back', async () => {
    const requestId = await asked();
    expect(outcomes(await atOnce(3, () => answer(requestId, false)))).toEqual({ ok: 3 });
    expect(await refusal(answer(requestId, true))).toEqual([409, 'conflict']);
    expect([(await list())[0]!.status, await newLinks()]).toEqual(['declined', []]);
  });

  test('of both kinds at once is one of them', async () => {
    const requestId = await asked();
    const answers = await atOnce(4, (i) => answer(requestId, i % 2 === 0));
    const [{ status }] = (await list()) as [AccessRow];
    expect(outcomes(answers)).toEqual({ ok: 2, conflict: 2 });
    expect(await newLinks()).toHaveLength(status === 'allowed' ? 1 : 0);
  });

  test('comes from the owner alone', async () => {
    const requestId = await asked();
    const dev = await world.anOwner();
    await world.addMember(deck, dev);
    for (const other of each([dev, await world.anOwner()]))
      expect(await refusal(answer(requestId, true, await world.aDashboardSession(other)))).toEqual([404, 'not-found']);
    expect((await list())[0]!.status).toBe('open');
  });

  test.each(closed)('that allows is refused for a deck that %s, and the request stays open', async (_what, change) => {
    const requestId = await asked();
    await storedDeck().update(change);
    expect(await refusal(answer(requestId, true))).toEqual([409, 'conflict']);
    await storedDeck().update({ takedown: null, expiresAt: null });
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
    const usage = await succeed(world.call('getUsage', undefined, { key: owner.key }));
    expect(usage).toMatchObject({ mailsToday: { used: 1 } });
  });

  test('that allows is repeated after an outage of the provider, and sends one mail', async () => {
    const requestId = await asked();
    gateway.plan(...failing(503, 'unavailable'));
    expect(await refusal(answer(requestId, true))).toEqual([409, 'conflict']);
    await succeed(answer(requestId, true));
    expect(await newLinks()).toHaveLength(1);
    expect(await mailsWithTitle()).toHaveLength(1);
  });
});
