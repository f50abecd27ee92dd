import { serviceSecrets } from '../../../functions/src/config';
import { newLinkGrant, writeGrant, type GrantKind } from '../../../functions/src/values/deck-grants';
import { labelOfToken } from '../../../functions/src/values/deck-origins';
import { newId } from '../../../functions/src/values/ids';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { forged, navigation, openOnOrigin, requestTarget } from '../../support/deck-origin';
import type { OpenedLink, OriginAnswer } from '../../support/deck-origin';
import { words } from '../../support/words';
import { page, startWorld, world, type Account, type Deck } from '../../support/world';

/** Who opens decks on their origins. */

let owner: Account;
let deck: Deck;
let other: Deck;
let link: OpenedLink;

startWorld(async () => {
  owner = await world.anOwner();
  deck = await world.aDeck(owner, [page('Entry'), page('Second', 'second.html')]);
  other = await world.aDeck(owner, [page('Other')]);
  link = await opened(deck);
});

type LinkOf = Pick<Deck, 'presentationId' | 'token' | 'tokenId'>;
const opened = ({ presentationId, token }: LinkOf) =>
  openOnOrigin(`${world.cloud.hostingUrl}/share/${presentationId}?token=${token}`);
const originOf = ({ tokenId }: Pick<Deck, 'tokenId'>) => world.cloud.deckOrigin!.replace('*', labelOfToken(tokenId));
type Headers = Record<string, string | string[] | undefined>;
const get = (target: string, headers: Headers = {}, of: Pick<Deck, 'tokenId'> = deck, method = 'GET') =>
  requestTarget(originOf(of), target, { method, headers: { ...navigation, ...headers } });
const signed = (kind: GrantKind, of: LinkOf = deck, secret = serviceSecrets.current()) =>
  writeGrant(secret, kind, newLinkGrant(of), new Date());
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
  // An error names its request, and leads to the page that asks for access at its label.
  const alike = text.replace(String(id), 'ID').replace(/(\/share\/ask\/)[a-z2-7]{32}/, '$1LABEL');
  return { status, headers: rest, text: alike };
};

describe('opening a link', () => {
  test('exchanges the ticket for a cookie that only this origin gets, and keeps the query', async () => {
    const answer = await get(`/_open/${signed('ticket')}?slide=3&a=%2F%2F`);
    const headers = { location: '/?slide=3&a=%2F%2F', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
    expect(answer).toMatchObject({ status: 303, headers });
    const [set = '', ...more] = answer.headers['set-cookie']!;
    const [cookie, ...attributes] = set.split('; ');
    expect([cookie, more]).toEqual([expect.stringMatching(/^__Host-deck=[\w-]+\.[\da-f]{64}$/), []]);
    expect(attributes).toEqual(['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=2592000']);
    expect((await get('/', { cookie })).text).toContain('Entry');
  });

  test('works again within 60 seconds, and not after them', async () => {
    const ticket = signed('ticket');
    const statuses: number[] = [];
    for (const seconds of [0, 58, 3]) {
      passSeconds(seconds);
      statuses.push((await get(`/_open/${ticket}`)).status);
    }
    expect(statuses).toEqual([303, 303, 404]);
  });

  test('refuses any other ticket with the one 404 page and without a cookie, also beside a valid grant', async () => {
    const ticket = signed('ticket');
    const unknown = shown(await get('/'));
    const late = writeGrant(serviceSecrets.current(), 'ticket', newLinkGrant(deck), new Date(Date.now() - 61_000));
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
    for (const [of, status, heading] of [
      [mine, 403, '<h1>This link was revoked</h1>'],
      [expiring, 410, '<h1>This presentation has expired</h1>'],
    ] as const) {
      const answer = await get(`/_open/${signed('ticket', of)}`, {}, of);
      expect([answer.status, answer.headers['set-cookie']]).toEqual([status, undefined]);
      expect(answer.text).toContain(heading);
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
  // values/deck-grants.test.ts changes every character of a grant, and tells the cookies among which one is found.
  test('opens its link among other grants, and is refused under another name, changed or of another kind', async () => {
    const among = `__Host-deck=${signed('grant', other)}; ${link.cookie}`;
    expect((await get('/', { cookie: among })).status).toBe(200);
    const grant = link.cookie.slice('__Host-deck='.length);
    const foreign = forged(grant, deck.tokenId, other.tokenId);
    const changed = [`"${grant}"`, `${grant}0`, foreign, signed('ticket'), deck.token].map(
      (text) => `__Host-deck=${text}`,
    );
    for (const cookie of [`deck=${grant}`, `__host-deck=${grant}`, `x__Host-deck=${grant}`, '', ...changed]) {
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

  test('of an older secret opens until that secret is removed, and one of a foreign secret never opens', async () => {
    const before = process.env['SERVICE_SECRET']!;
    const older = signed('grant');
    const next = 'the-next-secret-of-the-service';
    const status = async (grant: string) => (await get('/', withGrant(grant))).status;
    expect(await status(signed('grant', deck, next))).toBe(404);
    try {
      process.env['SERVICE_SECRET'] = `${next}\n${before}`;
      expect([await status(older), await status(signed('grant'))]).toEqual([200, 200]);
      process.env['SERVICE_SECRET'] = next;
      expect(await status(older)).toBe(404);
    } finally {
      process.env['SERVICE_SECRET'] = before;
    }
  });

  test('is judged by the records at every request', async () => {
    const mine = await world.aDeck(owner, [page('Mine'), page('More', 'more.html')]);
    const { cookie } = await opened(mine);
    const set = (state: object) => () => deckDoc(mine).update(state);
    for (const [change, expected] of [
      [set({ takedown: null }), [200, 200, 404]],
      [set({ expiresAt: new Date(Date.now() - 1) }), [410, 410, 410]],
      [set({ expiresAt: null, takedown: { at: new Date(), reason: 'x' } }), [410, 410, 410]],
      [set({ takedown: null }), [200, 200, 404]],
      [() => call('unsharePresentation', { tokenId: mine.tokenId }, mine), [403, 403, 403]],
      [() => call('deletePresentation', {}, mine), [404, 404, 404]],
    ] as const) {
      await change();
      const answers = await Promise.all(['/', '/more', '/none'].map((path) => get(path, { cookie }, mine)));
      expect(answers.map(({ status }) => status)).toEqual(expected);
    }
  });
});

test('no answer holds the raw token, and no answer but that of a ticket sets a cookie', async () => {
  const ticket = `/_open/${signed('ticket')}`;
  const opening = ['/', '/second', '/none', '/_deck/x.js'].map((path) => get(path, { cookie: link.cookie }));
  const answers = await Promise.all([get(ticket), get(ticket, {}, other), ...opening, get('/')]);
  for (const [i, { headers, text }] of each(answers.entries())) {
    expect(JSON.stringify([headers, text])).not.toContain(deck.token);
    expect(headers['set-cookie'] !== undefined).toBe(i === 0);
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
  ...words('image script style font video manifest worker').map((destination): [string, Headers, string] => [
    `a page for its ${destination}`,
    partOf(destination),
    line404,
  ]),
])('every label without a grant gives the same 404 to %s, whatever it asks for', async (_name, headers, type) => {
  const unknown = { tokenId: newId() };
  const ofUnknown = ['/', '/second', '/_open/', '/_deck/none.js', '/%'].map((target) => get(target, headers, unknown));
  const foreign = get('/', { ...headers, cookie: link.cookie }, unknown);
  const answers = await Promise.all([get('/', headers), get('/none', headers), foreign, ...ofUnknown]);
  expect(answers.map(shown)).toEqual(answers.map(() => shown(answers[0])));
  if (type === line404) expect(answers[0].text).toBe('Open the share link to see the presentation.\n');
  const common = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' };
  expect(answers[0]).toMatchObject({ status: 404, headers: { ...common, 'content-type': type } });
});

describe('the host', () => {
  const label = () => new URL(originOf(deck)).hostname.split('.')[0]!;
  const port = () => new URL(originOf(deck)).port;
  const ask = (host: string | string[] | undefined, more: Headers = {}) =>
    get('/', { cookie: link.cookie, host, ...more });

  test('is compared without case, and another name is refused with 421', async () => {
    expect((await ask(`${label().toUpperCase()}.Decks.LocalHost:${port()}`)).status).toBe(200);
    // The table of values/deck-origins has further names.
    for (const host of [`${label()}.decks.localhost`, `evil.example/${label()}.decks.localhost:${port()}`, ' ', '']) {
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
    // Beacons are posted to an address of their own.
    const allowed = method === 'POST' ? 'GET, HEAD' : 'GET, HEAD, POST';
    expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, allowed]);
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
