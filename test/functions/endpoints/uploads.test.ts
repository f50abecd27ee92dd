import os from 'node:os';
import { newId } from '../../../functions/src/values/ids';
import { atOnce, refusal } from '../../support/answers';
import { passSeconds } from '../../support/clock';
import { cutUpload, uploadFolders } from '../../support/temporary-folder';
import { formOf, uploadForm, type Result } from '../../support/uploads';
import { storedFiles } from '../../support/whole-store';
import { blob, page, sha256, startWorld, succeed, world } from '../../support/world';
import type { Account, DeckFile, Target } from '../../support/world';

/** The check of hashes, uploads in forms, and inputs and addresses that are made to do harm. */

const MB = 1024 * 1024;
/** Counts how often the functions ask for the temporary folder. */
const asked = jest.spyOn(os, 'tmpdir');
let owner: Account;
let stranger: Account;
startWorld(async () => {
  [owner, stranger] = await Promise.all([world.anOwner(), world.anOwner()]);
});

const objects = (presentationId: string) => storedFiles(`presentations/${presentationId}/`);
const records = async (presentationId: string) =>
  (await world.database.collection(`presentations/${presentationId}/blobs`).get()).docs;
/** How many objects and records a deck has. */
const counts = async (id: string) => [(await objects(id)).length, (await records(id)).length];
const upload = (target: Target, files: DeckFile[], by = owner) => uploadForm(world, by, target, files);
const blobs = (count: number, size = 100) => Array.from({ length: count }, () => blob(size));
const check = (body: object, key = owner.key) => world.call('precheckAssets', body, { key });
const send = (name: string, form: FormData) => world.call(name, form, { key: owner.key });
const one = (form: FormData) => send('uploadPresentationAsset', form);
const many = (form: FormData) => send('uploadPresentationAssets', form) as ReturnType<typeof uploadForm>;

describe('precheckAssets', () => {
  test('opens a session that reserves an id, and names each missing hash once', async () => {
    const [a, b] = [sha256('a'), sha256('b')];
    const { sessionId, presentationId, missing } = await world.aSession(owner, [a, b, a]);
    expect(missing).toEqual([a, b]);
    expect(sessionId).not.toBe(presentationId);
    await world.upload(owner, { sessionId }, { path: 'a', bytes: Buffer.from('a'), contentType: 'text/plain' });
    expect((await check({ sessionId, hashes: [a, b] })).data).toEqual({ missing: [b] });
  });

  test('does not reveal the files of another deck, and knows the files of older versions', async () => {
    const files = [page('first'), page('second'), page('third')] as const;
    const hashes = files.map(({ bytes }) => sha256(bytes));
    const { presentationId } = await world.aDeck(owner, [files[0]]);
    await world.uploadAll(owner, { presentationId }, [files[1]]);
    await world.commit(owner, { presentationId }, [files[1]]);
    expect((await check({ presentationId, hashes })).data).toEqual({ missing: [hashes[2]] });
    for (const by of [owner, stranger]) expect((await world.aSession(by, hashes)).missing).toEqual(hashes);
  });

  test('refuses a session that is unknown, expired or of another user, and so do uploads', async () => {
    expect((await check({ hashes: [], presentationId: newId(), sessionId: newId() })).status).toBe(400);
    const { sessionId } = await world.aSession(owner);
    const { presentationId } = await world.aDeck(owner);
    const statuses = async (id: string, by = owner) => [
      (await check({ hashes: [], sessionId: id }, by.key)).status,
      (await upload({ sessionId: id }, blobs(1), by)).status,
    ];
    expect(await statuses(newId())).toEqual([404, 404]);
    expect(await statuses(sessionId, stranger)).toEqual([403, 403]);
    expect((await upload({ presentationId }, blobs(1), stranger)).status).toBe(403);
    passSeconds(3500);
    expect(await statuses(sessionId)).toEqual([200, 200]);
    passSeconds(101);
    expect(await statuses(sessionId)).toEqual([404, 404]);
  });
});

test('a body may name its charset, which must be UTF-8', async () => {
  const statusOf = async (charset: string) => {
    const headers = { 'content-type': `text/plain; charset=${charset}` };
    return (await world.call('precheckAssets', { hashes: [] }, { key: owner.key, headers })).status;
  };
  expect(await Promise.all(['UTF-8', '"utf8"', 'latin1'].map(statusOf))).toEqual([200, 200, 400]);
});

describe('uploadPresentationAsset', () => {
  test('stores one object when eight uploads of one file race, and answers size 0 to the others', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const file = blob(200_000);
    const answers = await atOnce(8, () => world.upload(owner, { sessionId }, file));
    expect(answers.map(({ data }) => data.size).sort((a, b) => a - b)).toEqual([...Array<number>(7).fill(0), 200_000]);
    expect(await counts(presentationId)).toEqual([1, 1]);
  });

  test('refuses bytes of another hash and stores nothing', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const answer = world.upload(owner, { sessionId }, page(), { sha256: sha256('other') });
    expect(await refusal(answer)).toEqual([400, 'hash-mismatch']);
    expect(await counts(presentationId)).toEqual([0, 0]);
  });

  const form = (fields: Record<string, string>, files = ['x']) => {
    const data = new FormData();
    files.forEach((text, i) => data.append(`file${i}`, new Blob([text]), 'x'));
    for (const [name, value] of Object.entries(fields)) data.append(name, value);
    return data;
  };

  test('accepts an empty file, and fields in any order', async () => {
    const { sessionId } = await world.aSession(owner);
    const fields = { contentType: 'text/plain', sha256: sha256(''), sessionId };
    expect((await one(form(fields, ['']))).data).toEqual({ sha256: sha256(''), size: 0 });
  });

  test('refuses two files, no file, a missing field, a duplicate field, a bad hash and a bad type', async () => {
    const good = { sessionId: (await world.aSession(owner)).sessionId, sha256: sha256('x'), contentType: 'text/plain' };
    const twice = form(good);
    twice.append('sha256', sha256('y'));
    const changes = { sha256: sha256('x').toUpperCase(), contentType: 'text/html\r\nX: y', presentationId: newId() };
    const fields = Object.entries(good);
    for (const body of [
      form(good, ['x', 'y']),
      form(good, []),
      twice,
      ...Object.entries(changes).map(([name, value]) => form({ ...good, [name]: value })),
      ...fields.map(([absent]) => form(Object.fromEntries(fields.filter(([name]) => name !== absent)))),
    ]) {
      expect(await refusal(one(body))).toEqual([400, 'invalid-argument']);
    }
  });

  test('stores nothing of an upload whose client closes the connection', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const beginning =
      `--b\r\nContent-Disposition: form-data; name="sessionId"\r\n\r\n${sessionId}\r\n` +
      `--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n${'x'.repeat(300_000)}`;
    await cutUpload(`${world.cloud.baseUrl}/uploadPresentationAsset`, owner.key, beginning);
    expect((await world.upload(owner, { sessionId }, page())).status).toBe(200);
    expect(await counts(presentationId)).toEqual([1, 1]);
  });
});

describe('uploadPresentationAssets', () => {
  test('stores the Content-Type of each part with its parameters', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const types = ['image/svg+xml', 'text/html; charset=utf-8', 'text/plain; charset=utf-8; format=flowed'];
    const files = types.map((contentType) => ({ ...blob(40), contentType }));
    await upload({ sessionId }, files);
    const recorded = (await records(presentationId)).map((record) => record.get('contentType') as string);
    const stored = (await objects(presentationId)).map(({ contentType }) => contentType);
    expect([recorded.sort(), stored.sort()]).toEqual([types, types]);
  });

  test('refuses a bad file and stores the others', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const form = formOf({ sessionId }, []);
    const large = 'x'.repeat(50 * MB + 1);
    const expected: Result[] = [];
    for (const [name, text, type, code] of [
      [sha256('good'), 'good', 'text/plain', undefined],
      [sha256('declared'), 'other', 'text/plain', 'hash-mismatch'],
      ['no-hash', 'x', 'text/plain', 'invalid-argument'],
      [sha256('X').toUpperCase(), 'X', 'text/plain', 'invalid-argument'],
      [sha256('untyped'), 'untyped', 'nonsense', 'invalid-argument'],
      ['n'.repeat(1000), 'x', 'text/plain', 'invalid-argument'],
      [sha256(large), large, 'video/mp4', 'payload-too-large'],
      [sha256(''), '', 'text/css', undefined],
    ] as const) {
      form.append(name, new Blob([text], { type }), 'file');
      const outcome = code ? { size: 0, status: 'failed', code } : { size: text.length, status: 'stored' };
      expected.push({ sha256: name.slice(0, 128), ...outcome });
    }
    expect((await many(form)).data.results).toEqual(expected);
    expect(await counts(presentationId)).toEqual([2, 2]);
  });

  test('stores a file once when a form has it twice and when parallel forms have it', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const [a, b] = [blob(50_000), blob(50_000)];
    const [stored, exists] = (await upload({ sessionId }, [a, a])).data.results;
    expect(stored).toMatchObject({ status: 'stored', size: 50_000 });
    expect(exists).toMatchObject({ status: 'exists', size: 0 });
    const race = (await atOnce(10, () => upload({ sessionId }, [a, b]))).flatMap(({ data }) => data.results);
    expect(race.filter(({ status }) => status === 'stored')).toHaveLength(1);
    expect(await counts(presentationId)).toEqual([2, 2]);
  });

  test('keeps the files that had arrived whole when a form is cut off, and no other', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const texts = ['first', 'second', 'x'.repeat(300_000)];
    const parts = texts.map((text) => {
      const head = `Content-Disposition: form-data; name="${sha256(text)}"; filename="f"\r\nContent-Type: text/plain`;
      return `--b\r\n${head}\r\n\r\n${text}`;
    });
    const target = `--b\r\nContent-Disposition: form-data; name="sessionId"\r\n\r\n${sessionId}`;
    const url = `${world.cloud.baseUrl}/uploadPresentationAssets`;
    await cutUpload(url, owner.key, [target, ...parts].join('\r\n'));
    // The function hears of the end of its client while it answers others.
    const missing = async () => (await check({ sessionId, hashes: texts.map(sha256) })).data['missing'] as string[];
    const isOver = async () => (await missing()).length === 1 && uploadFolders().length === 0;
    for (let others = 0; others < 100 && !(await isOver()); others++);
    expect(await missing()).toEqual([sha256(texts[2]!)]);
    expect(await counts(presentationId)).toEqual([2, 2]);
    expect(uploadFolders()).toEqual([]);
  });

  test('refuses a form with no files, 201 files, no target, two targets or a file without a name', async () => {
    const { sessionId, presentationId } = await world.aSession(owner);
    const nameless = formOf({ sessionId }, []);
    nameless.append(sha256('x'), 'x');
    for (const form of [
      formOf({ sessionId }, []),
      formOf({ sessionId }, blobs(201, 40)),
      formOf({}, blobs(1)),
      formOf({ sessionId, presentationId: newId() }, blobs(1)),
      nameless,
    ]) {
      expect(await refusal(many(form))).toEqual([400, 'invalid-argument']);
    }
    expect(await counts(presentationId)).toEqual([0, 0]);
  });

  test('leaves no temporary files, also when the client closes the connection', async () => {
    const { sessionId } = await world.aSession(owner);
    const before = asked.mock.calls.length;
    await upload({ sessionId }, blobs(20));
    expect(asked.mock.calls.length).toBe(before);
    await upload({ sessionId }, [...blobs(20), blob(300_000), blob(300_000)]);
    expect(asked.mock.calls.length).toBe(before + 1);
    expect(uploadFolders()).toEqual([]);
    const part = (i: number) =>
      `--b\r\nContent-Disposition: form-data; name="${i}"; filename="f"\r\n\r\n${'x'.repeat(300_000)}\r\n`;
    const url = `${world.cloud.baseUrl}/uploadPresentationAssets`;
    await cutUpload(url, owner.key, part(1) + part(2) + part(3));
    // The function hears of the end of its client while it answers others.
    for (let others = 0; others < 20 && uploadFolders().length > 0; others++) await upload({ sessionId }, blobs(1));
    expect(uploadFolders()).toEqual([]);
  });
});

test('refused forms leave no temporary files', async () => {
  const bad = [{}, {}, { long: 'x'.repeat(5000) }].map((fields) => formOf(fields, [blob(300_000), blob(300_000)]));
  for (const value of ['a', 'b']) bad[1]!.append('twice', value);
  const before = asked.mock.calls.length;
  const answers = await atOnce(12, (i) => one(bad[i % 3]!));
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(400));
  expect(asked.mock.calls.length).toBeGreaterThan(before);
  expect(uploadFolders()).toEqual([]);
});

describe('an answer stays small, whatever the input is', () => {
  const commit = (files: object[], fields: object = { sessionId: newId(), title: 'x', entryPath: 'a' }) =>
    world.call('commitPresentationVersion', { ...fields, files }, { key: owner.key });

  test('more files than any plan allows are refused without checking each file', async () => {
    const { error } = await commit(Array.from({ length: 50_000 }, () => ({})));
    expect(error.code).toBe('too-many-files');
    expect(JSON.stringify(error).length).toBeLessThan(2000);
  });

  test('the names that the caller chose are cut where they are repeated', async () => {
    const input = `{"${'k'.repeat(60_000)}":[${'"\\ud800",'.repeat(400)}0]}`;
    const { error } = await world.call('cliRequestSignupOtp', input);
    expect([error.code, error.details?.['moreErrors']]).toEqual(['invalid-argument', 200]);
    expect(JSON.stringify(error).length).toBeLessThan(60_000);
  });

  test('at most two hundred problems are listed, and the others are counted', async () => {
    const { error } = await commit(Array.from({ length: 300 }, () => ({})));
    expect([error.code, error.details?.errors?.length]).toEqual(['invalid-argument', 200]);
    expect(error.details?.['moreErrors']).toBe(300 * 4 + 1 - 200);
  });

  test('problems of single fields and of their combination are reported together', async () => {
    const row = { path: 'a', sha256: sha256('a'), size: 1, contentType: 'text/css' };
    const { error } = await commit([row, row], { title: 5, entryPath: 'b' });
    const locations = ['body.entryPath', 'body.files[1].path', 'body.presentationId', 'body.title'];
    expect(error.details?.errors?.map(({ location }) => location).sort()).toEqual(locations);
  });
});

test('null has the same meaning as a missing field', async () => {
  const { sessionId } = await world.aSession(owner);
  await world.uploadAll(owner, { sessionId }, [page()]);
  const fields = { sessionId, presentationId: null, title: 'x', expectedBaseVersion: null, message: null };
  const { presentationId } = await succeed(world.commit(owner, fields, [page()]));
  await succeed(world.commit(owner, { presentationId, sessionId: null, title: null }, [page()]));
  const email = `null-${newId()}@example.org`;
  await succeed(world.call('cliRequestSignupOtp', { email }));
  const user = { firstName: 'A', lastName: null };
  const signUp = { email, code: await world.mailedCode(email), user, company: null, logo: null, apiKey: null };
  await succeed(world.call('cliCompleteSignup', signUp));
});

test('a URL has one spelling: no escaped slash in a segment, no host before the path, no segment before the id', async () => {
  const { presentationId: id, token } = await world.aDeck(owner, [page(), page('b', 'a/b.html')]);
  const base = `getSharedPresentation/${id}/_t`;
  for (const [status, path] of [
    [200, `${base}/${token}/a/b.html`],
    [404, `${base}/${token}/a%2Fb.html`],
    [200, `${base}/${token}/a/../a/b.html`],
    [404, `${base}/${token}/a/%2e%2e%2f..%2fb.html`],
    [404, `${base}/${token}/a%00b`],
    [400, `getSharedPresentation//evil/${id}/_t/${token}/`],
    [404, `${base}/`],
    [200, `sharePage/share/${id}?token=${token}`],
    [404, `sharePage/share/a/${id}?token=${token}`],
  ] as const) {
    const answer = await fetch(`${world.cloud.baseUrl}/${path}`, { redirect: 'manual' });
    expect([path, answer.status]).toEqual([path, status]);
  }
});
