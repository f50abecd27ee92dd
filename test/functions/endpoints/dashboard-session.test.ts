import { isDeviceOf } from '../../../functions/src/records/devices';
import { read } from '../../../functions/src/records/database';
import { userRef } from '../../../functions/src/records/users';
import { readGrant, type Grant, type LinkGrant } from '../../../functions/src/values/deck-grants';
import { atOnce } from '../../support/answers';
import { aBrowser } from '../../support/browser-session';
import { passSeconds } from '../../support/clock';
import { atSite as inWindow, navigation, requestLocally } from '../../support/deck-origin';
import { each } from '../../support/each';
import { aKnownDevice } from '../../support/sign-in';
import { type Account, startWorld, succeed, world } from '../../support/world';

/** One sign-in for all tabs of a browser: the cookie, the binder, and the tokens that pages get for both. */

const DAY_SECONDS = 24 * 3600;
let owner: Account;
startWorld();
beforeEach(async () => {
  owner = await world.anOwner();
});

interface Renewed {
  binder?: string;
  sessionToken: string;
  expiresAt: string;
}
interface Listed {
  sessions: { sessionId: string; device: string; place: string | null; isCurrent: boolean; lastUsedAt: string }[];
  nextCursor: string | null;
}

/** Calls a function at the address of the site, as its pages do. */
async function atSite<T = Renewed>(name: string, body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(`${world.cloud.hostingUrl}/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: world.cloud.hostingUrl, ...headers },
    body: JSON.stringify(body),
  });
  const { data, error } = (await answer.json()) as { data: T; error?: { code: string } };
  return { status: answer.status, headers: answer.headers, cookies: answer.headers.getSetCookie(), data, error };
}
const renew = (headers: Record<string, string>) => atSite('dashboardSession', {}, headers);
const exchange = (text: string, headers = {}) => atSite('dashboardSession', { exchange: text }, headers);
const statusWith = async (key: string) => (await world.call('getAccount', undefined, { key })).status;
const list = (key: string, query = {}) =>
  succeed(world.call<Listed>('listDashboardSessions', undefined, { key, query }));

test('a login is exchanged for a cookie and a binder, once and within a minute', async () => {
  passSeconds(31);
  const { email } = owner;
  await succeed(world.call('cliRequestLoginOtp', { email }));
  const code = await world.mailedCode(email);
  const login = await succeed(world.call<Record<string, string>>('createDashboardSession', { email, code }));
  const first = await exchange(login['exchange']!, { 'x-country-code': 'DE' });
  const { binder, sessionToken, expiresAt } = first.data;
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
  expect(await Promise.all([sessionToken, login['sessionToken']!].map(statusWith))).toEqual([200, 200]);
  const form = (path: string, site: string) =>
    new RegExp(`^__session=[\\w.-]{70,}; Path=${path}; SameSite=${site}; HttpOnly; Max-Age=2592000$`);
  expect(first.cookies).toEqual([
    expect.stringMatching(form('/dashboardSession', 'Strict')),
    expect.stringMatching(form('/share', 'Lax')),
  ]);
  expect(first.headers.get('cache-control')).toBe('private, no-store');
  expect(first.headers.get('access-control-allow-origin')).toBeNull();
  expect(await list(sessionToken)).toMatchObject({ sessions: [{ place: 'Germany', isCurrent: true }] });

  expect((await exchange(login['exchange']!)).status).toBe(401);
  const late = await world.aLogin(owner);
  passSeconds(61);
  expect((await exchange(late.exchange)).status).toBe(401);

  const cookie = /=([^;]+)/.exec(first.cookies[0]!)![1]!;
  const { docs } = await world.database.collection('dashboardSessions').get();
  const stored = JSON.stringify(docs.map((document) => document.data()));
  for (const secret of each([cookie.split('.')[1]!, binder!, sessionToken, login['exchange']!.split('.')[1]!])) {
    expect(stored).not.toContain(secret);
  }
});

test('of many exchanges of one login at once, one succeeds', async () => {
  const login = await world.aLogin(owner);
  const statuses = (await atOnce(5, () => exchange(login.exchange))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 401, 401, 401, 401]);
});

test('tabs that renew at once all get a token, and no later call answers the binder', async () => {
  const { headers } = await aBrowser(world, owner);
  const answers = await atOnce(6, () => renew(headers));
  expect(answers.map(({ status, data }) => [status, 'binder' in data])).toEqual(answers.map(() => [200, false]));
  const tokens = answers.map(({ data }) => data.sessionToken);
  expect(new Set(tokens).size).toBe(6);
  expect(await Promise.all(tokens.map(statusWith))).toEqual(tokens.map(() => 200));
  passSeconds(15 * 60 + 1);
  expect(await Promise.all(tokens.map(statusWith))).toEqual(tokens.map(() => 401));
  expect((await renew(headers)).status).toBe(200);
});

test('a planted cookie signs nobody in, and does not keep the right one from its session', async () => {
  const [browser, evil] = [await aBrowser(world, owner), await aBrowser(world, await world.anOwner())];
  const { 'x-dashboard-binder': binder, ...withoutBinder } = browser.headers;
  const planted = `__session=${evil.cookie}`;
  const refused: Record<string, string>[] = [
    withoutBinder,
    { ...browser.headers, cookie: planted },
    { ...withoutBinder, cookie: planted },
    { ...browser.headers, 'x-dashboard-binder': evil.binder },
    { ...browser.headers, cookie: `__session=${browser.cookie.slice(0, -1)}` },
    { 'x-dashboard-binder': binder },
  ];
  for (const headers of each(refused)) expect([headers, (await renew(headers)).status]).toEqual([headers, 401]);
  const several = `a=b; ${planted}; ${browser.headers['cookie']}; ${planted}`;
  const { data } = await renew({ ...browser.headers, cookie: several });
  const account = await succeed(world.call('getAccount', undefined, { key: data.sessionToken }));
  expect(account).toMatchObject({ user: { email: owner.email } });
});

test('pages of other origins and programs are refused', async () => {
  const { headers } = await aBrowser(world, owner);
  const sibling = world.cloud.deckOrigin!.replace('*', 'a'.repeat(32));
  for (const origin of each([sibling, 'null', `${world.cloud.hostingUrl}.example`])) {
    expect([origin, (await renew({ ...headers, origin })).error?.code]).toEqual([origin, 'permission-denied']);
  }
  expect((await renew({ ...headers, origin: world.cloud.marketplaceUrl })).status).toBe(200);
  const { origin: _, ...ofProgram } = headers;
  expect((await world.call('dashboardSession', {}, { headers: ofProgram })).error.code).toBe('permission-denied');
});

test('a browser stays signed in for 30 days after its last use, and for 180 days at most', async () => {
  const { headers } = await aBrowser(world, owner);
  for (let day = 29; day <= 174; day += 29) {
    passSeconds(29 * DAY_SECONDS);
    expect([day, (await renew(headers)).status]).toEqual([day, 200]);
  }
  expect(/Max-Age=(\d+)/.exec((await renew(headers)).cookies[0]!)![1]).toMatch(/^51\d{4}$/);
  passSeconds(7 * DAY_SECONDS);
  expect((await renew(headers)).status).toBe(401);
  const unused = await aBrowser(world, owner);
  passSeconds(31 * DAY_SECONDS);
  expect((await renew(unused.headers)).status).toBe(401);
});

describe('devices', () => {
  test('are listed by pages, and each can be signed out alone, with all its tokens', async () => {
    const [own, other] = [await aBrowser(world, owner), await aBrowser(world, owner)];
    const key = (await renew(own.headers)).data.sessionToken;
    const others = [await renew(other.headers), await renew(other.headers)].map(({ data }) => data.sessionToken);
    const { sessions, nextCursor } = await list(key, { limit: '1' });
    const rest = await list(key, { cursor: nextCursor! });
    expect([sessions.length, rest.sessions.length]).toEqual([1, 1]);
    const listed = [...sessions, ...rest.sessions].map(({ sessionId, isCurrent }) => [sessionId, isCurrent]);
    expect(Object.fromEntries(listed)).toEqual({ [own.sessionId]: true, [other.sessionId]: false });
    const foreign = await aBrowser(world, await world.anOwner());
    const end = (sessionId: string) => world.call('endDashboardSession', { sessionId }, { key });
    expect((await end(foreign.sessionId)).error.code).toBe('not-found');
    await succeed(end(other.sessionId));
    expect(await Promise.all(others.map(statusWith))).toEqual([401, 401]);
    expect([(await renew(other.headers)).status, (await renew(foreign.headers)).status]).toEqual([401, 200]);
    expect((await list(key)).sessions).toHaveLength(1);
  });

  test('signing out at the site removes both cookies', async () => {
    const { headers } = await aBrowser(world, owner);
    const key = (await renew(headers)).data.sessionToken;
    const { cookies } = await atSite('endDashboardSession', {}, { authorization: `Bearer ${key}` });
    expect(cookies.map((cookie) => cookie.replace(/SameSite=\w+; /, ''))).toEqual([
      '__session=; Path=/dashboardSession; HttpOnly; Max-Age=0',
      '__session=; Path=/share; HttpOnly; Max-Age=0',
    ]);
    expect([await statusWith(key), (await renew(headers)).status]).toEqual([401, 401]);
    const program = await world.aDashboardSession(owner);
    const { headers: answered } = await world.call('endDashboardSession', {}, { key: program });
    expect(answered.getSetCookie()).toEqual([]);
  });

  test('signing out everywhere ends all sessions and forgets all devices, and leaves keys', async () => {
    const known = await aKnownDevice();
    const browsers = [await aBrowser(world, known), await aBrowser(world, known)];
    const program = await world.aDashboardSession(known);
    const isKnown = async () => {
      const [user] = await read(userRef(known.userId));
      return isDeviceOf(user, known.deviceToken, new Date());
    };
    expect(await isKnown()).toBe(true);
    const both = { all: true, sessionId: browsers[0]!.sessionId };
    expect((await world.call('endDashboardSession', both, { key: program })).status).toBe(400);
    await succeed(world.call('endDashboardSession', { all: true }, { key: program }));
    expect([await isKnown(), await statusWith(program), await statusWith(known.key)]).toEqual([false, 401, 200]);
    for (const { headers } of browsers) expect((await renew(headers)).status).toBe(401);
  });
});

test('a link that its owner or a dev opens is marked as an own load, and costs no other read', async () => {
  const [deck, dev, stranger] = [await world.aDeck(owner), await world.anOwner(), await world.anOwner()];
  await world.addMember(deck, dev);
  const open = async (cookie?: string) => {
    const target = `/share/${deck.presentationId}?token=${deck.token}`;
    const headers = { ...navigation, ...(cookie && { cookie }) };
    const { headers: answered } = await requestLocally(inWindow(`${world.cloud.hostingUrl}${target}`), { headers });
    const [, ticket = ''] = /\/_open\/([^?]+)/.exec(answered.location!) ?? [];
    const grant = readGrant([process.env['SERVICE_SECRET']!], 'ticket', ticket, new Date());
    return (grant as Grant<LinkGrant>).isOwn ?? false;
  };
  const markOf = async (account: Account) => {
    const { headers } = await aBrowser(world, account);
    return (await renew(headers)).cookies[1]!.split(';')[0]!;
  };
  const [own, ofDev, others] = [await markOf(owner), await markOf(dev), await markOf(stranger)];
  expect([await open(), await open(own), await open(ofDev), await open(others)]).toEqual([false, true, true, false]);
  expect(await open(own.replace(owner.userId, dev.userId))).toBe(false);
  expect(await open(`${others}; ${own}`)).toBe(true);
  expect(await world.costOf(() => open(own))).toEqual(await world.costOf(() => open()));
  passSeconds(30 * DAY_SECONDS + 1);
  expect(await open(own)).toBe(false);
});
