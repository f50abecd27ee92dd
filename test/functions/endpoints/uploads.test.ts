import { newId } from '../../../functions/src/values/ids';
import { passSeconds } from '../../support/clock';
import { cutUpload, useTemporaryFolder } from '../../support/temporary-folder';
import { storedObjects } from '../../support/whole-store';
import { blob, page, sha256, World, type Account } from '../../support/world';

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

const objects = (presentationId: string) => storedObjects(`presentations/${presentationId}/`);

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
