import type { z } from 'zod';
import type { Answer as Row } from '../../../functions/src/endpoints/tokens/updateShareToken';
import { atOnce, fullRefusal, outcomes, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { atSite, navigation, requestLocally } from '../../support/deck-origin';
import { each } from '../../support/each';
import { page, startWorld, succeed, world, type Account, type Deck } from '../../support/world';

/** Who opens a link that asks for a passcode, an address, or opens a number of times. */

let owner: Account;
let deck: Deck;
startWorld(async () => {
  owner = await world.aPublisher();
});
beforeEach(async () => {
  deck = await world.aDeck(owner, [page('Secret numbers'), page('More', 'more.html')]);
});

type LinkRow = z.output<typeof Row>;
interface Opened {
  openUrl: string;
  expiresAt: string;
}
let clients = 0;
const aClient = () => `203.0.${Math.floor(++clients / 250)}.${clients % 250}`;
const set = (rules: object, key = owner.key) => {
  const { presentationId, tokenId } = deck;
  return succeed(world.call<LinkRow>('updateShareToken', { presentationId, tokenId, ...rules }, { key }));
};
/** Opens the link as a client of its own. */
const open = (body: object = {}, client = aClient()) => {
  const { presentationId, token } = deck;
  const sent = { presentationId, token, ...body };
  return world.call<Opened>('openShareLink', sent, { headers: { 'x-forwarded-for': client } });
};
const needs = async (body: object = {}, client?: string) => (await fullRefusal(open(body, client)))[2];
const visit = (url: string, headers: Record<string, string> = {}) =>
  requestLocally(url, { headers: { ...navigation, ...headers } });
/** The cookie that a ticket gives. */
async function enter(openUrl: string) {
  const answer = await visit(openUrl);
  expect(answer.status).toBe(303);
  const cookie = answer.headers['set-cookie']![0]!.split(';', 1)[0]!;
  const { origin } = new URL(openUrl);
  return { cookie, origin, get: (path = '/', headers = {}) => visit(`${origin}${path}`, { cookie, ...headers }) };
}
const entered = async (body: object = {}) => enter((await succeed(open(body))).openUrl);
const gate = () => visit(atSite(deck.shareUrl));
const passcode = 'orchid-47';

describe('a passcode', () => {
  beforeEach(() => set({ passcode }));

  test('opens the link for whoever knows it, and is shown nowhere', async () => {
    expect(await set({ name: 'Board' })).toMatchObject({ hasPasscode: true, state: 'open' });
    expect(await needs()).toEqual({ needs: ['passcode'] });
    expect(await needs({ passcode: 'orchid-48' })).toEqual({ needs: ['passcode'], wrong: 'passcode' });
    expect((await (await entered({ passcode })).get()).text).toContain('Secret numbers');
    const stored = await world.database.collectionGroup('shareTokens').get();
    expect(JSON.stringify(stored.docs.map((each) => each.data()))).not.toContain(passcode);
  });

  test('closes the raw forms of the link, which name the page', async () => {
    const raw = `${world.cloud.baseUrl}/getSharedPresentation/${deck.presentationId}`;
    for (const address of [`/_t/${deck.token}/`, `/_f/${deck.token}/`, `/more.html?token=${deck.token}`]) {
      const answer = await visit(raw + address);
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('/share/')]);
      expect(answer.text).not.toContain('Secret');
    }
  });

  test('that is new ends the grants of the old one at the next request, and one that is gone ends none', async () => {
    const first = await entered({ passcode });
    await set({ name: 'x', maxOpenings: 5, expiresAt: new Date(Date.now() + 3600_000).toISOString(), notify: 'first' });
    expect((await first.get()).status).toBe(200);
    await set({ passcode: 'another-one' });
    const navigated = await first.get();
    const part = await first.get('/more.html', { 'sec-fetch-mode': 'no-cors' });
    expect([navigated.status, part.status]).toEqual([303, 403]);
    const again = navigated.headers.location!;
    expect(again).toMatch(new RegExp(`^${world.cloud.hostingUrl}/share/${deck.presentationId}/again/`));
    expect(again).not.toContain(deck.token);
    const { text } = await visit(atSite(again));
    expect([text.includes('Passcode'), text.includes('Secret')]).toEqual([true, false]);
    const sent = { token: undefined, again: again.split('/').at(-1), passcode: 'another-one' };
    const second = await entered(sent);
    await set({ passcode: null });
    expect((await second.get()).status).toBe(200);
  });

  test('that is guessed is refused after 10 wrong ones of a client, also at once, and for this client alone', async () => {
    const client = aClient();
    // The date stands still.
    passSeconds(1);
    const guesses = await atOnce(20, (i) => open({ passcode: `guess-${i}` }, client));
    expect(outcomes(guesses)).toEqual({ 'permission-denied': 10, 'rate-limited': 10 });
    const limited = { limit: 10, windowSeconds: 3600 };
    // The attempts may be those of others with the right passcode, which are taken back.
    expect(await needs({ passcode }, client)).toEqual({ ...limited, retryInSeconds: 10 });
    passSeconds(10);
    expect(await needs({ passcode }, client)).toEqual({ ...limited, retryInSeconds: 3590 });
    const { presentationId, token } = deck;
    const body = new URLSearchParams({ presentationId, token, passcode });
    const sent = { method: 'POST', headers: { 'x-forwarded-for': client }, body };
    const notice = await fetch(`${world.cloud.baseUrl}/openSharePage`, sent);
    expect([notice.status, await notice.text()]).toEqual([429, expect.stringContaining('try again in a minute')]);
    await succeed(open({ passcode }));
    passSeconds(3601);
    await succeed(open({ passcode }, client));
  });

  test('that many clients guess makes strangers wait, and closes the link for nobody who has opened it', async () => {
    const reader = aClient();
    await succeed(open({ passcode }, reader));
    const wrongAt = Array.from({ length: 129 }, (_, i) => new Date(Date.now() - 600_000 + i));
    const guard = world.database.doc(`presentations/${deck.presentationId}/linkGuards/${deck.tokenId}`);
    const expiresAt = new Date(Date.now() + 86_400_000);
    await guard.set({ wrongAt: [...wrongAt, new Date()], isDue: false, warnedAt: null, expiresAt });
    const [status, , details] = await fullRefusal(open({ passcode }));
    expect([status, details]).toEqual([429, { limit: 100, windowSeconds: 3600, retryInSeconds: 31 }]);
    await succeed(open({ passcode }, reader));
    passSeconds(32);
    await succeed(open({ passcode }));
  });

  test.each([
    ['five characters', 'ab cd'],
    ['one character six times', 'aaaaaa'],
    ['65 characters', 'ab'.repeat(33)],
  ])('has not %s', async (_what, refused) => {
    const { presentationId, tokenId } = deck;
    const update = world.call('updateShareToken', { presentationId, tokenId, passcode: refused }, { key: owner.key });
    expect(await refusal(update)).toEqual([400, 'invalid-argument']);
  });
});

describe('a number of openings', () => {
  test('is exact when 30 readers open at once, whoever passes the address around', async () => {
    await set({ maxOpenings: 5 });
    const answers = await atOnce(30, () => open());
    expect(outcomes(answers)).toEqual({ ok: 5, expired: 25 });
    expect(await set({ name: 'x' })).toMatchObject({ openings: 5, maxOpenings: 5, state: 'used-up' });
    expect((await gate()).status).toBe(410);
    const openUrl = (answers.find(({ status }) => status === 200)!.body.data as Opened).openUrl;
    const first = await enter(openUrl);
    // The browser that has the grant reloads the address; another one gets nothing.
    expect((await visit(openUrl, { cookie: first.cookie })).status).toBe(303);
    expect([(await visit(openUrl)).status, (await first.get()).status]).toEqual([404, 200]);
    await set({ maxOpenings: 6 });
    await succeed(open());
    await set({ maxOpenings: null });
    expect(await set({ maxOpenings: 1 })).toMatchObject({ openings: 0, state: 'open' });
  });

  test('gives one grant for a ticket, also at once', async () => {
    await set({ maxOpenings: 1 });
    const { openUrl } = await succeed(open());
    const statuses = (await atOnce(5, () => visit(openUrl))).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([303, 404, 404, 404, 404]);
  });

  test('is not used up by a request of the page, which is one button', async () => {
    await set({ maxOpenings: 1 });
    for (const robot of each(['Slackbot-LinkExpanding 1.0', 'Mozilla/5.0'])) {
      const answer = await visit(atSite(deck.shareUrl), { 'user-agent': robot });
      expect([answer.status, answer.text.match(/<button/g)?.length]).toEqual([200, 1]);
    }
    expect(await set({ name: 'x' })).toMatchObject({ openings: 0 });
  });
});

describe('allowed addresses', () => {
  let reader: string;
  beforeEach(() => {
    reader = `grace-${++clients}@reader.example`;
    return set({ allowedEmails: [reader, '@allowed.example'] });
  });
  const requested = async (email: string, client = aClient()) =>
    (await needs({ email }, client)) as { requestToken: string };

  test('open the link with a mailed code, which works once', async () => {
    const listed = { key: owner.key, query: { presentationId: deck.presentationId, tokenId: deck.tokenId } };
    const row = await succeed(world.call<Record<string, unknown>>('getShareToken', undefined, listed));
    expect(row).toMatchObject({ allowedEmailCount: 2, allowedEmails: [reader, '@allowed.example'] });
    expect(await needs()).toEqual({ needs: ['email', 'code'] });
    for (const email of [reader.toUpperCase(), 'anyone@allowed.example']) {
      const { requestToken } = await requested(email);
      const code = await world.mailedCode(email.toLowerCase());
      const sent = { email, code: `${code.slice(0, 3)} ${code.slice(3)}`, requestToken };
      expect((await (await entered(sent)).get()).status).toBe(200);
      expect(await needs(sent)).toMatchObject({ needs: ['code'], wrong: 'code' });
    }
    const [mail] = await world.mails(reader);
    for (const text of [mail!.html, mail!.text, mail!.subject]) expect(text).not.toMatch(/Secret|Deck(?!host)/);
  });

  test('look the same as others, whose owners get no mail', async () => {
    for (const email of ['mallory@reader.example', 'eve@sub.allowed.example']) {
      const { requestToken, ...rest } = await requested(email);
      expect([rest, typeof requestToken]).toEqual([{ needs: ['code'] }, 'string']);
      const wrong = { needs: ['code'], wrong: 'code', attemptsRemaining: 4 };
      expect(await needs({ email, code: '123456', requestToken })).toEqual(wrong);
      expect(await world.mails(email)).toEqual([]);
    }
  });

  test('get no more than three codes in an hour, and the answer stays the same', async () => {
    const answers = await atOnce(4, () => requested(reader));
    expect(answers.map(({ requestToken, ...rest }) => [typeof requestToken, rest])).toEqual(
      Array(4).fill(['string', { needs: ['code'] }]),
    );
    expect((await world.mails(reader)).length).toBe(3);
  });

  test('have ten codes a day from an organization in one mailbox, however the address is spelled', async () => {
    await set({ allowedEmails: ['@gmail.com'] });
    const mailbox = `ada${++clients}`;
    const spelled = Array.from({ length: 11 }, (_, i) => `${mailbox}+${i}@gmail.com`);
    await atOnce(11, (i) => requested(spelled[i]!));
    const mails = await Promise.all(spelled.map((email) => world.mails(email)));
    expect(mails.flat()).toHaveLength(10);
  });

  test('get a code while another client asks for more than its share', async () => {
    const busy = aClient();
    // An organization of the plan free mails 100 codes in each of its first days.
    await atOnce(50, (i) => requested(`guess-${i}@other.example`, busy));
    await requested(reader, busy);
    expect(await world.mails(reader)).toEqual([]);
    await requested(reader);
    expect(await world.mails(reader)).toHaveLength(1);
  });

  test('have codes of one link, and a change that drops them ends their grants', async () => {
    const { requestToken } = await requested(reader);
    const code = await world.mailedCode(reader);
    const opened = await entered({ email: reader, code, requestToken });
    const second = await requested(reader);
    const newCode = await world.mailedCode(reader);
    const other = await world.aDeck(owner);
    const rules = { presentationId: other.presentationId, tokenId: other.tokenId, allowedEmails: [reader] };
    await succeed(world.call('updateShareToken', rules, { key: owner.key }));
    const sent = { presentationId: other.presentationId, token: other.token, email: reader, code: newCode };
    expect(await refusal(world.call('openShareLink', { ...sent, ...second }))).toEqual([403, 'permission-denied']);
    await set({ allowedEmails: [reader] });
    expect((await opened.get()).status).toBe(200);
    await set({ allowedEmails: ['@allowed.example'] });
    expect((await opened.get()).status).toBe(303);
  });

  test('together with a passcode: no mail before the passcode is right, and a refusal names all that is missing', async () => {
    await set({ passcode });
    expect(await needs()).toEqual({ needs: ['passcode', 'email', 'code'] });
    expect(await needs({ email: reader })).toEqual({ needs: ['passcode', 'code'] });
    const wrong = { needs: ['passcode', 'code'], wrong: 'passcode' };
    expect(await needs({ email: reader, passcode: 'wrong-one' })).toEqual(wrong);
    const before = (await world.mails(reader)).length;
    const details = await needs({ email: reader, passcode });
    expect([details, (await world.mails(reader)).length]).toMatchObject([{ needs: ['code'] }, before + 1]);
  });
});

test('without deck origins, the files of an opening open for its 24 hours, and a renewed address is no opening', async () => {
  process.env['DECK_ORIGIN'] = '';
  try {
    await set({ passcode, maxOpenings: 1 });
    const { openUrl, expiresAt } = await succeed(open({ passcode }));
    const grant = new URL(openUrl).searchParams.get('grant');
    const renew = () => open({ token: undefined, grant });
    const fileOf = async (url: string) => {
      const { text } = await visit(atSite(url));
      return /<iframe[^>]* src="([^"]+\/_g\/[^"]+\/)index.html"/.exec(text)![1]! + 'more.html';
    };
    const file = await fileOf(openUrl);
    passSeconds(3 * 3600);
    const renewed = await succeed(renew());
    const files = [file, await fileOf(renewed.openUrl)];
    expect(renewed.expiresAt).toBe(expiresAt);
    expect(await set({ name: 'x' })).toMatchObject({ openings: 1 });
    const statuses = () => Promise.all(files.map(async (url) => (await visit(url)).status));
    expect(await statuses()).toEqual([200, 200]);
    passSeconds(21 * 3600 + 1);
    expect(await statuses()).toEqual([404, 404]);
    expect(await refusal(renew())).toEqual([403, 'permission-denied']);
  } finally {
    process.env['DECK_ORIGIN'] = world.cloud.deckOrigin!;
  }
});

test('the gate shows the logo of the organization, which opens while the link does', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"/>';
  const logo = { data: Buffer.from(svg).toString('base64'), contentType: 'image/svg+xml' };
  await succeed(world.call('updateOrganization', { logo }, { key: await world.aDashboardSession(owner) }));
  await set({ passcode });
  const text = await (await fetch(deck.shareUrl)).text();
  const address = /<img class="logo"[^>]* src="([^"]+)"/.exec(text)![1]!;
  const shown = await fetch(address);
  expect([shown.status, shown.headers.get('content-type'), await shown.text()]).toEqual([200, 'image/svg+xml', svg]);
  expect(shown.headers.get('content-security-policy')).toContain('sandbox');
  const { presentationId } = deck;
  await succeed(world.call('unsharePresentation', { presentationId, all: true }, { key: owner.key }));
  expect((await fetch(address)).status).toBe(403);
});

test('the mail with a link says when it expires, and for whom it opens, also in its preview', async () => {
  const email = `reader-${owner.keyId}@reader.example`;
  const { presentationId } = deck;
  const input = { presentationId, expiresAt: '2031-01-01T12:00:00.000Z', requireEmail: true };
  const preview = await succeed(world.call<{ text: string }>('previewShareEmail', input, { key: owner.key }));
  await succeed(world.call('sharePresentationViaEmail', { ...input, emails: [email] }, { key: owner.key }));
  const [mail] = await world.mails(email);
  for (const text of [preview.text, mail!.text, mail!.html]) {
    expect(text).toContain('opens only with a code');
    expect(text).toContain('It opens until 1 January 2031, 12:00 UTC.');
  }
});
