import type { Timestamp } from 'firebase-admin/firestore';
import { atOnce, fullRefusal, outcomes, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { type Account, blob, manifestRow, page, sha256, startWorld, succeed, world } from '../../support/world';

/** Commits, their idempotency, and the versions that they make. */

const MB = 1024 * 1024;
let owner: Account;
let stranger: Account;
startWorld(async () => {
  [owner, stranger] = await Promise.all([world.anOwner(), world.anOwner()]);
});

const commit = (fields: Record<string, unknown>, files = [page()], headers = {}, by = owner) =>
  world.commit<Record<string, unknown>>(by, fields, files, { headers });
const call = (name: string, body: object, headers = {}) => world.call(name, body, { key: owner.key, headers });
const get = <T = Record<string, unknown>>(name: string, query: Record<string, string>) =>
  world.call<T>(name, undefined, { key: owner.key, query });
const stored = (path: string) => world.database.doc(path).get();
const existsDeck = async (id: string) => (await stored(`presentations/${id}`)).exists;
const below = async (id: string, path: string) =>
  (await world.database.collection(`presentations/${id}/${path}`).get()).docs;
/** A session with those uploaded files. */
async function anUpload(files = [page()]) {
  const { sessionId, presentationId } = await world.aSession(owner);
  await world.uploadAll(owner, { sessionId }, files);
  return { sessionId, presentationId };
}
/** Expects that a dry run writes nothing, and returns its answer. */
async function dryRun(fields: Record<string, unknown>, files = [page()]) {
  passSeconds(0);
  await world.useKey(owner);
  let answer: unknown;
  const run = async () => (answer = (await commit({ ...fields, dryRun: true }, files)).data);
  expect((await world.costOf(run)).documentWrites).toBe(0);
  return answer;
}

describe('commitPresentationVersion', () => {
  test('makes a deck with one token, and then its versions', async () => {
    const [first, second] = [page('one'), page('two')];
    const { sessionId, presentationId } = await anUpload([first]);
    const created = await succeed(commit({ sessionId, title: ' My deck ' }, [first]));
    const shareUrl = `${world.cloud.hostingUrl}/share/${presentationId}?token=${String(created['token'])}`;
    const answered = { presentationId, shareUrl, fileCount: 1, totalBytes: first.bytes.length };
    const link = { tokenId: expect.stringMatching(/^.{16,}$/), token: expect.stringMatching(/^[A-Za-z0-9_-]{64}$/) };
    expect(created).toEqual({ ...answered, ...link, version: 1 });
    await world.uploadAll(owner, { presentationId }, [second]);
    expect(await succeed(commit({ presentationId, title: '' }, [second]))).toEqual({ ...answered, version: 2 });
    expect((await stored(`presentations/${presentationId}`)).get('title')).toBe('My deck');
    const versions = await below(presentationId, 'versions');
    expect(versions.map(({ id }) => id)).toEqual(['1', '2']);
    expect(versions.map((version) => version.get('title') as string)).toEqual(['My deck', 'My deck']);
    expect((await stored(`uploadSessions/${sessionId}`)).exists).toBe(false);
  });

  test('writes nothing while a file is missing that at most another user has uploaded, and names it', async () => {
    const [there, absent] = [page(), blob(5)];
    await world.aDeck(stranger, [absent]);
    const { sessionId, presentationId } = await anUpload([there]);
    const send = () => commit({ sessionId, title: 'x' }, [there, absent]);
    expect(await fullRefusal(send())).toEqual([400, 'blobs-missing', { missing: [sha256(absent.bytes)] }]);
    expect(await existsDeck(presentationId)).toBe(false);
    await world.uploadAll(owner, { sessionId }, [absent]);
    expect((await send()).status).toBe(200);
  });

  const row = (path: string, changes: object = {}) => {
    return { path, sha256: sha256(path), size: 1, contentType: 'text/html', ...changes };
  };
  const index = (changes: object = {}) => row('index.html', changes);
  test.each([
    ['a path with ..', { files: [index(), row('../x')] }, 'body.files[1].path'],
    ['one path twice', { files: [index(), row('a'), row('a')] }, 'body.files[2].path'],
    ['one path in two Unicode forms', { files: [index(), row('caf\u00e9'), row('cafe\u0301')] }, 'body.files[2].path'],
    ['an entry that is not one of the files', { entryPath: 'other.html' }, 'body.entryPath'],
    ['no title', { title: undefined }, 'body.title'],
    ['an empty title', { title: ' ' }, 'body.title'],
    [
      'a size that is not that of the stored file',
      { files: [{ ...manifestRow(page()), size: 1 }] },
      'body.files[0].size',
    ],
    ['a line break in a type', { files: [index({ contentType: 'a/b\r\nc: d' })] }, 'body.files[0].contentType'],
  ])('refuses %s', async (_what, change, location) => {
    const { sessionId } = await anUpload();
    const answer = await fullRefusal(commit({ sessionId, title: 'x', files: [index()], ...change }));
    const errors = expect.arrayContaining([expect.objectContaining({ location })]) as unknown;
    expect(answer).toMatchObject([400, 'invalid-argument', { errors }]);
  });

  test('checks the caps of the plan before it looks for the files', async () => {
    const { sessionId } = await world.aSession(owner);
    const files = Array.from({ length: 501 }, (_, i) => row(`${i}.html`));
    const many = commit({ sessionId, title: 'x', entryPath: '0.html', files });
    expect(await fullRefusal(many)).toEqual([400, 'too-many-files', { limit: 500, actual: 501, plan: 'free' }]);
    const large = commit({ sessionId, title: 'x', files: [index({ size: 10 * MB + 1 })] });
    expect(await fullRefusal(large)).toMatchObject([413, 'payload-too-large', { path: 'index.html' }]);
  });

  test('accepts one of two commits on one base; commits with force or without a base succeed', async () => {
    const { presentationId } = await world.aDeck(owner);
    const onFirst = { presentationId, expectedBaseVersion: 1 };
    const race = await atOnce(4, () => commit(onFirst));
    expect(outcomes(race)).toEqual({ conflict: 3, ok: 1 });
    const { error } = race.find(({ status }) => status === 409)!;
    const updatedAt = (await stored(`presentations/${presentationId}`)).get('updatedAt') as Timestamp;
    const newest = { updatedAt: updatedAt.toDate().toISOString(), updatedBy: owner.userId };
    const details = { serverVersion: 2, expectedBaseVersion: 1, ...newest };
    expect(error).toMatchObject({ serverVersion: 2, details });
    expect((await commit({ ...onFirst, force: true })).data['version']).toBe(3);
    const free = await atOnce(5, () => commit({ presentationId }));
    expect(free.map(({ data }) => data['version']).sort()).toEqual([4, 5, 6, 7, 8]);
  });

  test('makes one deck of one session, however many commits race', async () => {
    const { sessionId, presentationId } = await anUpload();
    expect(outcomes(await atOnce(5, () => commit({ sessionId, title: 'x' })))).toEqual({ 'not-found': 4, ok: 1 });
    for (const path of ['shareTokens', 'versions']) expect(await below(presentationId, path)).toHaveLength(1);
  });

  test('makes no deck after the hour of the session', async () => {
    const { sessionId, presentationId } = await anUpload();
    passSeconds(3601);
    expect((await commit({ sessionId, title: 'x' })).status).toBe(404);
    expect(await existsDeck(presentationId)).toBe(false);
  });

  test('dryRun counts the changes and writes nothing', async () => {
    const { presentationId } = await world.aDeck(owner, [page('a'), page('b', 'b.html'), page('c', 'c.html')]);
    const after = [page('a'), page('changed', 'b.html'), page('new', 'd.html')];
    const bytesTotal = after.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const changes = { added: 1, changed: 1, removed: 1, unchanged: 1, bytesTotal, nextVersion: 2 };
    expect(await dryRun({ presentationId }, after)).toEqual(changes);
  });

  test('dryRun of a new deck needs no file, writes nothing and leaves its session open', async () => {
    const { sessionId } = await world.aSession(owner);
    expect(await dryRun({ sessionId, title: 'x' })).toMatchObject({ added: 1, changed: 0, removed: 0, nextVersion: 1 });
    await world.uploadAll(owner, { sessionId }, [page()]);
    await succeed(commit({ sessionId, title: 'x' }));
  });
});

describe('Idempotency-Key', () => {
  const retry = (key: string, fields: Record<string, unknown>, by = owner) =>
    commit(fields, [page()], { 'idempotency-key': key }, by);
  const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed') === 'true';

  test('lets a retried commit make one deck, and a replay has no raw token', async () => {
    const { sessionId } = await anUpload();
    const [first, again] = [await retry('k1', { sessionId, title: 'x' }), await retry('k1', { sessionId, title: 'x' })];
    const { token, shareUrl, ...rest } = first.data;
    expect(shareUrl).toContain(token);
    expect(again.data).toEqual(rest);
    expect([first, again].map(isReplay)).toEqual([false, true]);
    const records = await world.database.collection('idempotencyRecords').get();
    expect(records.docs.some((document) => JSON.stringify(document.data()).includes(String(token)))).toBe(false);
  });

  test('lets retries of an update make one version, in parallel and after it has replaced its base version', async () => {
    const { presentationId } = await world.aDeck(owner);
    const send = () => retry('k2', { presentationId, expectedBaseVersion: 1 });
    const answers = [...(await atOnce(4, send)), await send()];
    expect(answers.map(({ data }) => data['version'])).toEqual([2, 2, 2, 2, 2]);
    expect(answers.filter(isReplay)).toHaveLength(4);
  });

  test('replays for a day, and then makes the call again', async () => {
    const { presentationId } = await world.aDeck(owner);
    const version = async () => (await retry('for-a-day', { presentationId })).data['version'];
    expect(await version()).toBe(2);
    passSeconds(24 * 3600 - 1);
    expect(await version()).toBe(2);
    passSeconds(2);
    expect(await version()).toBe(3);
  });

  test('with another body is a conflict, and is a different key for another caller', async () => {
    const { presentationId } = await world.aDeck(owner);
    await succeed(retry('k3', { presentationId, message: 'a' }));
    expect(await refusal(retry('k3', { presentationId, message: 'b' }))).toEqual([409, 'conflict']);
    const theirs = { presentationId: (await world.aDeck(stranger)).presentationId };
    expect(await succeed(retry('k3', { ...theirs, message: 'a' }, stranger))).toMatchObject(theirs);
  });

  test('does not replay to a caller who may not act on the deck any more, and not for a deleted deck', async () => {
    const { sessionId, presentationId } = await anUpload();
    const calls = [
      () => retry('k5', { sessionId, title: 'x' }),
      () => retry('k6', { presentationId, expectedBaseVersion: 1 }),
      () => call('addPresentationToken', { presentationId, tokenName: 'x' }, { 'idempotency-key': 'k6' }),
    ];
    for (const send of calls) expect((await send()).status).toBe(200);
    for (const send of calls) expect(isReplay(await send())).toBe(true);
    await world.addMember({ presentationId }, stranger);
    const byDev = () => retry('of-a-dev', { presentationId }, stranger);
    await succeed(byDev());
    expect(isReplay(await byDev())).toBe(true);
    await world.database.doc(`presentations/${presentationId}`).update({ memberIds: [owner.userId] });
    expect(await refusal(byDev())).toEqual([403, 'permission-denied']);
    await succeed(call('deletePresentation', { presentationId }));
    for (const send of calls) expect(await refusal(send())).toEqual([404, 'not-found']);
  });

  test.each(['', 'x'.repeat(257), 'a b'])('%j is refused, and ignored by a call that takes no key', async (key) => {
    const { presentationId } = await world.aDeck(owner);
    expect((await retry(key, { presentationId })).status).toBe(400);
    const options = { key: owner.key, headers: { 'idempotency-key': key } };
    expect((await world.call('listMyPresentations', undefined, options)).status).toBe(200);
  });
});

/** Three versions: the second changes, adds and moves a file; the third has a single file. */
async function aHistory() {
  const [one, two] = [page('one'), page('two')];
  const moved = blob(300, 'a/b.png');
  const files = [[one, moved], [two, { ...moved, path: 'c.png' }, page('extra', 'extra.html')], [two]];
  const deck = await world.aDeck(owner, files[0], 'First title');
  const { presentationId } = deck;
  await world.uploadAll(owner, { presentationId }, files[1]!);
  await succeed(commit({ presentationId, title: 'Second title', message: 'more' }, files[1]));
  await succeed(commit({ presentationId }, files[2]));
  const restore = (fields: object, headers = {}) =>
    call('restorePresentationVersion', { presentationId, ...fields }, headers);
  return { deck, files, presentationId, restore };
}

describe('the versions of a deck', () => {
  test('are listed oldest first, and each is returned complete, by number or as the latest', async () => {
    const { presentationId, files } = await aHistory();
    const restoredFrom = null;
    expect(await succeed(get('listPresentationVersions', { presentationId }))).toMatchObject({
      presentationId,
      currentVersion: 3,
      versions: [
        { version: 1, title: 'First title', message: null, restoredFrom, createdByName: 'Ada', fileCount: 2 },
        { version: 2, title: 'Second title', message: 'more', fileCount: 3 },
        { version: 3, title: 'Second title', fileCount: 1, totalBytes: files[2]![0]!.bytes.length },
      ],
    });
    const second = await get('getPresentationVersion', { presentationId, version: '2' });
    const ofSecond = ['c.png', 'extra.html', 'index.html'].map((path) => ({ path }));
    const shown = { version: 2, message: 'more', isCurrent: false, entryPath: 'index.html', restoredFrom };
    expect(second.data).toMatchObject({ ...shown, files: ofSecond });
    expect(second.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    const latest = await get('getPresentationVersion', { presentationId, version: 'latest' });
    expect(latest.data).toMatchObject({ version: 3, isCurrent: true });
    expect(latest.headers.get('cache-control')).toBe('private, no-cache');
    const headers = { authorization: `Bearer ${owner.key}`, 'if-none-match': second.headers.get('etag')! };
    const address = `${world.cloud.baseUrl}/getPresentationVersion/${presentationId}/2`;
    expect(await world.visit(address, headers)).toBe(304);
    const asked = ['4', '0', '1.5', 'newest', '-1', '99999999999'];
    const answers = asked.map((version) => get('getPresentationVersion', { presentationId, version }));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 400, 400, 400, 400, 400]);
  });

  test('are compared: added, removed, changed and moved files, and the bytes to upload', async () => {
    const { presentationId, files } = await aHistory();
    const diff = (from: string, to: string) => get('diffPresentationVersions', { presentationId, from, to });
    const hashOf = (text: string) => ({ sha256: sha256(page(text).bytes) });
    expect(await succeed(diff('1', '2'))).toMatchObject({
      from: 1,
      to: 2,
      added: [{ path: 'extra.html' }],
      removed: [],
      changed: [{ path: 'index.html', from: hashOf('one'), to: hashOf('two') }],
      renamed: [{ from: 'a/b.png', to: 'c.png', size: 300 }],
      unchanged: 0,
      bytesToUpload: files[1]![2]!.bytes.length + page('two').bytes.length,
    });
    const removed = [{ path: 'c.png' }, { path: 'extra.html' }];
    expect(await succeed(diff('2', '3'))).toMatchObject({ added: [], removed, unchanged: 1, bytesToUpload: 0 });
    const nothing = { added: [], removed: [], changed: [], renamed: [], unchanged: 3, bytesToUpload: 0 };
    expect(await succeed(diff('2', '2'))).toMatchObject(nothing);
    expect((await diff('1', '9')).status).toBe(404);
  });

  test('are restored as a new version', async () => {
    const { deck, presentationId, restore } = await aHistory();
    const stale = await restore({ version: 1, expectedBaseVersion: 2 });
    expect(stale).toMatchObject({ status: 409, error: { code: 'conflict', serverVersion: 3 } });
    const restored = { presentationId, version: 4, restoredFrom: 1, shareUrl: deck.shareUrl, fileCount: 2 };
    expect((await restore({ version: 1, expectedBaseVersion: 3 })).data).toMatchObject(restored);
    expect(await (await fetch(world.viewUrl(deck))).text()).toContain('one');
    const latest = await succeed(get('getPresentationVersion', { presentationId, version: '4' }));
    expect(latest).toMatchObject({ restoredFrom: 1, title: 'First title' });
    // The next push does not have to upload the restored files.
    const hashes = [sha256(page('one').bytes)];
    expect((await call('precheckAssets', { presentationId, hashes })).data).toEqual({ missing: [] });
    expect((await restore({ version: 9 })).status).toBe(404);
  });

  test('are restored once by calls with the same Idempotency-Key, also when they race', async () => {
    const { deck, presentationId, restore } = await aHistory();
    const again = () => succeed(restore({ version: 1 }, { 'idempotency-key': 'restore-once' }));
    const answers = [...(await atOnce(3, again)), await again()];
    expect(answers).toMatchObject(Array(4).fill({ version: 4, shareUrl: deck.shareUrl }));
    await succeed(call('unsharePresentation', { presentationId, all: true }));
    expect(await again()).toMatchObject({ version: 4, shareUrl: null });
    const { shareUrl } = (await call('addPresentationToken', { presentationId, tokenName: 'reader@example.org' })).data;
    expect(await again()).toMatchObject({ version: 4, shareUrl, shareUrlIsPersonal: true });
    expect(await succeed(get('listPresentationVersions', { presentationId }))).toMatchObject({ currentVersion: 4 });
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

test('downloadPresentationAsset serves a file of the named version, or of the current version without a name, whole or in ranges', async () => {
  const { presentationId, files } = await aHistory();
  const [file, ofFirst, ofLast] = [files[0]![1]!, sha256(files[0]![0]!.bytes), sha256(files[2]![0]!.bytes)];
  const hash = sha256(file.bytes);
  const address = `${world.cloud.baseUrl}/downloadPresentationAsset/${presentationId}`;
  const authorization = `Bearer ${owner.key}`;
  const download = (query: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${address}?${new URLSearchParams(query).toString()}`, { headers: { authorization, ...headers } });
  const query = { sha256: hash, version: '1' };
  const whole = await download(query);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'x-service-sha256': hash,
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
    etag: `"${hash}"`,
  });
  expect(Buffer.from(await whole.arrayBuffer()).equals(file.bytes)).toBe(true);
  const part = await download(query, { range: 'bytes=10-19' });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 10-19/300']);
  expect((await part.arrayBuffer()).byteLength).toBe(10);
  const past = await download(query, { range: 'bytes=300-' });
  expect([past.status, past.headers.get('content-range')]).toEqual([416, 'bytes */300']);
  expect((await download(query, { 'if-none-match': `"${hash}"` })).status).toBe(304);
  for (const [status, asked, version] of [
    [200, ofLast, undefined],
    [404, ofFirst, undefined],
    [200, ofFirst, '1'],
    [404, ofLast, '1'],
    [404, ofLast, '9'],
    [400, 'x', undefined],
  ] as const) {
    const answer = await download({ sha256: asked, ...(version && { version }) });
    expect([asked, version, answer.status]).toEqual([asked, version, status]);
  }
});
