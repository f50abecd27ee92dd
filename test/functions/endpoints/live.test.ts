import { passSeconds } from '../../support/clock';
import { atSite, navigation, openOnOrigin, requestLocally } from '../../support/deck-origin';
import { follow, move, startLive, type Started } from '../../support/live';
import { markOf } from '../../support/own-mark';
import { requestLineOf } from '../../support/request-lines';
import { aFramedReader, aReader, viewsOf } from '../../support/views';
import { page, startWorld, succeed, world, type Account, type Deck, type ErrorBody } from '../../support/world';

/** Live sessions: who starts, moves and ends them, and what their streams tell. */

process.env['LIVE_BEAT_MS'] = '50';

let owner: Account;
let dev: Account;
let deck: Deck;
startWorld(async () => {
  [owner, dev] = [await world.anOwner('pro'), await world.anOwner()];
});
beforeEach(async () => {
  deck = await world.aDeck(owner, [page()]);
  passSeconds(2);
});

/** A call of the owner about the deck. */
const call = (name: string, more: object = {}) =>
  world.call(name, { presentationId: deck.presentationId, ...more }, owner);
const end = () => call('endLiveSession');
const inASecond = () => new Date(Date.now() + 1000).toISOString();
const setPasscode = () => call('updateShareToken', { tokenId: deck.tokenId, passcode: 'orchid-47' });
const get = () => {
  const options = { key: owner.key, path: `/${deck.presentationId}` };
  return world.call<{ live: Record<string, unknown> | null }>('getLiveSession', undefined, options);
};
const state = async (ticket: string) => {
  const answer = await fetch(`${world.cloud.baseUrl}/followLiveSession?ticket=${ticket}`);
  return (await answer.json()) as { data: { sequence: number; slide: object | null }; error: ErrorBody };
};
/** The ticket of a reader, from the answer to a beacon. */
async function audience(of: Pick<Deck, 'shareUrl'> = deck): Promise<string> {
  const reader = await aReader(of);
  const { headers } = await reader.seen((await reader.load()).beacon());
  return headers['deck-live'] as string;
}

test('a session is started once, also by two at once, and its addresses are those of the link', async () => {
  const [one, two] = await Promise.all([startLive(owner, deck), startLive(owner, deck)]);
  expect(two).toMatchObject({ liveId: one.liveId, tokenId: deck.tokenId, audienceUrl: deck.shareUrl });
  expect(one.presenterUrl.startsWith(`${deck.shareUrl}#present=`)).toBe(true);
  expect((await get()).data.live).toMatchObject({ liveId: one.liveId, followers: 0, hasPresenter: false, slide: null });
  passSeconds(8 * 3600);
  expect((await get()).data.live).toBeNull();
  expect((await startLive(owner, deck)).liveId).not.toBe(one.liveId);
});

test('a start that is repeated with its key is the first one, also after its session', async () => {
  const again = async () => {
    const options = { key: owner.key, headers: { 'idempotency-key': deck.presentationId } };
    return succeed(world.call<Started>('startLiveSession', { presentationId: deck.presentationId }, options));
  };
  const first = await again();
  await end();
  expect(await again()).toEqual(first);
  expect((await get()).data.live).toBeNull();
});

test('a deck without an open link gets one, and a dev names an open link', async () => {
  const { presentationId, tokenId } = deck;
  await world.addMember(deck, dev);
  expect((await world.call('startLiveSession', { presentationId }, dev)).error.code).toBe('permission-denied');
  expect((await startLive(dev, deck, tokenId)).tokenId).toBe(tokenId);
  await succeed(call('unsharePresentation', { tokenId }));
  expect((await call('startLiveSession', { tokenId })).error.code).toBe('conflict');
  expect((await startLive(owner, deck)).tokenId).not.toBe(tokenId);
  expect((await call('startLiveSession', { tokenId })).error.message).toMatch(/another link/);
});

test('without a named link the first one is taken that is open and for everybody', async () => {
  const { presentationId, tokenId } = deck;
  const tokens = async () => {
    const query = { presentationId };
    const info = world.call<{ tokens: object[] }>('getSharedPresentationInfo', undefined, { key: owner.key, query });
    return (await succeed(info)).tokens.length;
  };
  const taken = async () => {
    const { tokenId: of } = await startLive(owner, deck);
    await succeed(end());
    return of;
  };
  // The deck shows this link, which is not for everybody.
  await succeed(call('sharePresentationViaEmail', { emails: ['ada@example.org'] }));
  await succeed(setPasscode());
  expect(await taken()).toBe(tokenId);
  const once = { tokenName: 'once', maxOpenings: 1 };
  const { token } = await succeed(world.call<Deck>('addPresentationToken', { presentationId, ...once }, owner));
  await succeed(world.call('openShareLink', { presentationId, token }));
  await succeed(call('updateShareToken', { tokenId, expiresAt: new Date(Date.now() + 3_600_000).toISOString() }));
  expect([await taken(), await tokens()]).toEqual([tokenId, 3]);
  await succeed(call('setTokenVersionMode', { tokenId, versionMode: { type: 'pinned', version: 1 } }));
  await taken();
  expect(await tokens()).toBe(4);
});

test('the audience gets the state at once, each move, and nothing twice after a lost connection', async () => {
  const { presenter, liveId } = await startLive(owner, deck);
  const ticket = await audience();
  const stream = await follow(ticket);
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect((await stream.next('state')).data).toEqual({ liveId, sequence: 0, slide: null });
  expect((await move(presenter, 1, { index: 3 })).data).toMatchObject({ taken: true, sequence: 1 });
  const moved = await stream.next('state');
  expect(moved.data).toMatchObject({ sequence: 1, slide: { key: 'slide-3', index: 3, step: null } });
  stream.leave();
  const again = await follow(ticket, moved.id);
  passSeconds(1);
  await move(presenter, 2, { index: 4 });
  expect((await again.next('state')).data).toMatchObject({ sequence: 2 });
  expect((await state(ticket)).data).toMatchObject({ sequence: 2, slide: { index: 4 } });
  again.leave();
});

test('moves are taken once a second, and a late one never takes the audience back', async () => {
  const { presenter } = await startLive(owner, deck);
  const two = await Promise.all([move(presenter, 1, { index: 1 }), move(presenter, 1, { index: 2 })]);
  expect(two.map(({ data: { taken } }) => taken).sort()).toEqual([false, true]);
  expect((await move(presenter, 2, { index: 5 })).data).toMatchObject({ taken: false, retryAfterMs: 1000 });
  passSeconds(1);
  expect((await move(presenter, 3, { index: 6 })).data).toMatchObject({ taken: true, retryAfterMs: null });
  passSeconds(1);
  const late = await move(presenter, 2, { index: 5 });
  expect(late.data).toMatchObject({ taken: false, sequence: 3, slide: { index: 6 } });
});

test('only the ticket of the presenter of this session moves it', async () => {
  const { presenter } = await startLive(owner, deck);
  const reader = await audience();
  const other = await startLive(owner, await world.aDeck(owner, [page()]));
  for (const ticket of [reader, `${presenter}0`, '', presenter.replace(/^./, 'x')]) {
    expect((await move(ticket, 1, { index: 1 })).error.code).toBe('permission-denied');
  }
  await move(other.presenter, 1, { index: 9 });
  expect((await state(reader)).data).toMatchObject({ sequence: 0, slide: null });
  passSeconds(601);
  expect((await state(reader)).error.code).toBe('permission-denied');
  await end();
  await startLive(owner, deck);
  expect((await move(presenter, 1, { index: 1 })).error.code).toBe('expired');
  expect((await state(presenter)).error.code).toBe('expired');
});

test('a remote control reaches the page of the presenter, and nobody else', async () => {
  const { presenter } = await startLive(owner, deck);
  expect((await move(presenter, 1, { command: 'next' })).error.code).toBe('conflict');
  const [own, reader] = [await follow(presenter), await follow(await audience())];
  await own.next('followers');
  expect((await move(presenter, 9, { command: 'next' })).data).toMatchObject({ taken: true, sequence: 0 });
  expect((await own.next('command')).data).toEqual({ command: 'next' });
  passSeconds(1);
  expect((await move(presenter, 9, { command: 'next' })).data.taken).toBe(false);
  // Another remote control, whose clock is behind.
  expect((await move(presenter, 8, { command: 'previous' })).data.taken).toBe(true);
  expect((await own.next('command')).data).toEqual({ command: 'previous' });
  await end();
  expect((await reader.rest()).map(({ event }) => event)).toEqual(['state', 'end']);
});

test('the stream of a remote control is no page of the presenter, and hears how many there are', async () => {
  const { presenter } = await startLive(owner, deck);
  const remote = await follow(`${presenter}&remote=1`);
  expect((await remote.next('followers')).data).toMatchObject({ followers: 0, presenters: 0 });
  expect((await move(presenter, 1, { command: 'next' })).error.code).toBe('conflict');
  const own = await follow(presenter);
  while ((await remote.next('followers')).data['presenters'] !== 1);
  expect((await move(presenter, 1, { command: 'next' })).data.taken).toBe(true);
  await own.next('command');
  passSeconds(1);
  await move(presenter, 1, { index: 2 });
  expect((await remote.next('state')).data).toMatchObject({ sequence: 1 });
  // The parameter gives a reader nothing.
  const reader = await follow(`${await audience()}&remote=1`);
  while ((await remote.next('followers')).data['followers'] !== 1);
  await end();
  expect((await remote.rest()).map(({ event }) => event)).not.toContain('command');
  expect((await reader.rest()).map(({ event }) => event)).toEqual(['state', 'end']);
});

test('followers are counted without a write of each, and those who left are not', async () => {
  const { presenter } = await startLive(owner, deck);
  const ticket = await audience();
  const streams = await Promise.all(Array.from({ length: 30 }, () => follow(ticket)));
  const own = await follow(presenter);
  while ((await own.next('followers')).data['followers'] !== 30);
  expect((await get()).data.live).toMatchObject({ followers: 30, hasPresenter: true });
  for (const stream of streams) stream.leave();
  while ((await own.next('followers')).data['followers'] !== 0);
  own.leave();
});

test('a session of the free plan has 100 streams, and others ask', async () => {
  const free = await world.anOwner();
  const own = await world.aDeck(free, [page()]);
  await startLive(free, own);
  const ticket = await audience(own);
  const streams = await Promise.all(Array.from({ length: 100 }, () => follow(ticket)));
  const more = await follow(ticket);
  expect(await more.rest()).toEqual([{ event: 'ask', data: { everySeconds: 5 } }]);
  expect((await state(ticket)).data).toMatchObject({ sequence: 0, everySeconds: 5 });
  for (const stream of streams) stream.leave();
});

test('an instance has a number of streams for all sessions, and leaves places for those who ask', async () => {
  const [{ presenter }, others] = [await startLive(owner, deck), await world.aDeck(owner, [page()])];
  await startLive(owner, others);
  const ticket = await audience();
  process.env['LIVE_STREAMS'] = '2';
  try {
    const streams = [await follow(ticket), await follow(await audience(others))];
    const more = await follow(ticket);
    const own = await follow(presenter);
    expect((await own.next('followers')).data).toMatchObject({ followers: 1 });
    for (const stream of [...streams, own]) stream.leave();
    await end();
    expect(await more.rest()).toEqual([{ event: 'ask', data: { everySeconds: 5 } }]);
  } finally {
    delete process.env['LIVE_STREAMS'];
  }
});

test('the request that opened the first stream has no part in what the instance does for all streams', async () => {
  const { presenter } = await startLive(owner, deck);
  const first = await follow(await audience());
  const own = await follow(presenter);
  // Twelve beats, each of which reads the session.
  for (let counted = 0; counted < 4; counted++) await own.next('followers');
  first.leave();
  const line = await requestLineOf(first.response.headers.get('x-request-id')!);
  expect(line).toMatchObject({ databaseReads: 3, databaseWrites: 0 });
  own.leave();
});

test('a stream renews its ticket, and ends after an hour at the latest, to be opened again', async () => {
  await startLive(owner, deck);
  const stream = await follow(await audience());
  passSeconds(301);
  const { ticket } = (await stream.next('ticket')).data;
  passSeconds(360);
  const renewed = await follow(ticket as string);
  passSeconds(3600);
  for (const each of [stream, renewed]) expect((await each.rest()).map(({ event }) => event)).not.toContain('end');
});

test.each<[string, () => Promise<unknown>]>([
  ['is revoked', () => call('unsharePresentation', { tokenId: deck.tokenId })],
  ['gets a gate', setPasscode],
  ['expires with its deck', () => call('setPresentationExpiry', { expiresAt: inASecond() })],
  ['goes with its deck', () => call('deletePresentation')],
  ['has shown a session for 8 hours', () => Promise.resolve(passSeconds(8 * 3600))],
])('the streams of a link that %s end', async (_how, close) => {
  const { presenter } = await startLive(owner, deck);
  const streams = [await follow(await audience()), await follow(presenter)];
  await close();
  passSeconds(2);
  for (const stream of streams) expect((await stream.rest()).at(-1)).toEqual({ event: 'end', data: {} });
  expect((await move(presenter, 1, { index: 1 })).status).toBeGreaterThanOrEqual(403);
});

test('a session ends with the membership of the dev who started it', async () => {
  const dev = await world.anOwner();
  await world.addMember(deck, dev);
  await startLive(dev, deck, deck.tokenId);
  const ticket = await audience();
  await succeed(call('uninviteCollaborator', { email: dev.email }));
  expect((await state(ticket)).error.code).toBe('expired');
  expect(await audience()).toBeUndefined();
});

test('without a session, and for a link of another session, a beacon gets no ticket', async () => {
  expect(await audience()).toBeUndefined();
  const { presentationId } = deck;
  const link = await succeed(world.call<Deck>('addPresentationToken', { presentationId, tokenName: 'Other' }, owner));
  await startLive(owner, deck, link.tokenId);
  expect(await audience()).toBeUndefined();
  expect(await audience(link)).toBeDefined();
});

test('a page of a session has the ticket of its reader, and is neither stored nor answered with 304', async () => {
  const reader = await openOnOrigin(deck.shareUrl);
  const read = (headers = {}) => reader.get('/', { headers: { ...navigation, ...headers } });
  const before = await read();
  const { presenter } = await startLive(owner, deck);
  const during = await read({ 'if-none-match': before.headers['etag'], range: 'bytes=0-9' });
  const { etag, 'cache-control': caching } = during.headers;
  expect([during.status, etag, caching]).toEqual([200, undefined, 'private, no-store']);
  const [element, ticket] = / data-live="([\w.-]+)"/.exec(during.text)!;
  expect(during.text.replace(element, '')).toBe(before.text);
  expect(Number(during.headers['content-length'])).toBe(Buffer.byteLength(during.text));
  expect((await state(ticket!)).data.slide).toBeNull();
  expect((await move(ticket!, 1, { index: 1 })).error.code).toBe('permission-denied');
  expect((await move(presenter, 1, { index: 1 })).data.taken).toBe(true);
  // A script that reads the page gets the file.
  expect((await reader.get('/')).text).not.toContain('data-live');
  await end();
  const after = await read({ 'if-none-match': before.headers['etag'] });
  expect([after.status, after.headers['cache-control']]).toEqual([304, 'private, no-cache']);
});

test('the page around a deck in a frame has the ticket, behind a gate only after it', async () => {
  process.env['DECK_ORIGIN'] = '';
  const ticketIn = async (url: string) =>
    / data-live="([^"]+)"/.exec((await requestLocally(atSite(url), { headers: navigation })).text)?.[1];
  await succeed(setPasscode());
  await startLive(owner, deck);
  expect(await ticketIn(deck.shareUrl)).toBeUndefined();
  const passed = { presentationId: deck.presentationId, token: deck.token, passcode: 'orchid-47' };
  const { openUrl } = await succeed(world.call<{ openUrl: string }>('openShareLink', passed, {}));
  const ticket = await ticketIn(openUrl);
  expect((await state(ticket!)).data.sequence).toBe(0);
  process.env['DECK_ORIGIN'] = world.cloud.deckOrigin!;
});

test('a body without a beacon asks for the session alone, and records nothing', async () => {
  const reader = await aReader(deck);
  await startLive(owner, deck);
  for (const body of ['{}', '{"loadId":7}']) {
    const { status, headers } = await reader.seen(body);
    expect([status, typeof headers['deck-live']]).toEqual([204, 'string']);
  }
  expect((await reader.seen('no JSON')).headers['deck-live']).toBeUndefined();
  expect(await viewsOf(owner, deck)).toEqual([]);
});

test.each([
  ['asks for privacy', () => ({ 'sec-gpc': '1' })],
  ['is the owner', () => ({ cookie: markOf(owner.userId) })],
])('a page of a reader who %s learns of a session that begins later, and is no view', async (_, headersOf) => {
  const headers = headersOf();
  const reader = await aReader(deck, headers);
  process.env['DECK_ORIGIN'] = '';
  const framed = await aFramedReader(atSite(deck.shareUrl), headers).finally(() => {
    process.env['DECK_ORIGIN'] = world.cloud.deckOrigin!;
  });
  await startLive(owner, deck);
  const answers = [await reader.seen((await reader.load()).beacon()), await framed.seen(framed.load().beacon())];
  expect(answers.map((answer) => typeof answer.headers['deck-live'])).toEqual(['string', 'string']);
  expect(await viewsOf(owner, deck)).toEqual([]);
});

test('the module of live sessions is served on the origins of decks, and for decks in frames', async () => {
  const onOrigin = await (await openOnOrigin(deck.shareUrl)).get('/_deck/live.js');
  const inFrame = await fetch(`${world.cloud.baseUrl}/getSharedPresentation/_deck/live.js`);
  expect(await inFrame.text()).toBe(onOrigin.text);
  expect(onOrigin.text.startsWith(`const FUNCTIONS="${world.cloud.baseUrl}";`)).toBe(true);
  expect(inFrame.headers.get('access-control-allow-origin')).toBe('*');
  for (const type of [onOrigin.headers['content-type'], inFrame.headers.get('content-type')])
    expect(type).toBe('text/javascript; charset=utf-8');
});
