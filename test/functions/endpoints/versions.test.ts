import { randomUUID } from 'node:crypto';
import { passSeconds } from '../../support/clock';
import { blob, page, sha256, succeed, World, type Account, type Deck, type DeckFile } from '../../support/world';

let world: World;
let owner: Account;
beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
});
afterAll(() => world.stop());

const get = <T = Record<string, unknown>>(name: string, query: Record<string, string>, headers = {}) =>
  world.call<T>(name, undefined, { key: owner.key, query, headers });
const push = async (deck: Deck, files: DeckFile[], fields: object = {}) => {
  await world.uploadAll(owner, deck, files);
  return succeed(world.commit(owner, { presentationId: deck.presentationId, ...fields }, files));
};
/** Three versions: the second changes, adds and moves a file; the third has a single file. */
async function aHistory(): Promise<{ deck: Deck; files: DeckFile[][] }> {
  const [one, two] = [page('one'), page('two')];
  const moved = blob(300, 'a/b.png');
  const files = [[one, moved], [two, { ...moved, path: 'c.png' }, page('extra', 'extra.html')], [two]];
  const deck = await world.aDeck(owner, files[0], 'First title');
  await push(deck, files[1]!, { title: 'Second title', message: 'more' });
  await push(deck, files[2]!);
  return { deck, files };
}

describe('the versions of a deck', () => {
  test('are listed oldest first, and each is returned complete, by number or as the latest', async () => {
    const { deck, files } = await aHistory();
    const id = deck.presentationId;
    const list = await succeed(get('listPresentationVersions', { presentationId: id }));
    expect(list).toMatchObject({ presentationId: id, currentVersion: 3 });
    expect(list['versions']).toMatchObject([
      { version: 1, title: 'First title', message: null, restoredFrom: null, createdByName: 'Ada', fileCount: 2 },
      { version: 2, title: 'Second title', message: 'more', fileCount: 3 },
      { version: 3, title: 'Second title', fileCount: 1, totalBytes: files[2]![0]!.bytes.length },
    ]);
    const second = await get<{ files: { path: string; sha256: string }[] }>('getPresentationVersion', {
      presentationId: id,
      version: '2',
    });
    expect(second.data).toMatchObject({
      version: 2,
      message: 'more',
      isCurrent: false,
      entryPath: 'index.html',
      restoredFrom: null,
    });
    expect(second.data.files.map(({ path }) => path)).toEqual(['c.png', 'extra.html', 'index.html']);
    expect(second.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    const latest = await get('getPresentationVersion', { presentationId: id, version: 'latest' });
    expect(latest.data).toMatchObject({ version: 3, isCurrent: true });
    expect(latest.headers.get('cache-control')).toBe('private, no-cache');
  });

  test('are served in the path form too, and with 304 to the current ETag', async () => {
    const { deck } = await aHistory();
    const url = `${world.cloud.baseUrl}/getPresentationVersion/${deck.presentationId}/1`;
    const headers = { authorization: `Bearer ${owner.key}` };
    const first = await fetch(url, { headers });
    expect(first.status).toBe(200);
    const again = await fetch(url, { headers: { ...headers, 'if-none-match': first.headers.get('etag')! } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test.each(['0', '4', '1.5', 'newest', '-1', '99999999999'])('that do not exist are refused: %s', async (version) => {
    const { deck } = await aHistory();
    const { status } = await get('getPresentationVersion', { presentationId: deck.presentationId, version });
    expect(status).toBe(version === '4' ? 404 : 400);
  });

  test('are compared: added, removed, changed and moved files, and the bytes to upload', async () => {
    const { deck, files } = await aHistory();
    const diff = (from: string, to: string) =>
      succeed(get('diffPresentationVersions', { presentationId: deck.presentationId, from, to }));
    const extra = files[1]![2]!;
    expect(await diff('1', '2')).toMatchObject({
      from: 1,
      to: 2,
      added: [{ path: 'extra.html' }],
      removed: [],
      changed: [
        { path: 'index.html', from: { sha256: sha256(page('one').bytes) }, to: { sha256: sha256(page('two').bytes) } },
      ],
      renamed: [{ from: 'a/b.png', to: 'c.png', size: 300 }],
      unchanged: 0,
      bytesToUpload: extra.bytes.length + page('two').bytes.length,
    });
    expect(await diff('2', '3')).toMatchObject({
      added: [],
      removed: [{ path: 'c.png' }, { path: 'extra.html' }],
      unchanged: 1,
      bytesToUpload: 0,
    });
    expect(await diff('2', '2')).toMatchObject({
      added: [],
      removed: [],
      changed: [],
      renamed: [],
      unchanged: 3,
      bytesToUpload: 0,
    });
    expect(
      (await get('diffPresentationVersions', { presentationId: deck.presentationId, from: '1', to: '9' })).status,
    ).toBe(404);
  });

  test('are restored as a new version, without copying a file', async () => {
    const { deck } = await aHistory();
    const id = deck.presentationId;
    const restore = (fields: object) =>
      world.call('restorePresentationVersion', { presentationId: id, ...fields }, { key: owner.key });
    const stale = await restore({ version: 1, expectedBaseVersion: 2 });
    expect([stale.status, stale.error.code, stale.error.serverVersion]).toEqual([409, 'conflict', 3]);
    const cost = await world.costOf(async () => {
      const { data } = await restore({ version: 1, expectedBaseVersion: 3 });
      expect(data).toMatchObject({
        presentationId: id,
        version: 4,
        restoredFrom: 1,
        shareUrl: deck.shareUrl,
        fileCount: 2,
      });
    });
    expect(cost.storageCalls).toBe(0);
    expect(await (await fetch(world.viewUrl(deck))).text()).toContain('one');
    expect((await get('getPresentationVersion', { presentationId: id, version: '4' })).data).toMatchObject({
      restoredFrom: 1,
      title: 'First title',
    });
    // The next push does not have to upload the restored files.
    const known = await world.call(
      'precheckAssets',
      { presentationId: id, hashes: [sha256(page('one').bytes)] },
      { key: owner.key },
    );
    expect(known.data).toEqual({ missing: [] });
    expect((await restore({ version: 9 })).status).toBe(404);
  });

  test('are restored once by calls with the same Idempotency-Key, also when they race', async () => {
    const { deck } = await aHistory();
    const id = deck.presentationId;
    const headers = { 'idempotency-key': randomUUID() };
    const restore = () =>
      world.call('restorePresentationVersion', { presentationId: id, version: 1 }, { key: owner.key, headers });
    const answers = await Promise.all([restore(), restore(), restore()]);
    answers.push(await restore());
    expect(answers.map(({ data }) => data['version'])).toEqual([4, 4, 4, 4]);
    const urls = answers.map(({ data }) => data['shareUrl']);
    expect(urls).toEqual(Array(4).fill(expect.stringContaining('http')));
    const { tokens } = (await succeed(get('getSharedPresentationInfo', { presentationId: id }))) as unknown as {
      tokens: { tokenId: string }[];
    };
    for (const { tokenId } of tokens)
      await succeed(world.call('unsharePresentation', { presentationId: id, tokenId }, { key: owner.key }));
    expect((await restore()).data).toMatchObject({ version: 4, shareUrl: null });
    const personal = { presentationId: id, tokenName: 'reader@example.org' };
    const { shareUrl } = await succeed(world.call('addPresentationToken', personal, { key: owner.key }));
    expect((await restore()).data).toMatchObject({ version: 4, shareUrl, shareUrlIsPersonal: true });
    expect(await succeed(get('listPresentationVersions', { presentationId: id }))).toMatchObject({ currentVersion: 4 });
  });

  test('are restored only within the caps of the current plan of the owner', async () => {
    const rich = await world.anOwner('starter');
    const files = [page(), ...Array.from({ length: 500 }, (_, i) => ({ ...page('same'), path: `${i}.html` }))];
    const { presentationId } = await world.aDeck(rich, files);
    await succeed(world.commit(rich, { presentationId }, [page()]));
    await world.database.doc(`organizations/${rich.organizationId}`).update({ plan: 'free' });
    const { error } = await world.call('restorePresentationVersion', { presentationId, version: 1 }, { key: rich.key });
    expect([error.code, error.details]).toEqual(['too-many-files', { limit: 500, actual: 501, plan: 'free' }]);
  });
});

describe('downloadPresentationAsset', () => {
  const download = (query: Record<string, string>, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${world.cloud.baseUrl}/downloadPresentationAsset?${new URLSearchParams(query).toString()}`, {
      method,
      headers: { authorization: `Bearer ${owner.key}`, ...headers },
    });

  test('serves a file of a version, whole or in ranges, with its hash', async () => {
    const { deck, files } = await aHistory();
    const hash = sha256(files[0]![1]!.bytes);
    const query = { presentationId: deck.presentationId, sha256: hash, version: '1' };
    const whole = await download(query);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'x-service-sha256': hash,
      'accept-ranges': 'bytes',
      'content-type': 'application/octet-stream',
      etag: `"${hash}"`,
    });
    expect(Buffer.from(await whole.arrayBuffer()).equals(files[0]![1]!.bytes)).toBe(true);
    const part = await download(query, { range: 'bytes=10-19' });
    expect([part.status, part.headers.get('content-range'), (await part.arrayBuffer()).byteLength]).toEqual([
      206,
      'bytes 10-19/300',
      10,
    ]);
    const past = await download(query, { range: 'bytes=300-' });
    expect([past.status, past.headers.get('content-range')]).toEqual([416, 'bytes */300']);
    expect((await download(query, { 'if-none-match': `"${hash}"` })).status).toBe(304);
  });

  test('serves a file of the named version, or of the current version without a name', async () => {
    const { deck, files } = await aHistory();
    const id = deck.presentationId;
    const [ofFirst, ofLast] = [sha256(files[0]![0]!.bytes), sha256(files[2]![0]!.bytes)];
    const statuses = await Promise.all(
      [
        { presentationId: id, sha256: ofLast },
        { presentationId: id, sha256: ofFirst },
        { presentationId: id, sha256: ofFirst, version: '1' },
        { presentationId: id, sha256: ofLast, version: '1' },
        { presentationId: id, sha256: ofLast, version: '9' },
        { presentationId: id, sha256: 'x' },
      ].map((query) => download(query as Record<string, string>).then(({ status }) => status)),
    );
    expect(statuses).toEqual([200, 404, 200, 404, 404, 400]);
  });
});

describe('setPresentationExpiry', () => {
  test('closes every link at the expiry time, and null opens them again', async () => {
    const deck = await world.aDeck(owner);
    const id = deck.presentationId;
    const set = (expiresAt: unknown) =>
      world.call('setPresentationExpiry', { presentationId: id, expiresAt }, { key: owner.key });
    const soon = new Date(Date.now() + 60_000).toISOString();
    expect(await succeed(set(soon))).toEqual({ presentationId: id, expiresAt: soon });
    expect(await world.visit(world.viewUrl(deck))).toBe(200);
    passSeconds(61);
    expect(await world.visit(world.viewUrl(deck))).toBe(410);
    expect(await succeed(set(null))).toEqual({ presentationId: id, expiresAt: null });
    expect(await world.visit(world.viewUrl(deck))).toBe(200);
    for (const bad of [new Date(Date.now() - 1).toISOString(), '9999-12-31T23:59:59-14:00', 'tomorrow', 5, undefined])
      expect((await set(bad)).status).toBe(400);
  });
});
