import { newId } from '../../../functions/src/values/ids';
import { passSeconds } from '../../support/clock';
import { cutUpload, useTemporaryFolder } from '../../support/temporary-folder';
import {
  blob,
  manifestRow,
  page,
  sha256,
  succeed,
  World,
  type Account,
  type Answered,
  type DeckFile,
} from '../../support/world';

const MB = 1024 * 1024;
let world: World;
let owner: Account;
let stranger: Account;
const temporary = useTemporaryFolder();

beforeAll(async () => {
  world = await World.start();
  [owner, stranger] = await Promise.all([world.anOwner(), world.anOwner()]);
});
afterAll(() => world.stop());

const codes = (answers: Answered<unknown>[]) => answers.map(({ body }) => body.error?.code ?? 'ok').sort();
const objects = async (presentationId: string) => {
  const response = await fetch(
    `${world.cloud.storage.url}/storage/v1/b/${world.cloud.project}.firebasestorage.app/o?prefix=presentations/${presentationId}/`,
  );
  return ((await response.json()) as { items?: { name: string; generation: string }[] }).items ?? [];
};
describe('precheckAssets', () => {
  test('opens a session that reserves an id, and names each missing hash once', async () => {
    const [a, b] = [sha256('a'), sha256('b')];
    const { sessionId, presentationId, missing } = await world.aSession(owner, [a, b, a]);
    expect(missing).toEqual([a, b]);
    expect(sessionId).not.toBe(presentationId);
    await world.upload(owner, { sessionId }, { path: 'a', bytes: Buffer.from('a'), contentType: 'text/plain' });
    const again = await world.call('precheckAssets', { sessionId, hashes: [a, b] }, { key: owner.key });
    expect(again.data).toEqual({ missing: [b] });
  });

  test('does not reveal the files of another deck', async () => {
    const file = page('only mine');
    await world.aDeck(owner, [file]);
    expect((await world.aSession(owner, [sha256(file.bytes)])).missing).toHaveLength(1);
    expect((await world.aSession(stranger, [sha256(file.bytes)])).missing).toHaveLength(1);
  });

  test('knows the files of older versions too', async () => {
    const [first, second] = [page('first'), page('second')];
    const deck = await world.aDeck(owner, [first]);
    await world.uploadAll(owner, { presentationId: deck.presentationId }, [second]);
    await world.commit(owner, { presentationId: deck.presentationId }, [second]);
    const hashes = [first, second, page('third')].map(({ bytes }) => sha256(bytes));
    const { data } = await world.call(
      'precheckAssets',
      { presentationId: deck.presentationId, hashes },
      { key: owner.key },
    );
    expect(data).toEqual({ missing: [hashes[2]] });
  });

  test.each([
    ['hashes that are not an array', { hashes: 'x' }],
    ['2 001 hashes', { hashes: Array.from({ length: 2001 }, (_, i) => sha256(String(i))) }],
    ['uppercase', { hashes: [sha256('a').toUpperCase()] }],
    ['63 characters', { hashes: ['a'.repeat(63)] }],
    ['a deck and a session', { hashes: [], presentationId: newId(), sessionId: newId() }],
  ])('refuses %s', async (_what, body) => {
    const { status, error } = await world.call('precheckAssets', body, { key: owner.key });
    expect([status, error.code]).toEqual([400, 'invalid-argument']);
  });

  test('refuses a session that is unknown, expired or of another user', async () => {
    const { sessionId } = await world.aSession(owner);
    const check = (id: string, key: string) => world.call('precheckAssets', { hashes: [], sessionId: id }, { key });
    expect((await check(newId(), owner.key)).status).toBe(404);
    expect((await check(sessionId, stranger.key)).status).toBe(403);
    passSeconds(3599);
    expect((await check(sessionId, owner.key)).status).toBe(200);
    passSeconds(2);
    expect((await check(sessionId, owner.key)).status).toBe(404);
  });
});

describe('uploadPresentationAsset', () => {
  test('stores a file once and answers size 0 when the file is already stored', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const file = page();
    expect((await world.upload(owner, { sessionId }, file)).data).toEqual({
      sha256: sha256(file.bytes),
      size: file.bytes.length,
    });
    expect((await world.upload(owner, { sessionId }, file)).data).toEqual({ sha256: sha256(file.bytes), size: 0 });
    expect(await objects(presentationId)).toHaveLength(1);
  });

  test('stores one object when twenty uploads of one file race', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const file = blob(200_000);
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.upload(owner, { sessionId }, file)));
    expect(answers.map(({ data }) => data.size).sort((a, b) => a - b)).toEqual([...Array<number>(19).fill(0), 200_000]);
    const stored = await objects(presentationId);
    expect(stored).toHaveLength(1);
    const records = await world.database.collection(`presentations/${presentationId}/blobs`).get();
    expect(records.size).toBe(1);
  });

  test('refuses bytes of another hash and stores nothing', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const { status, error } = await world.upload(owner, { sessionId }, page(), { sha256: sha256('other') });
    expect([status, error.code]).toEqual([400, 'hash-mismatch']);
    expect(await objects(presentationId)).toEqual([]);
  });

  test('accepts a file of exactly the plan cap and refuses one byte more', async () => {
    const { sessionId } = await world.aSession(owner);
    const file = blob(50 * MB);
    expect((await world.upload(owner, { sessionId }, file)).data.size).toBe(50 * MB);
    const { status, error } = await world.upload(owner, { sessionId }, blob(50 * MB + 1));
    expect([status, error.code, error.details]).toEqual([
      413,
      'payload-too-large',
      { limit: 50 * MB, actual: 50 * MB + 1, plan: 'free' },
    ]);
  });

  test('accepts an empty file, and fields in any order', async () => {
    const { sessionId } = await world.aSession(owner);
    const form = new FormData();
    form.append('anything', new Blob([]), 'empty');
    for (const [name, value] of Object.entries({ contentType: 'text/plain', sha256: sha256(''), sessionId }))
      form.append(name, value);
    const { data } = await world.call('uploadPresentationAsset', form, { key: owner.key });
    expect(data).toEqual({ sha256: sha256(''), size: 0 });
  });

  const fields = (sessionId: string) => ({ sessionId, sha256: sha256('x'), contentType: 'text/plain' });
  const form = (fields: Record<string, string>, files = 1) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.append(name, value);
    for (let i = 0; i < files; i++) data.append(`file${i}`, new Blob(['x']), 'x');
    return data;
  };

  test('refuses two files, no file, a missing field, a duplicate field, a bad hash and a bad type', async () => {
    const { sessionId } = await world.aSession(owner);
    const good = fields(sessionId);
    const twice = form(good);
    twice.append('sha256', sha256('y'));
    const bad: FormData[] = [
      form(good, 2),
      form(good, 0),
      twice,
      form({ ...good, sha256: sha256('x').toUpperCase() }),
      form({ ...good, contentType: 'text/html\r\nX: y' }),
      form({ ...good, presentationId: newId() }),
      ...Object.keys(good).map((name) =>
        form(Object.fromEntries(Object.entries(good).filter(([key]) => key !== name))),
      ),
    ];
    for (const body of bad) {
      const { status, error } = await world.call('uploadPresentationAsset', body, { key: owner.key });
      expect([status, error.code]).toEqual([400, 'invalid-argument']);
    }
  });

  test.each([
    ['a body that is not multipart', 'application/json', '{}'],
    ['no boundary', 'multipart/form-data', 'x'],
    ['an empty body', 'multipart/form-data; boundary=b', ''],
    ['a body cut in a header', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; na'],
    [
      'a body cut in the file',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nhalf of',
    ],
  ])('refuses %s', async (_what, type, body) => {
    const { status, error } = await world.call('uploadPresentationAsset', body, {
      key: owner.key,
      headers: { 'content-type': type },
    });
    expect([status, error.code]).toEqual([400, 'invalid-argument']);
  });

  test('stores nothing of an upload whose client closes the connection', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const beginning =
      `--b\r\nContent-Disposition: form-data; name="sessionId"\r\n\r\n${sessionId}\r\n` +
      `--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n${'x'.repeat(300_000)}`;
    await cutUpload(`${world.cloud.baseUrl}/uploadPresentationAsset`, owner.key, beginning, temporary);
    expect((await world.upload(owner, { sessionId }, page())).status).toBe(200);
    expect(await objects(presentationId)).toHaveLength(1);
  });
});

describe('commitPresentationVersion', () => {
  test('makes a deck with one token, and then its versions', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const [first, second] = [page('one'), page('two')];
    await world.uploadAll(owner, { sessionId }, [first]);
    const created = (await world.commit<Record<string, unknown>>(owner, { sessionId, title: ' My deck ' }, [first]))
      .data;
    expect(created).toEqual({
      presentationId,
      version: 1,
      tokenId: expect.stringMatching(/^.{16,}$/),
      token: expect.stringMatching(/^[A-Za-z0-9_-]{64}$/),
      shareUrl: `${world.cloud.hostingUrl}/share/${presentationId}?token=${String(created['token'])}`,
      fileCount: 1,
      totalBytes: first.bytes.length,
    });
    await world.uploadAll(owner, { presentationId }, [second]);
    const updated = (await world.commit<Record<string, unknown>>(owner, { presentationId, title: '' }, [second])).data;
    expect(updated).toEqual({
      presentationId,
      version: 2,
      shareUrl: created['shareUrl'],
      fileCount: 1,
      totalBytes: second.bytes.length,
    });
    const stored = await world.database.doc(`presentations/${presentationId}`).get();
    expect(stored.get('title')).toBe('My deck');
    const versions = await world.database.collection(`presentations/${presentationId}/versions`).get();
    expect(versions.docs.map((document) => [document.id, document.get('title')])).toEqual([
      ['1', 'My deck'],
      ['2', 'My deck'],
    ]);
    expect((await world.database.doc(`uploadSessions/${sessionId}`).get()).exists).toBe(false);
  });

  test('writes nothing while a file is missing, and names it', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const [there, absent] = [page(), blob(5)];
    await world.uploadAll(owner, { sessionId }, [there]);
    const { status, error } = await world.commit(owner, { sessionId, title: 'x' }, [there, absent]);
    expect([status, error.code, error.details]).toEqual([400, 'blobs-missing', { missing: [sha256(absent.bytes)] }]);
    expect((await world.database.doc(`presentations/${presentationId}`).get()).exists).toBe(false);
    await world.uploadAll(owner, { sessionId }, [absent]);
    expect((await world.commit(owner, { sessionId, title: 'x' }, [there, absent])).status).toBe(200);
  });

  test('refuses a hash that only another user has uploaded', async () => {
    const file = page('secret of the stranger');
    await world.aDeck(stranger, [file]);
    const { sessionId } = await world.aSession(owner);
    expect((await world.commit(owner, { sessionId, title: 'x' }, [file])).error.code).toBe('blobs-missing');
  });

  test('refuses a size that is not that of the stored file, and names the path', async () => {
    const { sessionId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    const files = [{ ...manifestRow(page()), size: 1 }];
    const { status, error } = await world.commit(owner, { sessionId, title: 'x', files }, [page()]);
    expect([status, error.code, error.details?.errors?.[0]?.location]).toEqual([
      400,
      'invalid-argument',
      'body.files[0].size',
    ]);
  });

  const row = (path: string) => ({ path, sha256: sha256(path), size: 1, contentType: 'text/html' });
  test.each([
    ['no files', { files: [] }, 'body.files'],
    ['a path with ..', { files: [row('index.html'), row('../x')] }, 'body.files[1].path'],
    ['an empty segment', { files: [row('index.html'), row('a//b')] }, 'body.files[1].path'],
    ['one path twice', { files: [row('index.html'), row('a'), row('a')] }, 'body.files[2].path'],
    [
      'one path in two Unicode forms',
      { files: [row('index.html'), row('caf\u00e9'), row('cafe\u0301')] },
      'body.files[2].path',
    ],
    ['an entry that is not one of the files', { entryPath: 'other.html' }, 'body.entryPath'],
    ['a long title', { title: 'x'.repeat(256) }, 'body.title'],
    ['no title', { title: undefined }, 'body.title'],
    ['an empty title', { title: ' ' }, 'body.title'],
    [
      'a content type with a line break',
      { files: [{ ...row('index.html'), contentType: 'a/b\r\nc: d' }] },
      'body.files[0].contentType',
    ],
    ['an invalid size', { files: [{ ...row('index.html'), size: -1 }] }, 'body.files[0].size'],
    ['a long message', { message: 'x'.repeat(501) }, 'body.message'],
    ['an invalid base version', { expectedBaseVersion: 'one' }, 'body.expectedBaseVersion'],
  ])('refuses %s', async (_what, change, location) => {
    const { sessionId } = await world.aSession(owner);
    const { status, error } = await world.commit(
      owner,
      { sessionId, title: 'x', files: [row('index.html')], ...change },
      [page()],
    );
    expect([status, error.code]).toEqual([400, 'invalid-argument']);
    expect(error.details?.errors?.map((each) => each.location)).toContain(location);
  });

  test('checks the caps of the plan before it looks for the files', async () => {
    const { sessionId } = await world.aSession(owner);
    const files = Array.from({ length: 501 }, (_, i) => row(`${i}.html`));
    const many = await world.commit(owner, { sessionId, title: 'x', entryPath: '0.html', files }, [page()]);
    expect([many.status, many.error.code, many.error.details]).toEqual([
      400,
      'too-many-files',
      { limit: 500, actual: 501, plan: 'free' },
    ]);
    const big = [{ ...row('index.html'), size: 10 * MB + 1 }];
    const large = await world.commit(owner, { sessionId, title: 'x', files: big }, [page()]);
    expect([large.status, large.error.code, large.error.details?.['path']]).toEqual([
      413,
      'payload-too-large',
      'index.html',
    ]);
  });

  test('accepts one of two commits on one base; commits with force or without a base succeed', async () => {
    const deck = await world.aDeck(owner);
    const { presentationId } = deck;
    const race = await Promise.all(
      [1, 2, 3, 4].map(() => world.commit(owner, { presentationId, expectedBaseVersion: 1 }, [page()])),
    );
    expect(codes(race)).toEqual(['conflict', 'conflict', 'conflict', 'ok']);
    const lost = race.find(({ status }) => status === 409)!;
    expect(lost.error).toMatchObject({ serverVersion: 2, details: { serverVersion: 2, expectedBaseVersion: 1 } });
    expect(
      (await world.commit(owner, { presentationId, expectedBaseVersion: 1, force: true }, [page()])).data.version,
    ).toBe(3);
    const free = await Promise.all([1, 2, 3, 4, 5].map(() => world.commit(owner, { presentationId }, [page()])));
    expect(free.map(({ data }) => data.version).sort()).toEqual([4, 5, 6, 7, 8]);
  });

  test('makes one deck of one session, however many commits race', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    const race = await Promise.all([1, 2, 3, 4, 5].map(() => world.commit(owner, { sessionId, title: 'x' }, [page()])));
    expect(codes(race)).toEqual(['not-found', 'not-found', 'not-found', 'not-found', 'ok']);
    const tokens = await world.database.collection(`presentations/${presentationId}/shareTokens`).get();
    const versions = await world.database.collection(`presentations/${presentationId}/versions`).get();
    expect([tokens.size, versions.size]).toEqual([1, 1]);
  });

  test('makes no deck after the hour of the session', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    passSeconds(3601);
    expect((await world.commit(owner, { sessionId, title: 'x' }, [page()])).status).toBe(404);
    expect((await world.database.doc(`presentations/${presentationId}`).get()).exists).toBe(false);
  });

  test('dryRun counts the changes and writes nothing', async () => {
    const deck = await world.aDeck(owner, [page('a'), page('b', 'b.html'), page('c', 'c.html')]);
    const after = [page('a'), page('changed', 'b.html'), page('new', 'd.html')];
    passSeconds(0);
    await world.useKey(owner);
    const cost = await world.costOf(async () => {
      const { data } = await world.commit<object>(owner, { presentationId: deck.presentationId, dryRun: true }, after);
      const bytesTotal = after.reduce((sum, { bytes }) => sum + bytes.length, 0);
      expect(data).toEqual({ added: 1, changed: 1, removed: 1, unchanged: 1, bytesTotal, nextVersion: 2 });
    });
    expect(cost.documentWrites).toBe(0);
  });

  test('dryRun of a new deck needs no file, writes nothing and leaves its session open', async () => {
    const { sessionId } = await world.aSession(owner);
    passSeconds(0);
    await world.useKey(owner);
    const cost = await world.costOf(async () => {
      const { data } = await world.commit<object>(owner, { sessionId, title: 'x', dryRun: true }, [page()]);
      const bytesTotal = page().bytes.length;
      expect(data).toEqual({ added: 1, changed: 0, removed: 0, unchanged: 0, bytesTotal, nextVersion: 1 });
    });
    expect(cost.documentWrites).toBe(0);
    await world.uploadAll(owner, { sessionId }, [page()]);
    await succeed(world.commit(owner, { sessionId, title: 'x' }, [page()]));
  });
});

describe('Idempotency-Key', () => {
  const retry = (key: string, fields: Record<string, unknown>, files: DeckFile[] = [page()]) =>
    world.commit<Record<string, unknown>>(owner, fields, files, { headers: { 'idempotency-key': key } });

  test('lets a retried commit make one deck, and a replay has no raw token', async () => {
    const { sessionId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    const first = await retry('k1', { sessionId, title: 'x' });
    const again = await retry('k1', { sessionId, title: 'x' });
    const { token, shareUrl, ...rest } = first.data;
    expect(shareUrl).toContain(token);
    expect(again.data).toEqual(rest);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const records = await world.database.collection('idempotencyRecords').get();
    expect(records.docs.some((document) => JSON.stringify(document.data()).includes(String(token)))).toBe(false);
  });

  test('lets parallel retries of an update make one version', async () => {
    const { presentationId } = await world.aDeck(owner);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => retry('k2', { presentationId })));
    expect(new Set(answers.map(({ data }) => data['version']))).toEqual(new Set([2]));
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed')).length).toBe(4);
  });

  test('replays for a day, and then makes the call again', async () => {
    const { presentationId } = await world.aDeck(owner);
    const commit = () => retry('for-a-day', { presentationId });
    expect((await commit()).data['version']).toBe(2);
    passSeconds(24 * 3600 - 1);
    expect((await commit()).data['version']).toBe(2);
    passSeconds(2);
    expect((await commit()).data['version']).toBe(3);
  });

  test('with another body is a conflict, and is a different key for another caller', async () => {
    const { presentationId } = await world.aDeck(owner);
    await succeed(retry('k3', { presentationId, message: 'a' }));
    const other = await retry('k3', { presentationId, message: 'b' });
    expect([other.status, other.error.code]).toEqual([409, 'conflict']);
    const theirs = await world.aDeck(stranger);
    const { data } = await world.commit(stranger, { presentationId: theirs.presentationId, message: 'a' }, [page()], {
      headers: { 'idempotency-key': 'k3' },
    });
    expect(data.presentationId).toBe(theirs.presentationId);
  });

  test('replays a commit although the commit itself has replaced its base version', async () => {
    const { presentationId } = await world.aDeck(owner);
    const first = await succeed(retry('k4', { presentationId, expectedBaseVersion: 1 }));
    const again = await retry('k4', { presentationId, expectedBaseVersion: 1 });
    expect([again.data, again.headers.get('idempotency-replayed')]).toEqual([first, 'true']);
  });

  test('does not replay to a caller who may not act on the deck any more', async () => {
    const { presentationId } = await world.aDeck(owner);
    await world.addMember({ presentationId }, stranger);
    const commit = () =>
      world.commit(stranger, { presentationId }, [page()], { headers: { 'idempotency-key': 'of-a-dev' } });
    await succeed(commit());
    await succeed(commit());
    const stored = world.database.doc(`presentations/${presentationId}`);
    await stored.update({ memberIds: [(await stored.get()).get('ownerId')] });
    const { status, error, headers } = await commit();
    expect([status, error.code, headers.get('idempotency-replayed')]).toEqual([403, 'permission-denied', null]);
  });

  test('does not replay for a deleted deck', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    await world.uploadAll(owner, { sessionId }, [page()]);
    const addToken = () =>
      world.call(
        'addPresentationToken',
        { presentationId, tokenName: 'x' },
        { key: owner.key, headers: { 'idempotency-key': 'k6' } },
      );
    const calls = [
      () => retry('k5', { sessionId, title: 'x' }),
      () => retry('k6', { presentationId, expectedBaseVersion: 1 }),
      addToken,
    ];
    for (const call of calls) expect((await call()).status).toBe(200);
    for (const call of calls) expect((await call()).headers.get('idempotency-replayed')).toBe('true');
    await succeed(world.call('deletePresentation', { presentationId }, { key: owner.key }));
    for (const call of calls) {
      const { status, error, headers } = await call();
      expect([status, error.code, headers.get('idempotency-replayed')]).toEqual([404, 'not-found', null]);
    }
  });

  test.each(['', 'x'.repeat(257), 'a b'])('%j is refused', async (key) => {
    const { presentationId } = await world.aDeck(owner);
    expect((await retry(key, { presentationId })).status).toBe(400);
  });
});
