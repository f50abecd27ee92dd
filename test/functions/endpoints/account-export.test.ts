import addFormats from 'ajv-formats';
import Ajv from 'ajv/dist/2020';
import { createExport, deleteExport } from '../../../functions/src/records/account-exports';
import { transact } from '../../../functions/src/records/transact';
import { passSeconds } from '../../support/clock';
import { each } from '../../support/each';
import { anExport, askForExport, exportedFiles, exportOf, unzip } from '../../support/exports';
import { runJob } from '../../support/jobs';
import { storedObjects } from '../../support/whole-store';
import { words } from '../../support/words';
import { page, sha256, succeed, world } from '../../support/world';
import { DAY, READER, owner, aCode, anAccount, ask, get, renewSession, startExporting } from './exporting';

/** Exports of accounts: who gets one, how often, how long it stays, and what is in it. */

startExporting();

const parsed = (files: ReadonlyMap<string, Buffer>, path: string): unknown => JSON.parse(files.get(path)!.toString());

test('an export has every file of every version once, the newest version as a folder', async () => {
  const { owner, deck } = await anAccount();
  passSeconds(60);
  const files = await anExport(owner);
  const folder = `decks/quarterly-ergebnisse-${deck.presentationId.slice(-8)}`;
  const paths = [...files.keys()].filter((path) => path.startsWith(folder));
  const expected = words(`deck.json index.html mails/0001.json newest/index.html newest/moved.css versions/1.json
    versions/2.json versions/2/b.css versions/2/index.html versions/3.json views/0001.json`);
  expect(paths.sort()).toEqual(expected.map((path) => `${folder}/${path}`));
  // Every version can be put together: its list says where each file is.
  type Version = { files: { path: string; at: string; sha256: string }[] };
  const versions = [1, 2, 3].map((n) => parsed(files, `${folder}/versions/${n}.json`) as Version);
  for (const { files: list } of versions) {
    for (const { at, sha256: hash } of each(list)) expect(sha256(files.get(`${folder}/${at}`)!)).toBe(hash);
  }
  expect(versions[0]!.files).toMatchObject([
    { path: 'a/style.css', at: 'newest/moved.css' },
    { path: 'index.html', at: 'newest/index.html' },
  ]);
  const [mail] = await world.mails(owner.email);
  expect(mail).toMatchObject({ subject: 'Your export is ready' });
  expect(mail!.text).not.toContain('exports/');
});

test('a file that cannot stand at its path on every system is elsewhere', async () => {
  const account = await world.anOwner();
  const paths = ['.git/config', 'A', 'a', 'a/b', 'con.txt', 'index.html'];
  const deck = await world.aDeck(
    account,
    paths.map((path) => page(path, path)),
    'Names',
  );
  const files = await anExport(account);
  const list = parsed(files, `decks/names-${deck.presentationId.slice(-8)}/versions/1.json`) as { files: object[] };
  const at = ['other/1/0', 'newest/A', 'other/1/2', 'other/1/3', 'other/1/4', 'newest/index.html'];
  expect(list.files).toMatchObject(paths.map((path, i) => ({ path, at: at[i] })));
  for (const [i, path] of paths.entries())
    expect(files.get(`decks/names-${deck.presentationId.slice(-8)}/${at[i]}`)!.toString()).toContain(path);
});

test('its records fit its schema, and have no tokens, hashes and secrets', async () => {
  const { owner, deck, secrets } = await anAccount();
  passSeconds(200);
  const files = await anExport(owner);
  const ajv = new Ajv({ strict: false, validateSchema: false });
  addFormats(ajv);
  ajv.addSchema(parsed(files, 'schema.json') as object, 'schema');
  const folder = `decks/quarterly-ergebnisse-${deck.presentationId.slice(-8)}`;
  const kinds = {
    'account.json': 'account.json',
    'events/0001.json': 'events/0001.json',
    [`${folder}/deck.json`]: 'decks/{deck}/deck.json',
    [`${folder}/versions/2.json`]: 'decks/{deck}/versions/{version}.json',
    [`${folder}/mails/0001.json`]: 'decks/{deck}/mails/0001.json',
    [`${folder}/views/0001.json`]: 'decks/{deck}/views/0001.json',
  };
  for (const [path, kind] of Object.entries(kinds)) {
    const reference = `schema#/properties/${kind.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const check = ajv.compile({ $ref: encodeURI(reference) });
    expect([path, check(parsed(files, path)), check.errors]).toEqual([path, true, null]);
  }
  expect(parsed(files, `${folder}/deck.json`)).toMatchObject({
    links: [{ name: 'default' }, { name: 'Investors', hasPasscode: true, allowedEmails: [READER] }, { name: READER }],
    collaborators: [{ email: 'dev@example.org' }],
    listing: { status: 'public' },
  });
  const views = parsed(files, `${folder}/views/0001.json`);
  const mails = parsed(files, `${folder}/mails/0001.json`);
  const events = parsed(files, 'events/0001.json') as object[];
  expect(views).toMatchObject([{ email: READER, tokenName: READER }]);
  expect(mails).toMatchObject([{ email: READER, outcome: 'sent' }]);
  expect(events.length).toBeGreaterThan(5);
  const all = Buffer.concat([...files.values()]).toString();
  expect(secrets.filter((secret) => secret.length < 6 || all.includes(secret))).toEqual([]);
  expect(all).not.toMatch(/"(hash|sealed|salt|codeMac|label)":/);
  // The page leads to the deck.
  const [entry] = /decks\/[^"]*\/newest\/index\.html/.exec(files.get('index.html')!.toString())!;
  expect(files.get(entry)!.toString()).toContain('One');
});

test('an export has nothing that is younger than its request', async () => {
  const { presentationId } = await world.aPushedDeck(owner, [page('One')]);
  await askForExport(owner);
  passSeconds(1);
  await world.uploadAll(owner, { presentationId }, [page('Two')]);
  await succeed(world.commit(owner, { presentationId }, [page('Two')]));
  await world.aPushedDeck(owner, [page('Three')], 'A younger deck');
  await runJob('exportAccounts');
  const files = await exportedFiles(owner);
  const all = Buffer.concat([...files.values()]).toString();
  expect([all.includes('One'), all.includes('Two'), all.includes('A younger deck')]).toEqual([true, false, false]);
});

test('the end of an export leaves the one that took its place', async () => {
  const organizationId = 'of-exports';
  const request = () =>
    transact((tx) => Promise.resolve(createExport(tx, { organizationId, requestedBy: null, decks: 0 }, new Date())));
  const [first, second] = [await request(), await request()];
  const stored = async () => (await world.database.doc(`accountExports/${organizationId}`).get()).get('exportId');
  await deleteExport(first);
  expect(await stored()).toBe(second.exportId);
  await deleteExport(second);
  expect(await stored()).toBeUndefined();
});

// The clock of the database never goes back, so the tests that pass days come last.
test('an account is exported with a code for it, once a week, and its parts can be downloaded in ranges', async () => {
  await world.aDeck(owner, [page('Exported')]);
  const { status, data } = await ask(await aCode());
  expect([status, data.status]).toEqual([202, 'waiting']);
  expect((await get()).data).toMatchObject({ ...data, parts: [], expiresAt: null, progress: { files: 0 } });
  await runJob('exportAccounts');
  const { data: ready } = await get(data.exportId);
  expect(ready).toMatchObject({ status: 'ready', progress: { decks: 1, decksInAll: 1, files: 1 } });
  const [part] = ready.parts;
  expect(ready.parts).toHaveLength(1);
  const ranges = [`bytes=0-99`, `bytes=100-`];
  const pieces = await Promise.all(ranges.map((range) => fetch(part!.url, { headers: { range } })));
  expect(pieces.map((piece) => piece.status)).toEqual([206, 206]);
  expect(pieces[0]!.headers.get('content-disposition')).toContain(part!.fileName);
  const bytes = Buffer.concat(await Promise.all(pieces.map(async (piece) => Buffer.from(await piece.arrayBuffer()))));
  expect([bytes.length, sha256(bytes)]).toEqual([part!.sizeBytes, part!.sha256]);
  expect([...(await unzip(bytes)).keys()]).toContain('index.html');
  passSeconds(31);
  const again = await ask(await aCode());
  expect([again.status, again.error.code]).toEqual([429, 'rate-limited']);
  expect(again.error.details).toMatchObject({ limit: 1, windowSeconds: 7 * DAY });
  passSeconds(7 * DAY);
  await renewSession();
  expect((await ask(await aCode())).status).toBe(202);
});

test('an export needs the code of an export, and only the session of its organization sees it', async () => {
  expect((await ask(await aCode('delete'))).error.code).toBe('OTP_PURPOSE_MISMATCH');
  expect((await get()).data).toMatchObject({ exportId: null, status: 'none', parts: [] });
  passSeconds(31);
  const code = await aCode();
  const key = { 'idempotency-key': 'once' };
  const { data } = await ask(code, key);
  const replay = await ask(code, key);
  expect([replay.data, replay.headers.get('idempotency-replayed')]).toEqual([data, 'true']);
  expect((await ask(code)).error.code).toBe('OTP_ALREADY_USED');
  const stranger = await world.aDashboardSession(await world.anOwner());
  expect((await get(data.exportId, stranger)).status).toBe(404);
});

test.each([true, false])('the parts and the record are deleted after 7 days, told or not: %s', async (isTold) => {
  await ask(await aCode());
  await runJob('exportAccounts');
  const prefix = `exports/${owner.organizationId}/`;
  expect(await storedObjects(prefix)).toHaveLength(1);
  // The job has nothing to do with it before.
  await runJob('exportAccounts');
  expect(await exportOf(owner)).toMatchObject({ status: 'ready', isTold: true });
  // As after runs whose mail was not accepted.
  await world.database.doc(`accountExports/${owner.organizationId}`).update({ isTold });
  passSeconds(7 * DAY + 1);
  await renewSession();
  expect((await get()).data).toMatchObject({ exportId: null, status: 'none', parts: [] });
  await runJob('exportAccounts');
  expect([await storedObjects(prefix), await exportOf(owner)]).toEqual([[], undefined]);
});
