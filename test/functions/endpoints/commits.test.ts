import { passSeconds } from '../../support/clock';
import { blob, manifestRow, page, sha256, succeed, World, type Account, type Answered } from '../../support/world';

const MB = 1024 * 1024;
let world: World;
let owner: Account;
let stranger: Account;

beforeAll(async () => {
  world = await World.start();
  [owner, stranger] = await Promise.all([world.anOwner(), world.anOwner()]);
});
afterAll(() => world.stop());

const codes = (answers: Answered<unknown>[]) => answers.map(({ body }) => body.error?.code ?? 'ok').sort();

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
