import { recipientKey } from '../../../functions/src/records/recipient-key';
import { requestWindowRef } from '../../../functions/src/records/request-windows';
import { labelOfPreview } from '../../../functions/src/values/deck-origins';
import { newId } from '../../../functions/src/values/ids';
import { passSeconds } from '../../support/clock';
import { forged, navigation, requestLocally } from '../../support/deck-origin';
import { page, startWorld, succeed, world, type Account, type Deck } from '../../support/world';

/** Previews of versions: who sees them, for how long, and what they leave. */

interface Preview {
  openUrl: string;
  frameUrl: string;
}

let owner: Account;
let dev: Account;
let deck: Deck;

startWorld(async () => {
  [owner, dev] = [await world.anOwner(), await world.anOwner()];
  deck = await world.aDeck(owner, [page('First'), page('Second page', 'second.html')]);
  const { presentationId } = deck;
  await world.uploadAll(owner, { presentationId }, [page('Second version')]);
  await succeed(world.commit(owner, { presentationId }, [page('Second version')]));
  await world.addMember(deck, dev);
});

const ask = (by: Account, { version = 1, presentationId = deck.presentationId } = {}) =>
  world.call<Preview>('previewPresentationVersion', { presentationId, version }, { key: by.key });
const preview = async (by: Account) => (await ask(by)).data;
const get = (url: string, headers: Record<string, string> = {}) =>
  requestLocally(url, { headers: { ...navigation, ...headers } });
const deckDoc = () => world.database.doc(`presentations/${deck.presentationId}`);

/** Opens the window of a preview, as a browser does. */
async function open({ openUrl }: Preview) {
  const { status, headers } = await get(openUrl);
  const [cookie = '', ...attributes] = headers['set-cookie']?.[0]?.split('; ') ?? [];
  return { status, cookie, attributes, origin: new URL(openUrl).origin };
}

test('the owner and a dev look at an old version, in a window and in a frame, and no counter moves', async () => {
  for (const by of [owner, dev]) {
    const urls = await preview(by);
    const { status, cookie, attributes, origin } = await open(urls);
    const label = labelOfPreview({ presentationId: deck.presentationId, version: 1, userId: by.userId });
    expect([status, origin]).toEqual([303, world.cloud.deckOrigin!.replace('*', label)]);
    expect(attributes).toEqual(['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=28800']);
    expect((await get(`${origin}/`, { cookie })).text).toContain('First');
    expect((await get(`${origin}/second`, { cookie })).text).toContain('Second page');
    const framed = await get(urls.frameUrl);
    expect([framed.status, framed.text]).toEqual([200, expect.stringMatching(/<script>[^]*First/)]);
    expect(framed.headers['content-security-policy']).toMatch(/^sandbox (?!.*allow-same-origin)/);
    expect((await get(urls.frameUrl.replace('index.html', 'second.html'))).text).toContain('Second page');
  }
  const options = { key: owner.key, path: `/${deck.presentationId}` };
  const info = await succeed(world.call('getSharedPresentationInfo', undefined, options));
  expect(info).toMatchObject({ totalViews: 0, tokens: { length: 1 } });
});

test('a removed dev loses window and frame at the next request, also the address that was not opened yet', async () => {
  const gone = await world.anOwner();
  await world.addMember(deck, gone);
  const urls = await preview(gone);
  const { cookie, origin } = await open(urls);
  const { presentationId } = deck;
  await succeed(world.call('uninviteCollaborator', { presentationId, email: gone.email }, { key: owner.key }));
  for (const answer of [await get(`${origin}/`, { cookie }), await get(urls.frameUrl), await get(urls.openUrl)])
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('You can no longer see this version')]);
  expect((await ask(gone)).status).toBe(403);
});

test('an expired deck can be looked at, one that was taken down cannot', async () => {
  const urls = await preview(owner);
  const { cookie, origin } = await open(urls);
  const statuses = async () => {
    const asked = [get(`${origin}/`, { cookie }), get(urls.frameUrl), ask(owner)];
    return (await Promise.all<{ status: number }>(asked)).map(({ status }) => status);
  };
  await deckDoc().update({ expiresAt: new Date(0) });
  expect(await statuses()).toEqual([200, 200, 200]);
  await deckDoc().update({ expiresAt: null, takedown: { at: new Date(), reason: 'x' } });
  expect(await statuses()).toEqual([410, 410, 410]);
  await deckDoc().update({ takedown: null });
});

test('a ticket lives for 60 seconds, window and frame for 8 hours', async () => {
  const urls = await preview(owner);
  const { cookie, origin } = await open(urls);
  passSeconds(61);
  expect((await get(urls.openUrl)).status).toBe(404);
  passSeconds(8 * 3600 - 63);
  const statuses = async () => [(await get(`${origin}/`, { cookie })).status, (await get(urls.frameUrl)).status];
  expect(await statuses()).toEqual([200, 200]);
  passSeconds(3);
  expect(await statuses()).toEqual([404, 404]);
});

test('what is signed opens nothing but its version, for its person, in its form', async () => {
  const urls = await preview(owner);
  const { cookie, origin } = await open(urls);
  const grant = cookie.replace('__Host-deck=', '');
  const frame = /_g\/([^/]+)/.exec(urls.frameUrl)![1]!;
  const [ofDev, ofSecond] = [await preview(dev), (await ask(owner, { version: 2 })).data];
  for (const other of [ofDev, ofSecond])
    expect((await get(`${new URL(other.openUrl).origin}/`, { cookie })).status).toBe(404);
  const forms = [forged(frame, '"version":1', '"version":2'), forged(frame, owner.userId, dev.userId), grant, 'x'];
  for (const form of forms) expect((await get(urls.frameUrl.replace(frame, form))).status).toBe(404);
  expect((await get(urls.frameUrl.replace(deck.presentationId, newId()))).status).toBe(404);
  expect((await get(`${origin}/`, { cookie: `__Host-deck=${frame}` })).status).toBe(404);
});

test('a user may ask for 120 previews in an hour', async () => {
  const eager = await world.anOwner();
  const own = await world.aDeck(eager);
  const asked = { presentationId: own.presentationId };
  await Promise.all(Array.from({ length: 5 }, () => ask(eager, asked)));
  const window = world.database.doc(requestWindowRef(await recipientKey(), 'previewer', eager.userId).path);
  const { times } = (await window.get()).data() as { times: Date[] };
  expect(times).toHaveLength(5);
  await window.update({ times: Array.from({ length: 120 }, () => new Date()) });
  expect((await ask(eager, asked)).error).toMatchObject({ code: 'rate-limited', details: { limit: 120 } });
  expect((await ask(owner)).status).toBe(200);
});
