import { newId } from '../../../functions/src/values/ids';
import { passSeconds } from '../../support/clock';
import { cutUpload, useTemporaryFolder } from '../../support/temporary-folder';
import { storedFiles } from '../../support/whole-store';
import { blob, page, sha256, World, type Account, type Answered, type DeckFile } from '../../support/world';

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

interface Result {
  sha256: string;
  size: number;
  status: string;
  code?: string;
}
type Target = { presentationId: string } | { sessionId: string };

const append = (form: FormData, name: string, bytes: Buffer | string, type: string) =>
  form.append(name, new Blob([new Uint8Array(Buffer.from(bytes))], { type }), 'file');

function formOf(target: Partial<Record<string, string>>, files: DeckFile[]): FormData {
  const form = new FormData();
  for (const { bytes, contentType } of files) append(form, sha256(bytes), bytes, contentType);
  // Fields may come after the files.
  for (const [name, value] of Object.entries(target)) form.append(name, value!);
  return form;
}
const send = (form: FormData | string, account = owner, headers?: Record<string, string>) =>
  world.call<{ results: Result[] }>('uploadPresentationAssets', form, {
    key: account.key,
    ...(headers && { headers }),
  });
const upload = (target: Target, files: DeckFile[], account = owner): Promise<Answered<{ results: Result[] }>> =>
  send(formOf(target, files), account);

const objects = (presentationId: string) => storedFiles(`presentations/${presentationId}/blobs/`);
const records = async (presentationId: string) =>
  (await world.database.collection(`presentations/${presentationId}/blobs`).get()).docs;
const files = (count: number, size = 100) => Array.from({ length: count }, () => blob(size));

describe('uploadPresentationAssets', () => {
  test('stores up to 200 files in one call, and a commit can use them', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const many = [page(), ...files(199)];
    const { results } = (await upload({ sessionId }, many)).data;
    expect(results).toEqual(many.map(({ bytes }) => ({ sha256: sha256(bytes), size: bytes.length, status: 'stored' })));
    expect(await objects(presentationId)).toHaveLength(200);
    expect((await world.commit(owner, { sessionId, title: 'x' }, many)).status).toBe(200);
    const again = (await upload({ presentationId }, many)).data.results;
    expect(new Set(again.map(({ status, size }) => `${status} ${size}`))).toEqual(new Set(['exists 0']));
  });

  test('stores the Content-Type of each part with its parameters', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const types = ['text/html; charset=utf-8', 'image/svg+xml', 'text/plain; charset=utf-8; format=flowed'];
    await upload(
      { sessionId },
      types.map((contentType, i) => ({ path: '', bytes: Buffer.from(`${i}`), contentType })),
    );
    const stored = (await records(presentationId)).map((record) => record.get('contentType') as string);
    expect(stored.sort()).toEqual([...types].sort());
    expect((await objects(presentationId)).map(({ contentType }) => contentType).sort()).toEqual([...types].sort());
  });

  test('refuses a bad file and stores the others', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const form = new FormData();
    form.append('sessionId', sessionId);
    append(form, sha256('good'), 'good', 'text/plain');
    append(form, sha256('declared'), 'other', 'text/plain');
    append(form, 'no-hash', 'x', 'text/plain');
    append(form, sha256('X').toUpperCase(), 'X', 'text/plain');
    append(form, sha256('untyped'), 'untyped', 'nonsense');
    append(form, 'n'.repeat(1000), 'x', 'text/plain');
    const large = Buffer.alloc(50 * MB + 1);
    append(form, sha256(large), large, 'video/mp4');
    append(form, sha256(''), '', 'text/css');
    const { results } = (await send(form)).data;
    const failed = (name: string, code: string) => ({ sha256: name, size: 0, status: 'failed', code });
    expect(results).toEqual([
      { sha256: sha256('good'), size: 4, status: 'stored' },
      failed(sha256('declared'), 'hash-mismatch'),
      failed('no-hash', 'invalid-argument'),
      failed(sha256('X').toUpperCase(), 'invalid-argument'),
      failed(sha256('untyped'), 'invalid-argument'),
      failed('n'.repeat(128), 'invalid-argument'),
      failed(sha256(large), 'payload-too-large'),
      { sha256: sha256(''), size: 0, status: 'stored' },
    ]);
    expect(await objects(presentationId)).toHaveLength(2);
    expect(await records(presentationId)).toHaveLength(2);
  });

  test('stores a file once when a form has it twice and when parallel forms have it', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const [a, b] = files(2, 50_000);
    const twice = (await upload({ sessionId }, [a!, a!])).data.results.map(({ status }) => status);
    expect(twice).toEqual(['stored', 'exists']);
    const race = await Promise.all(Array.from({ length: 10 }, () => upload({ sessionId }, [a!, b!])));
    const stored = race.flatMap(({ data }) => data.results).filter(({ status }) => status === 'stored');
    expect(stored).toHaveLength(1);
    expect(await objects(presentationId)).toHaveLength(2);
    expect(await records(presentationId)).toHaveLength(2);
  });

  test('refuses a form with no files, 201 files, no target, two targets or a duplicate field', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const twice = formOf({ sessionId }, files(1));
    twice.append('sessionId', sessionId);
    const nameless = new FormData();
    nameless.append('sessionId', sessionId);
    nameless.append(sha256('x'), 'x');
    const bad = [
      formOf({ sessionId }, []),
      formOf({ sessionId }, files(201, 40)),
      formOf({}, files(1)),
      formOf({ sessionId, presentationId: newId() }, files(1)),
      twice,
      nameless,
    ];
    for (const form of bad) {
      const { status, error } = await send(form);
      expect([status, error.code]).toEqual([400, 'invalid-argument']);
    }
    expect(await objects(presentationId)).toEqual([]);
  });

  const half = `--b\r\nContent-Disposition: form-data; name="${sha256('x')}"; filename="f"\r\n\r\nhalf of`;
  test.each([
    ['a body that is not multipart', 'application/json', '{}'],
    ['no boundary', 'multipart/form-data', 'x'],
    ['an empty body', 'multipart/form-data; boundary=b', ''],
    ['a body cut in a header', 'multipart/form-data; boundary=b', half.slice(0, 40)],
    ['a body cut in a file', 'multipart/form-data; boundary=b', half],
  ])('refuses %s', async (_what, type, body) => {
    const { status, error } = await send(body, owner, { 'content-type': type });
    expect([status, error.code]).toEqual([400, 'invalid-argument']);
  });

  test('refuses an unknown, expired or foreign session, and a foreign deck', async () => {
    const { sessionId } = await world.aSession(owner);
    const deck = await world.aDeck(owner);
    expect((await upload({ sessionId: newId() }, files(1))).status).toBe(404);
    expect((await upload({ sessionId }, files(1), stranger)).status).toBe(403);
    expect((await upload({ presentationId: deck.presentationId }, files(1), stranger)).status).toBe(403);
    passSeconds(3601);
    expect((await upload({ sessionId }, files(1))).status).toBe(404);
  });

  test('leaves no temporary files, also when the client closes the connection', async () => {
    const { sessionId } = await world.aSession(owner);
    const before = temporary.uses();
    await upload({ sessionId }, files(20));
    expect(temporary.uses()).toBe(before);
    await upload({ sessionId }, [...files(20), blob(300_000), blob(300_000)]);
    expect(temporary.uses()).toBe(before + 1);
    expect(temporary.uploads()).toEqual([]);
    const part = (i: number) =>
      `--b\r\nContent-Disposition: form-data; name="${i}"; filename="f"\r\n\r\n${'x'.repeat(300_000)}\r\n`;
    const url = `${world.cloud.baseUrl}/uploadPresentationAssets`;
    await cutUpload(url, owner.key, part(1) + part(2) + part(3), temporary);
    // The function hears of the end of its client while it answers others.
    for (let others = 0; others < 20 && temporary.uploads().length > 0; others++) await upload({ sessionId }, files(1));
    expect(temporary.uploads()).toEqual([]);
  });

  test('of 200 files costs five round trips for a session, four for a deck, key included, and one bucket call for each file', async () => {
    passSeconds(0);
    await world.useKey(owner);
    const { sessionId } = await world.aSession(owner);
    const many = [page(), ...files(199)];
    const first = await world.costOf(() => upload({ sessionId }, many));
    expect(first).toMatchObject({ roundTrips: 5, storageCalls: 200 });
    const { presentationId } = (await world.commit(owner, { sessionId, title: 'x' }, many)).data;
    const next = await world.costOf(() => upload({ presentationId }, files(200)));
    expect(next).toMatchObject({ roundTrips: 4, storageCalls: 200 });
    const again = await world.costOf(() => upload({ presentationId }, many));
    expect(again).toMatchObject({ roundTrips: 2, storageCalls: 0 });
  });
});
