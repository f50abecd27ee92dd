import type { z } from 'zod';
import type { Answer as Row } from '../../../functions/src/endpoints/tokens/updateShareToken';
import type { Answer as InfoAnswer } from '../../../functions/src/endpoints/presentations/getSharedPresentationInfo';
import { atOnce, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { atSite, navigation, openOnOrigin, requestLocally } from '../../support/deck-origin';
import { type Account, type Deck, startWorld, succeed, world } from '../../support/world';

/** What the owner of a link sets: its name, its version, its expiry and its short address. */

let owner: Account;
let deck: Deck;
startWorld(async () => {
  owner = await world.aPublisher();
});
beforeEach(async () => {
  deck = await world.aDeck(owner);
});

type LinkRow = z.output<typeof Row>;
type Link = Pick<Deck, 'tokenId' | 'token' | 'shareUrl'> & { shortUrl?: string };
const call = <T>(name: string, body: object = {}, headers = {}, key = owner.key) =>
  world.call<T>(name, { presentationId: deck.presentationId, ...body }, { key, headers });
const update = (body: object, headers = {}) =>
  call<LinkRow>('updateShareToken', { tokenId: deck.tokenId, ...body }, headers);
const add = (tokenName: string, more: object = {}) =>
  succeed(call<Link>('addPresentationToken', { tokenName, ...more }));
const tryToGet = <T>(name: string, query: Record<string, string> = {}, key = owner.key) =>
  world.call<T>(name, undefined, { key, query: { presentationId: deck.presentationId, ...query } });
const get = <T>(...of: Parameters<typeof tryToGet>) => succeed(tryToGet<T>(...of));
const info = (key = owner.key) => get<z.output<typeof InfoAnswer>>('getSharedPresentationInfo', {}, key);
const rowOf = ({ tokenId }: Pick<Link, 'tokenId'>) => get<LinkRow>('getShareToken', { tokenId });
const revoke = ({ tokenId }: Pick<Link, 'tokenId'>) => succeed(call('unsharePresentation', { tokenId }));
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const tokenDoc = ({ tokenId }: Pick<Link, 'tokenId'>) =>
  world.database.doc(`presentations/${deck.presentationId}/shareTokens/${tokenId}`);

describe('updateShareToken', () => {
  test('changes what is sent, keeps what is not, and answers the row of the link', async () => {
    await world.visit(world.viewUrl(deck));
    const [before] = (await info()).tokens;
    expect(before).toMatchObject({ state: 'open', expiresAt: null, shortUrl: null, accessCount: 1 });
    const expiresAt = inSeconds(3600);
    const versionMode = { type: 'pinned', version: 1 };
    const changed = await succeed(update({ name: ' Board ', versionMode, expiresAt }));
    expect(changed).toEqual({ ...before, name: 'Board', versionMode, expiresAt });
    const off = await succeed(update({ expiresAt: null, short: null }));
    expect(off).toEqual({ ...changed, expiresAt: null });
    expect(await rowOf(deck)).toEqual({ ...off, allowedEmails: null });
    expect((await info()).tokens).toEqual([off]);
  });

  test('is made once for an Idempotency-Key', async () => {
    const once = () => update({ short: true }, { 'idempotency-key': 'key' });
    const { shortUrl } = await succeed(once());
    await succeed(update({ short: false }));
    expect((await succeed(once())).shortUrl).toBe(shortUrl);
    expect((await rowOf(deck)).shortUrl).toBeNull();
  });

  test.each([
    ['nothing', {}],
    ['a time that has passed', { expiresAt: new Date(0).toISOString() }],
    ['no time', { expiresAt: 'soon' }],
    ['a version that the deck does not have', { versionMode: { type: 'pinned', version: 2 } }],
    ['no name', { name: ' ' }],
  ])('refuses %s', async (_what, body) => {
    expect(await refusal(update(body))).toEqual([400, 'invalid-argument']);
  });

  test('changes only the name of a revoked link, and no link that is held or unknown', async () => {
    await revoke(deck);
    expect(await succeed(update({ name: 'Old' }))).toMatchObject({ name: 'Old', state: 'revoked' });
    for (const body of [{ name: 'x', short: true }, { expiresAt: null }, { versionMode: { type: 'latest' } }]) {
      expect(await refusal(update(body))).toEqual([409, 'conflict']);
    }
    await tokenDoc(deck).update({ isHeld: true });
    for (const tokenId of [deck.tokenId, 'x'.repeat(22)]) {
      expect(await refusal(update({ tokenId, name: 'Early' }))).toEqual([404, 'not-found']);
      expect(await refusal(tryToGet('getShareToken', { tokenId }))).toEqual([404, 'not-found']);
    }
    expect((await tokenDoc(deck).get()).get('name')).toBe('Old');
  });

  test('is not for an admin key, which neither sees nor sets a rule', async () => {
    const admin = await world.anAdmin();
    const [emails, requireEmail] = [['ada@example.org'], true];
    for (const answer of [
      call('addPresentationToken', { tokenName: 'x', expiresAt: inSeconds(60) }, {}, admin),
      call('sharePresentationViaEmail', { emails, requireEmail }, {}, admin),
      call('previewShareEmail', { requireEmail }, {}, admin),
    ])
      expect(await refusal(answer)).toEqual([403, 'permission-denied']);
    const [row] = (await info(admin)).tokens;
    expect(Object.keys(row!).filter((field) => ['state', 'expiresAt', 'shortUrl'].includes(field))).toEqual([]);
  });

  const person = { email: 'grace@example.org' };
  test.each([
    ['getSharedPresentationInfo', undefined, ['tracking', 'slidePictures']],
    ['listEmailSends', undefined, ['delivery', 'opening']],
    ['listCollaborators', {}, ['delivery']],
    ['inviteCollaborator', person, ['delivery']],
    ['uninviteCollaborator', person, ['delivery']],
  ])('is not for an admin key, to which %s does not tell all', async (name, body, fields) => {
    await succeed(call('inviteCollaborator', person));
    await succeed(call('sharePresentationViaEmail', { emails: [`${name}@example.org`] }));
    const ask = (key: string) => (body ? call(name, body, {}, key) : tryToGet(name, {}, key));
    const shown = async (key: string) => {
      const text = JSON.stringify(await succeed(ask(key)));
      return fields.filter((field) => text.includes(`"${field}":`));
    };
    expect([await shown(owner.key), await shown(await world.anAdmin())]).toEqual([fields, []]);
  });
});

describe('an expired link', () => {
  test('is refused in every form at the next request, and opens again with a later time', async () => {
    const opened = await openOnOrigin(deck.shareUrl);
    const statuses = async () => [
      await world.visit(world.viewUrl(deck)),
      await world.visit(world.framedUrl(deck)),
      (await requestLocally(deck.shareUrl)).status,
      (await requestLocally(atSite(deck.shareUrl), { headers: navigation })).status,
      (await opened.get('/')).status,
    ];
    await succeed(update({ expiresAt: inSeconds(60) }));
    expect(await statuses()).toEqual([200, 200, 200, 303, 200]);
    passSeconds(61);
    expect(await statuses()).toEqual([410, 410, 410, 410, 410]);
    expect(await rowOf(deck)).toMatchObject({ state: 'expired', revoked: false });
    await succeed(update({ expiresAt: null }));
    expect(await statuses()).toEqual([200, 200, 200, 303, 200]);
  });

  test('is expired until it is revoked, and cannot be mailed', async () => {
    const { tokenId } = await add('short-lived', { expiresAt: inSeconds(60) });
    passSeconds(61);
    const mail = { emails: ['grace@example.org'], tokenId };
    expect(await refusal(call('sharePresentationViaEmail', mail))).toEqual([400, 'invalid-argument']);
    await revoke({ tokenId });
    expect((await rowOf({ tokenId })).state).toBe('revoked');
  });

  /** The link that the list, the info and a push show. */
  const shown = async () => {
    const list = await get<{ presentations: { id: string; shareUrl: string }[] }>('listMyPresentations');
    const { shareUrl } = list.presentations.find(({ id }) => id === deck.presentationId)!;
    expect((await info()).primaryShareUrl).toBe(shareUrl);
    expect((await succeed(call<Link>('restorePresentationVersion', { version: 1 }))).shareUrl).toBe(shareUrl);
    return shareUrl;
  };

  test('is not shown while another link opens longer: in the list, in the info and after a push', async () => {
    const week = await add('week', { expiresAt: inSeconds(7 * 86_400) });
    expect(await shown()).toBe(deck.shareUrl);
    await succeed(update({ expiresAt: inSeconds(60) }));
    expect(await shown()).toBe(week.shareUrl);
    const lasting = await add('lasting');
    expect(await shown()).toBe(lasting.shareUrl);
    await revoke(lasting);
    expect(await shown()).toBe(week.shareUrl);
    await succeed(update({ expiresAt: null }));
    expect(await shown()).toBe(deck.shareUrl);
  });

  test('is not shown while one with a gate opens, and goes before it while it opens itself', async () => {
    const gated = await add('gated', { passcode: 'orchid-47', expiresAt: inSeconds(3600) });
    await succeed(update({ expiresAt: inSeconds(60) }));
    expect(await shown()).toBe(deck.shareUrl);
    passSeconds(61);
    expect(await shown()).toBe(gated.shareUrl);
    const once = await add('once', { maxOpenings: 1 });
    expect(await shown()).toBe(once.shareUrl);
    const { presentationId } = deck;
    await succeed(world.call('openShareLink', { presentationId, token: once.token }));
    expect((await info()).primaryShareUrl).toBe(gated.shareUrl);
    await succeed(update({ expiresAt: null }));
    expect(await shown()).toBe(deck.shareUrl);
  });

  test('of a mail expires for its recipient, and rules are only for new links', async () => {
    const send = (more: object) =>
      call<{ sent: Link[] }>('sharePresentationViaEmail', { emails: ['ada@example.org'], ...more });
    const expiresAt = inSeconds(3600);
    const { sent } = await succeed(send({ expiresAt, short: true }));
    const shortUrl = expect.stringContaining('/s/') as string;
    expect(sent).toMatchObject([{ shortUrl }]);
    expect(await rowOf(sent[0]!)).toMatchObject({ expiresAt, shortUrl: sent[0]!.shortUrl });
    const { tokenId } = deck;
    await succeed(update({ short: true }));
    expect(Object.keys((await succeed(send({ tokenId }))).sent[0]!)).not.toContain('shortUrl');
    for (const rules of [{ expiresAt }, { short: true }]) {
      expect(await refusal(send({ tokenId, ...rules }))).toEqual([400, 'invalid-argument']);
    }
  });
});

describe('a short address', () => {
  const open = async (url: string, method = 'GET') => {
    const { status, headers, text } = await requestLocally(atSite(url), { method, headers: navigation });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(headers['x-robots-tag']).toBe('noindex, nofollow');
    return { status, location: headers['location'], heading: /<h1>(.*)<\/h1>/.exec(text)?.[1] };
  };

  test('leads to the long one with its query, and its code is stored only as a hash and sealed', async () => {
    const { shortUrl, shareUrl, tokenId } = await add('slide', { short: true });
    const [, code] = /\/s\/([1-9A-HJ-NP-Za-km-z]{16})$/.exec(shortUrl!)!;
    expect(shortUrl!.startsWith(`${world.cloud.hostingUrl}/s/`)).toBe(true);
    for (const method of ['GET', 'HEAD'])
      expect(await open(shortUrl!, method)).toMatchObject({ status: 303, location: shareUrl });
    expect(await open(`${shortUrl}?print-pdf&token=x`)).toMatchObject({ location: `${shareUrl}&print-pdf&token=x` });
    expect(JSON.stringify((await tokenDoc({ tokenId }).get()).data())).not.toContain(code);
  });

  test('stays the same until it is removed, however many calls race, and never comes back', async () => {
    const answers = await atOnce(3, () => succeed(update({ short: true })));
    const urls = new Set(answers.map(({ shortUrl }) => shortUrl));
    expect(urls.size).toBe(1);
    const [first] = [...urls];
    expect((await open(first!)).status).toBe(303);
    await succeed(update({ short: false }));
    const gone = await open(first!);
    expect(gone).toEqual({ status: 404, location: undefined, heading: 'This link does not open a presentation' });
    const { shortUrl } = await succeed(update({ short: true }));
    expect([shortUrl === first, (await open(first!)).status]).toEqual([false, 404]);
    // Whatever the address is, the answer is the one of a code that was removed.
    for (const path of ['', '1'.repeat(16), '0'.repeat(16), 'a/b']) {
      expect(await open(`${world.cloud.hostingUrl}/s/${path}`)).toEqual(gone);
    }
  });

  test('ends with its link, whose page says why, and with its deck', async () => {
    const { shortUrl } = await succeed(update({ short: true, expiresAt: inSeconds(60) }));
    const follow = async () => (await requestLocally((await open(shortUrl!)).location!)).status;
    expect(await follow()).toBe(200);
    passSeconds(61);
    expect(await follow()).toBe(410);
    await revoke(deck);
    expect(await follow()).toBe(403);
    await succeed(call('deletePresentation'));
    expect((await open(shortUrl!)).status).toBe(404);
  });
});

test('a deck has at most 5,000 links that are not revoked', async () => {
  await world.database.doc(`presentations/${deck.presentationId}`).update({ activeLinks: 4999 });
  await add('the last one');
  expect(await refusal(call('addPresentationToken', { tokenName: 'x' }))).toEqual([409, 'conflict']);
  const mail = { emails: ['ada@example.org'] };
  expect(await refusal(call('sharePresentationViaEmail', mail))).toEqual([409, 'conflict']);
  await revoke(deck);
  await add('in its place');
});
