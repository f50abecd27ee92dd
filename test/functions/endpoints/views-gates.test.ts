import { passSeconds } from '../../support/clock';
import { atSite, navigation, requestLocally } from '../../support/deck-origin';
import { runJob } from '../../support/jobs';
import { aReader, browser, PageLoad, readerOf, readOnce, slide, viewsOf } from '../../support/views';
import { page, startWorld, succeed, world, type Account, type Deck } from '../../support/world';

/** Who a view is by: what a gate and a mail tell. Lists and exports of views. */

let owner: Account;
let deck: Deck;
startWorld(async () => {
  owner = await world.aPublisher();
});
beforeEach(async () => {
  deck = await world.aDeck(owner, [page()]);
});

const views = (query: Record<string, string> = {}) => viewsOf(owner, deck, query);
const set = (rules: object) => {
  const { presentationId, tokenId } = deck;
  return succeed(world.call('updateShareToken', { presentationId, tokenId, ...rules }, owner));
};
const mailTo = async (...emails: string[]) => {
  type Sent = { sent: { shareUrl: string; tokenId: string }[] };
  const input = { presentationId: deck.presentationId, emails };
  return (await succeed(world.call<Sent>('sharePresentationViaEmail', input, owner))).sent;
};
let count = 0;
const anAddress = () => `reader-${++count}@example.org`;

/** Sends the form of the gate, as a browser without scripts unless `script` is set. Returns where it leads. */
async function post(fields: Record<string, string>, headers: Record<string, string> = {}) {
  const { presentationId, token } = deck;
  const answer = await requestLocally(`${world.cloud.baseUrl}/openSharePage`, {
    method: 'POST',
    headers: { ...browser, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ presentationId, token, ...fields }).toString(),
  });
  expect(answer.status).toBe(303);
  return answer.headers.location!;
}

/** The browser that follows the ticket. */
async function enter(openUrl: string) {
  const answer = await requestLocally(openUrl, { headers: { ...navigation, ...browser } });
  const cookie = answer.headers['set-cookie']![0]!.split(';', 1)[0]!;
  const { origin } = new URL(openUrl);
  const get: Parameters<typeof readerOf>[0]['get'] = (path, { headers, ...options } = {}) =>
    requestLocally(`${origin}${path}`, { ...options, headers: { cookie, ...headers } });
  return readerOf({ origin, ticketUrl: openUrl, cookie, get });
}

const get = <T>(name: string, query: Record<string, string> = {}) =>
  succeed(world.call<T>(name, undefined, { key: owner.key, path: `/${deck.presentationId}`, query }));
const exported = (query: Record<string, string>) => get<string>('exportPresentationViews', query);

test('a view has the address that its reader proved, also of a mailed link', async () => {
  const [recipient, colleague] = [anAddress(), anAddress()];
  await set({ allowedEmails: [recipient, colleague] });
  const toGate = await post({ email: colleague, script: '1' });
  const code = await world.mailedCode(colleague);
  const gate = new URL(toGate).searchParams.get('gate')!;
  const reader = await enter(await post({ gate, email: colleague, code, from: 'chat.example', script: '1' }));
  expect(await views()).toEqual([]);
  await (await reader.load()).tell();
  const proven = { email: colleague, emailIsProven: true };
  expect(await views()).toMatchObject([{ ...proven, hasScript: true, referrerHost: 'chat.example' }]);
});

test('a view of a mailed link has the address of its recipient, whatever the link is called', async () => {
  const [one, two] = [anAddress(), anAddress()];
  const sent = await mailTo(one, two);
  await set({ tokenId: sent[1]!.tokenId, name: 'The boss' });
  for (const { shareUrl } of sent) await readOnce({ shareUrl });
  await readOnce(deck);
  expect((await views()).map(({ tokenName, email, emailIsProven }) => [tokenName, email, emailIsProven])).toEqual([
    ['default', null, false],
    ['The boss', two, false],
    [one, one, false],
  ]);
});

test('a gate that was posted without scripts is a view, to which the beacons of the grant are added', async () => {
  await set({ maxOpenings: 5 });
  const reader = await enter(await post({}));
  expect(await views()).toMatchObject([{ hasScript: false, seconds: 0, slides: [], maxSlide: 0 }]);
  passSeconds(60);
  await (await reader.load()).tell({ seconds: 20, slides: [slide('a', 0, 20)] });
  expect(await views()).toMatchObject([{ hasScript: true, seconds: 20, slides: [{ key: 'a' }] }]);
});

test('a gate that a script, a robot or a reader who asks for privacy posted is not one', async () => {
  await set({ maxOpenings: 5 });
  await post({ script: '1' });
  await post({}, { 'user-agent': 'curl/8.5.0' });
  const reader = await enter(await post({}, { 'sec-gpc': '1' }));
  await reader.seen(new PageLoad(() => Promise.reject(new Error())).beacon());
  expect(await views()).toEqual([]);
});

test('the gate says what an owner sees, keeps the referring host, and tells that scripts run', async () => {
  await set({ maxOpenings: 5 });
  const gate = async (headers: Record<string, string>) =>
    (await requestLocally(atSite(deck.shareUrl), { headers: { ...navigation, ...browser, ...headers } })).text;
  const text = await gate({ referer: 'https://chat.example/room' });
  expect(text).toContain('how long each slide was looked at');
  expect(text).toContain('name="from" value="chat.example"');
  expect(text).toContain('name="script" value/>');
  expect(await gate({ dnt: '1' })).not.toContain('how long');
  expect(await gate({ referer: world.cloud.hostingUrl })).not.toContain('name="from"');
});

test('views are listed and exported by link, address, version and day, in pages', async () => {
  const address = anAddress();
  const [mailed] = await mailTo(address);
  await readOnce(mailed!);
  const { presentationId } = deck;
  const second = [page('Second version')];
  await world.uploadAll(owner, { presentationId }, second);
  await readOnce(deck);
  await succeed(world.commit(owner, { presentationId }, second));
  await readOnce(deck);
  const day = new Date().toISOString().slice(0, 10);
  const expected: [count: number, query: Record<string, string>][] = [
    [3, {}],
    [1, { tokenId: mailed!.tokenId }],
    [1, { email: address.toUpperCase() }],
    [0, { tokenId: deck.tokenId, email: address }],
    [2, { version: '1' }],
    [1, { version: '2' }],
    [1, { version: '1', tokenId: deck.tokenId, from: day }],
    [1, { version: '1', tokenId: mailed!.tokenId, email: address }],
    [3, { from: day, to: day }],
    [0, { to: '2020-01-01' }],
    [0, { from: '2030-01-01' }],
  ];
  for (const [count, query] of expected) {
    const listed = await views(query);
    expect([query, listed.length]).toEqual([query, count]);
    const lines = (await exported({ ...query, format: 'ndjson' })).match(/.+/g) ?? [];
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(listed);
  }
  type Listed = { views: unknown[]; nextCursor: string | null };
  const paged: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer: Listed = await get('listPresentationViews', { limit: '1', ...(cursor && { cursor }) });
    paged.push(...answer.views);
    cursor = answer.nextCursor;
  }
  expect(paged).toEqual(await views());
});

test('an export has every view, and no cell that a spreadsheet runs', async () => {
  const reader = await aReader(deck);
  await set({ name: '=HYPERLINK("https://evil.example")' });
  const key = '+1,"2"\u2029';
  await (await reader.load()).tell({ slides: [slide(key, 0, 3)] });
  const [view] = await views();
  const [heading, line] = (await exported({})).trimEnd().split('\r\n');
  expect(heading!.split(',').slice(0, 3)).toEqual(['viewId', 'tokenId', 'tokenName']);
  expect(line).toContain(`,"'=HYPERLINK(""https://evil.example"")",`);
  expect(JSON.parse(await exported({ format: 'ndjson' }))).toEqual(view);
});

test('an audit record of a mail says what became of its link, a minute later', async () => {
  const [mailed] = await mailTo(anAddress());
  const sends = async () => (await get<{ sends: object[] }>('listEmailSends')).sends;
  expect(await sends()).toMatchObject([{ opening: null }]);
  await readOnce(mailed!, { slideCount: 2, slides: [slide('b', 1, 3)] });
  const [{ lastSeenAt } = { lastSeenAt: '' }] = await views();
  await runJob('foldInsights');
  expect(await sends()).toMatchObject([{ opening: { views: 1, lastSeenAt, maxSlide: 2, slideCount: 2 } }]);
});
