import { newId } from '../../../functions/src/values/ids';
import { useTemporaryFolder } from '../../support/temporary-folder';
import { page, sha256, succeed, World, type Account } from '../../support/world';

let world: World;
let owner: Account;
const temporary = useTemporaryFolder();

beforeAll(async () => {
  world = await World.start();
  owner = await world.anOwner();
});
afterAll(() => world.stop());

const commit = (body: object) => world.call('commitPresentationVersion', body, { key: owner.key });

describe('an answer stays small, whatever the input is', () => {
  test('more files than any plan allows are refused without checking each file', async () => {
    const answer = await commit({
      sessionId: newId(),
      title: 'x',
      entryPath: 'a',
      files: Array.from({ length: 50_000 }, () => ({})),
    });
    expect([answer.status, answer.error.code]).toEqual([400, 'too-many-files']);
    expect(JSON.stringify(answer.body).length).toBeLessThan(2000);
  });

  test('the names that the caller chose are cut where they are repeated', async () => {
    const name = 'k'.repeat(60_000);
    const answer = await world.call('cliRequestSignupOtp', `{"${name}":[${'"\\ud800",'.repeat(400)}0]}`);
    expect([answer.status, answer.error.details?.['moreErrors']]).toEqual([400, 200]);
    expect(JSON.stringify(answer.body).length).toBeLessThan(60_000);
  });

  test('at most two hundred problems are listed, and the others are counted', async () => {
    const { error } = await commit({
      sessionId: newId(),
      title: 'x',
      entryPath: 'a',
      files: Array.from({ length: 300 }, () => ({})),
    });
    expect(error.code).toBe('invalid-argument');
    expect(error.details?.errors).toHaveLength(200);
    expect(error.details?.['moreErrors']).toBe(300 * 4 + 1 - 200);
  });
});

test('problems of single fields and of their combination are reported together', async () => {
  const row = { path: 'a', sha256: sha256('a'), size: 1, contentType: 'text/css' };
  const { error } = await commit({ title: 5, entryPath: 'b', files: [row, row] });
  expect(error.details?.errors?.map(({ location }) => location).sort()).toEqual([
    'body.entryPath',
    'body.files[1].path',
    'body.presentationId',
    'body.title',
  ]);
});

test('null has the same meaning as a missing field', async () => {
  const { sessionId } = await world.aSession(owner);
  await world.uploadAll(owner, { sessionId }, [page()]);
  const fields = { sessionId, presentationId: null, title: 'x', expectedBaseVersion: null, message: null };
  const { presentationId } = await succeed(world.commit(owner, fields, [page()]));
  await succeed(world.commit(owner, { presentationId, sessionId: null, title: null }, [page()]));
  const email = `null-${newId()}@example.org`;
  await succeed(world.call('cliRequestSignupOtp', { email }));
  const code = await world.mailedCode(email);
  const nulls = { company: null, logo: null, apiKey: null };
  await succeed(world.call('cliCompleteSignup', { email, code, user: { firstName: 'A', lastName: null }, ...nulls }));
});

test('refused forms leave no temporary files', async () => {
  const form = (change: (data: FormData) => void) => {
    const data = new FormData();
    change(data);
    data.append('f', new Blob(['x'.repeat(300_000)]), 'f');
    data.append('g', new Blob(['y'.repeat(300_000)]), 'g');
    return data;
  };
  const bad = [
    form(() => {}),
    form((data) => ['a', 'a'].forEach((name) => data.append(name, 'b'))),
    form((data) => data.append('long', 'x'.repeat(5000))),
  ];
  const before = temporary.uses();
  await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const { status } = await world.call('uploadPresentationAsset', bad[i % 3], { key: owner.key });
      expect(status).toBe(400);
    }),
  );
  expect(temporary.uses()).toBeGreaterThan(before);
  expect(temporary.uploads()).toEqual([]);
});

describe('a URL', () => {
  const status = async (path: string) => (await fetch(`${world.cloud.baseUrl}/${path}`, { redirect: 'manual' })).status;

  test('has one spelling: no escaped slash in a segment, no host before the path, no segment before the id', async () => {
    const deck = await world.aDeck(owner, [page(), page('b', 'a/b.html')]);
    const base = `getSharedPresentation/${deck.presentationId}/_t`;
    expect(await status(`${base}/${deck.token}/a/b.html`)).toBe(200);
    expect(await status(`${base}/${deck.token}/a%2Fb.html`)).toBe(404);
    expect(await status(`${base}/${deck.token}/a/../a/b.html`)).toBe(200);
    expect(await status(`${base}/${deck.token}/a/%2e%2e%2f..%2fb.html`)).toBe(404);
    expect(await status(`${base}/${deck.token}/a%00b`)).toBe(404);
    expect(await status(`getSharedPresentation//evil/${deck.presentationId}/_t/${deck.token}/`)).toBe(400);
    expect(await status(`${base}/`)).toBe(404);
    expect(await status(`sharePage/share/${deck.presentationId}?token=${deck.token}`)).toBe(200);
    expect(await status(`sharePage/share/a/${deck.presentationId}?token=${deck.token}`)).toBe(404);
  });
});

test('a code that is void after five wrong attempts does not end the cooldown', async () => {
  const email = `guess-${newId()}@example.org`;
  const headers = { 'x-forwarded-for': newId() };
  await succeed(world.call('cliRequestSignupOtp', { email }, { headers }));
  const wrong = (await world.mailedCode(email)) === '000000' ? '000001' : '000000';
  for (let i = 0; i < 5; i++) await world.call('cliCompleteSignup', { email, code: wrong, user: { firstName: 'A' } });
  const again = await world.call('cliRequestSignupOtp', { email }, { headers });
  expect([again.status, again.error.code]).toEqual([429, 'OTP_RESEND_COOLDOWN']);
});

test('a call that does not take an Idempotency-Key ignores it', async () => {
  const headers = { 'idempotency-key': 'a b' };
  expect((await world.call('listMyPresentations', undefined, { key: owner.key, headers })).status).toBe(200);
});
