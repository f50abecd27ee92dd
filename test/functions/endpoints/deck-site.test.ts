import { serviceSecrets } from '../../../functions/src/config';
import { writeGrant, type GrantKind } from '../../../functions/src/values/deck-grants';
import { labelOfToken } from '../../../functions/src/values/deck-origins';
import { newId } from '../../../functions/src/values/ids';
import { passSeconds } from '../../support/clock';
import { navigation, openOnOrigin, requestTarget, type OpenedLink, type OriginAnswer } from '../../support/deck-origin';
import { page, World, type Account, type Deck } from '../../support/world';

/** Who opens decks on their origins. `deck-files.test.ts` tests what is served there. */

let world: World;
let owner: Account;
let deck: Deck;
let other: Deck;
let link: OpenedLink;

beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
  deck = await world.aDeck(owner, [page('Entry'), page('Second', 'second.html')]);
  other = await world.aDeck(owner, [page('Other')]);
  link = await opened(deck);
});
afterAll(() => world.stop());

type LinkOf = Pick<Deck, 'presentationId' | 'token' | 'tokenId'>;
const opened = ({ presentationId, token }: LinkOf) =>
  openOnOrigin(`${world.cloud.hostingUrl}/share/${presentationId}?token=${token}`);
const originOf = ({ tokenId }: Pick<Deck, 'tokenId'>) => world.cloud.deckOrigin!.replace('*', labelOfToken(tokenId));
type Headers = Record<string, string | string[] | undefined>;
const get = (target: string, headers: Headers = {}, of: Pick<Deck, 'tokenId'> = deck, method = 'GET') =>
  requestTarget(originOf(of), target, { method, headers: { ...navigation, ...headers } });
const signed = (kind: GrantKind, of: LinkOf = deck, secret = serviceSecrets.current()) =>
  writeGrant(secret, kind, of, new Date());
const deckDoc = ({ presentationId }: Pick<Deck, 'presentationId'>) =>
  world.database.doc(`presentations/${presentationId}`);
/** Calls an endpoint about a deck of the owner. */
const call = <T = object>(name: string, body: object, { presentationId }: Pick<Deck, 'presentationId'>) =>
  world.call<T>(name, { presentationId, ...body }, { key: owner.key });
const withGrant = (grant: string) => ({ cookie: `__Host-deck=${grant}` });

/** All of an answer that may tell something. */
const shown = ({ status, headers, text }: OriginAnswer) => {
  const { date, 'x-request-id': id, ...rest } = headers;
  expect([Boolean(date), Boolean(id)]).toEqual([true, true]);
  // An error names its request.
  return { status, headers: rest, text: text.replace(String(id), 'ID') };
};

describe('opening a link', () => {
  test('exchanges the ticket for a cookie that only this origin gets, and keeps the query', async () => {
    const answer = await get(`/_open/${signed('ticket')}?slide=3&a=%2F%2F`);
    expect([answer.status, answer.headers.location]).toEqual([303, '/?slide=3&a=%2F%2F']);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    const [set = '', ...more] = answer.headers['set-cookie']!;
    const [cookie, ...attributes] = set.split('; ');
    expect([cookie, more]).toEqual([expect.stringMatching(/^__Host-deck=[\w-]+\.[\w-]+\.\d+\.[\da-f]{64}$/), []]);
    expect(attributes).toEqual(['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=2592000']);
    expect((await get('/', { cookie })).text).toContain('Entry');
  });

  test('works again within 60 seconds, and not after them', async () => {
    const ticket = signed('ticket');
    for (let i = 0; i < 2; i++) expect((await get(`/_open/${ticket}`)).status).toBe(303);
    passSeconds(58);
    expect((await get(`/_open/${ticket}`)).status).toBe(303);
    passSeconds(3);
    expect((await get(`/_open/${ticket}`)).status).toBe(404);
  });

  test('refuses any other ticket with the one 404 page and without a cookie, also beside a valid grant', async () => {
    const ticket = signed('ticket');
    const unknown = shown(await get('/'));
    const late = writeGrant(serviceSecrets.current(), 'ticket', deck, new Date(Date.now() - 61_000));
    const changed = ticket.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const [, ...parts] = ticket.split('.');
    for (const bad of [
      ...['', 'x', '../', 'a/b', `${ticket}x`, `${ticket}/`, ticket.slice(0, -1), ticket.toUpperCase(), late, changed],
      [other.presentationId, ...parts].join('.'),
      signed('ticket', other),
      signed('grant'),
      signed('ticket', deck, 'a-foreign-secret-of-the-service'),
    ]) {
      for (const cookies of [{}, { cookie: link.cookie }]) {
        expect(shown(await get(`/_open/${bad}`, cookies))).toEqual(unknown);
      }
    }
    expect([unknown.status, unknown.headers['set-cookie']]).toEqual([404, undefined]);
    expect(unknown.text).toMatch(/Open the share link[^]*not kept the cookie/);
  });

  test('answers 403 when the link was revoked meanwhile, and 410 when the deck expired', async () => {
    const [mine, expiring] = [await world.aDeck(owner), await world.aDeck(owner)];
    await call('unsharePresentation', { all: true }, mine);
    await deckDoc(expiring).update({ expiresAt: new Date(0) });
    for (const [of, status, words] of [
      [mine, 403, '<h1>This link was revoked</h1>'],
      [expiring, 410, '<h1>This presentation has expired</h1>'],
    ] as const) {
      const answer = await get(`/_open/${signed('ticket', of)}`, {}, of);
      expect([answer.status, answer.headers['set-cookie']]).toEqual([status, undefined]);
      expect(answer.text).toContain(words);
    }
  });

  test('reads a held link again, and answers 404 when it stays held', async () => {
    process.env['HELD_LINK_PAUSE_MS'] = '1';
    const held = await world.aDeck(owner);
    const stored = deckDoc(held).collection('shareTokens').doc(held.tokenId);
    await stored.update({ isHeld: true });
    const cost = await world.costOf(async () => {
      expect((await get(`/_open/${signed('ticket', held)}`, {}, held)).status).toBe(404);
    });
    delete process.env['HELD_LINK_PAUSE_MS'];
    expect(cost.calls['BatchGetDocuments']).toBe(5);
    await stored.update({ isHeld: false });
    expect((await get(`/_open/${signed('ticket', held)}`, {}, held)).status).toBe(303);
  });
});

describe('a grant', () => {
  test('opens every file of its link, among other cookies', async () => {
    for (const cookie of [
      link.cookie,
      `a=b; ${link.cookie}; c="d; e"`,
      `deck=x;${link.cookie}`,
      `__Host-deck=old; ${link.cookie}`,
      `__Host-deck=${signed('grant', other)}; ${link.cookie}`,
      `__Host-deck=; ${link.cookie};`,
    ]) {
      expect([cookie, (await get('/', { cookie })).status]).toEqual([cookie, 200]);
    }
  });

  test('is refused under another name, cut, changed, quoted or of another kind', async () => {
    const grant = link.cookie.slice('__Host-deck='.length);
    const [presentationId, tokenId, expires, signature] = grant.split('.');
    for (const cookie of [
      `deck=${grant}`,
      `__host-deck=${grant}`,
      `__Secure-deck=${grant}`,
      `x__Host-deck=${grant}`,
      `x="; y__Host-deck=${grant}"`,
      `__Host-deck="${grant}"`,
      `__Host-deck=${grant.slice(0, -1)}`,
      `__Host-deck=${grant}0`,
      `__Host-deck=${[presentationId, tokenId, Number(expires) + 1, signature].join('.')}`,
      `__Host-deck=${[other.presentationId, tokenId, expires, signature].join('.')}`,
      `__Host-deck=${[presentationId, other.tokenId, expires, signature].join('.')}`,
      `__Host-deck=${signed('ticket')}`,
      `__Host-deck=${deck.token}`,
      '__Host-deck',
      '',
    ]) {
      expect([cookie, (await get('/', { cookie })).status]).toEqual([cookie, 404]);
    }
  });

  test('of another label opens nothing, and opens no other label', async () => {
    const { data } = await call<LinkOf>('addPresentationToken', { tokenName: 'second' }, deck);
    const second = { ...data, presentationId: deck.presentationId };
    // Another link of the same deck, and a link of another deck.
    for (const foreign of [second, other]) {
      expect((await get('/', withGrant(signed('grant', foreign)))).status).toBe(404);
      expect((await get('/', { cookie: link.cookie }, foreign)).status).toBe(404);
      expect((await get('/', withGrant(signed('grant', foreign)), foreign)).status).toBe(200);
    }
  });

  test('ends after 30 days', async () => {
    const { cookie } = await opened(deck);
    passSeconds(30 * 24 * 3600 - 60);
    expect((await get('/', { cookie })).status).toBe(200);
    passSeconds(120);
    expect((await get('/', { cookie })).status).toBe(404);
  });

  test('of an older secret opens until that secret is removed, and one of a foreign secret never opens', async () => {
    const before = process.env['SERVICE_SECRET']!;
    const older = signed('grant');
    const next = 'the-next-secret-of-the-service';
    expect((await get('/', withGrant(signed('grant', deck, next)))).status).toBe(404);
    try {
      process.env['SERVICE_SECRET'] = `${next}\n${before}`;
      expect((await get('/', withGrant(older))).status).toBe(200);
      expect((await get('/', withGrant(signed('grant')))).status).toBe(200);
      process.env['SERVICE_SECRET'] = next;
      expect((await get('/', withGrant(older))).status).toBe(404);
    } finally {
      process.env['SERVICE_SECRET'] = before;
    }
  });

  test('is judged by the records at every request', async () => {
    const mine = await world.aDeck(owner, [page('Mine'), page('More', 'more.html')]);
    const { cookie } = await opened(mine);
    const statuses = async () =>
      Promise.all(['/', '/more', '/none'].map(async (path) => (await get(path, { cookie }, mine)).status));
    expect(await statuses()).toEqual([200, 200, 404]);
    for (const [state, expected] of [
      [{ expiresAt: new Date(Date.now() - 1) }, [410, 410, 410]],
      [{ expiresAt: null, takedown: { at: new Date(), reason: 'x' } }, [410, 410, 410]],
      [{ takedown: null }, [200, 200, 404]],
    ] as const) {
      await deckDoc(mine).update(state);
      expect(await statuses()).toEqual(expected);
    }
    await call('unsharePresentation', { tokenId: mine.tokenId }, mine);
    expect(await statuses()).toEqual([403, 403, 403]);
    await call('deletePresentation', {}, mine);
    expect(await statuses()).toEqual([404, 404, 404]);
  });

  test('serves the version of its link', async () => {
    const mine = await world.aDeck(owner, [page('One')]);
    const { cookie } = await opened(mine);
    const { presentationId, tokenId } = mine;
    await world.uploadAll(owner, { presentationId }, [page('Two')]);
    await world.commit(owner, { presentationId }, [page('Two')]);
    expect((await get('/', { cookie }, mine)).text).toContain('Two');
    await call('setTokenVersionMode', { tokenId, versionMode: { type: 'pinned', version: 1 } }, mine);
    expect((await get('/', { cookie }, mine)).text).toContain('One');
  });
});

test('no answer holds the raw token, and no answer but that of a ticket sets a cookie', async () => {
  const answers = [
    await get(`/_open/${signed('ticket')}`),
    await get(`/_open/${signed('ticket')}`, {}, other),
    ...(await Promise.all(['/', '/second', '/none', '/_deck/x.js'].map((path) => get(path, { cookie: link.cookie })))),
    await get('/'),
  ];
  for (const [i, answer] of answers.entries()) {
    expect(JSON.stringify([answer.headers, answer.text])).not.toContain(deck.token);
    expect(answer.headers['set-cookie'] !== undefined).toBe(i === 0);
  }
});

const partOf = (destination: string) => ({ accept: '*/*', 'sec-fetch-dest': destination, 'sec-fetch-mode': 'no-cors' });
/** The headers of a program that is not a browser of today. */
const none = Object.fromEntries(Object.keys(navigation).map((name) => [name, undefined]));
const page404 = 'text/html; charset=utf-8';
const line404 = 'text/plain; charset=utf-8';

test.each<[string, Headers, string]>([
  ['a window', navigation, page404],
  ['a frame', { ...navigation, 'sec-fetch-dest': 'iframe' }, page404],
  ['an older browser', { ...none, accept: 'text/html,*/*;q=0.8' }, page404],
  ['an older browser that asks for a picture', { ...none, accept: 'image/webp,*/*;q=0.5' }, line404],
  ['a program', none, line404],
  ['a call', { ...partOf('empty'), 'sec-fetch-mode': 'cors' }, line404],
  ['a page for its image', partOf('image'), line404],
  ['a page for its script', partOf('script'), line404],
  ['a page for its style', partOf('style'), line404],
  ['a page for its font', partOf('font'), line404],
  ['a page for its video', partOf('video'), line404],
  ['a page for its manifest', partOf('manifest'), line404],
  ['a page for its worker', partOf('worker'), line404],
])('every label without a grant gives the same 404 to %s, whatever it asks for', async (_name, headers, type) => {
  const unknown = { tokenId: newId() };
  const ofUnknown = ['/', '/second', '/_open/', '/_deck/none.js', '/%'].map((target) => get(target, headers, unknown));
  const foreign = get('/', { ...headers, cookie: link.cookie }, unknown);
  const answers = await Promise.all([get('/', headers), get('/none', headers), foreign, ...ofUnknown]);
  expect(answers.map(shown)).toEqual(answers.map(() => shown(answers[0])));
  expect(answers[0].status).toBe(404);
  if (type === line404) expect(answers[0].text).toBe('Open the share link to see the presentation.\n');
  const common = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' };
  expect(answers[0].headers).toMatchObject({ ...common, 'content-type': type });
});

describe('the host', () => {
  const label = () => new URL(originOf(deck)).hostname.split('.')[0]!;
  const port = () => new URL(originOf(deck)).port;
  const ask = (host: string | string[] | undefined, more: Headers = {}) =>
    get('/', { cookie: link.cookie, host, ...more });

  test('is compared without case, and another name is refused with 421', async () => {
    expect((await ask(`${label().toUpperCase()}.Decks.LocalHost:${port()}`)).status).toBe(200);
    // The table of values/deck-origins has further names.
    for (const host of [
      `a.${label()}.decks.localhost:${port()}`,
      `${label()}x.decks.localhost:${port()}`,
      `${label()}.decks.localhost:${Number(port()) + 1}`,
      `${label()}.decks.localhost`,
      `${label()}@evil.example:${port()}`,
      `user@${label()}.decks.localhost:${port()}`,
      `evil.example/${label()}.decks.localhost:${port()}`,
      `127.0.0.1:${port()}`,
      ` `,
      '',
    ]) {
      const answer = await ask(host);
      expect([host, answer.status]).toEqual([host, 421]);
      expect(answer.text).not.toContain('Entry');
    }
  });

  test('that a header forwards or the target names is not believed', async () => {
    const { host } = new URL(originOf(other));
    const named = { 'x-forwarded-host': host, 'x-original-host': host, 'x-host': host, forwarded: `host="${host}"` };
    const headers = { ...named, ...withGrant(signed('grant', other)) };
    expect((await get('/', headers)).status).toBe(404);
    expect((await get('/', { ...headers, host: '127.0.0.1' })).status).toBe(421);
    expect((await get(`${originOf(other)}/`, headers)).status).toBe(404);
  });

  test('is required, and is foreign when the service has no deck origins', async () => {
    // Node refuses a request of HTTP/1.1 without a host itself.
    expect((await ask(undefined)).status).toBe(400);
    const before = process.env['DECK_ORIGIN'];
    process.env['DECK_ORIGIN'] = '';
    const { status } = await ask(new URL(originOf(deck)).host);
    process.env['DECK_ORIGIN'] = before;
    expect(status).toBe(421);
  });
});

test('other methods are refused, and OPTIONS is one of them', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const headers = { cookie: link.cookie, origin: 'https://example.org', 'access-control-request-method': 'GET' };
    const answer = await get('/', headers, deck, method);
    expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD']);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
});

test('the script of a service worker is refused, before access is asked for', async () => {
  const cost = await world.costOf(async () => {
    const answer = await get('/second.html', { cookie: link.cookie, 'service-worker': 'script' });
    expect([answer.status, answer.headers['service-worker-allowed']]).toEqual([403, undefined]);
  });
  expect(cost.roundTrips).toBe(0);
});
