import addFormats from 'ajv-formats';
import Ajv from 'ajv/dist/2020';
import { each } from '../../support/each';
import { anExport, askForExport, exportedFiles } from '../../support/exports';
import { passSeconds } from '../../support/clock';
import { runJob } from '../../support/jobs';
import { page, sha256, startWorld, succeed, world } from '../../support/world';
import { READER, anAccount, text } from './exported-account';

/** What is in an export of an account. */

startWorld();

const parsed = (files: ReadonlyMap<string, Buffer>, path: string): unknown => JSON.parse(text(files, path));

test('an export has every file of every version once, the newest version as a folder', async () => {
  const { owner, deck } = await anAccount();
  passSeconds(60);
  const files = await anExport(owner);
  const folder = `decks/quarterly-ergebnisse-${deck.presentationId.slice(-8)}`;
  const paths = [...files.keys()]
    .filter((path) => path.startsWith(folder))
    .map((path) => path.slice(folder.length + 1));
  expect(paths.sort()).toEqual(
    [
      ...['deck.json', 'index.html', 'mails/0001.json', 'views/0001.json'],
      ...['newest/index.html', 'newest/moved.css', 'versions/1.json', 'versions/2.json', 'versions/3.json'],
      ...['versions/2/index.html', 'versions/2/b.css'],
    ].sort(),
  );
  // Every version can be put together: its list says where each file is.
  const versions = [1, 2, 3].map((n) => parsed(files, `${folder}/versions/${n}.json`)) as {
    files: { path: string; at: string; sha256: string }[];
  }[];
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
  const [entry] = /decks\/[^"]*\/newest\/index\.html/.exec(text(files, 'index.html'))!;
  expect(text(files, entry)).toContain('One');
});

test('an export has nothing that is younger than its request', async () => {
  const owner = await world.aPublisher();
  const deck = await world.aPushedDeck(owner, [page('One')]);
  await askForExport(owner);
  passSeconds(1);
  const { presentationId } = deck;
  await world.uploadAll(owner, { presentationId }, [page('Two')]);
  await succeed(world.commit(owner, { presentationId }, [page('Two')]));
  await world.aPushedDeck(owner, [page('Three')], 'A younger deck');
  await runJob('exportAccounts');
  const files = await exportedFiles(owner);
  const all = Buffer.concat([...files.values()]).toString();
  expect([all.includes('One'), all.includes('Two'), all.includes('A younger deck')]).toEqual([true, false, false]);
});
