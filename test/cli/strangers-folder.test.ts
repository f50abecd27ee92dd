import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Computer, fill, type Testbed, withTestbed } from './testbed';

let testbed: Testbed;
let computer: Computer;
withTestbed((made) => ({ testbed, computer } = made));

interface Pushed {
  presentationId: string;
  shareUrl: string;
  version: number;
  title: string;
}

interface Failed {
  error: { code: string; message: string; nextAction: string };
}

const deckOf = async (...args: string[]) => computer.deck([...args, '--json']);

async function push(folder: string, ...options: string[]): Promise<Pushed> {
  const ended = await deckOf('push', folder, ...options);
  if (ended.code !== 0) throw new Error(ended.stdout);
  return ended.json<Pushed>();
}

/** A deck of the user, and a folder from somebody else that names it. */
async function aTemplateFor(title: string): Promise<{ own: string; template: string; deck: Pushed }> {
  const own = await testbed.aFolder({ 'index.html': `<title>${title}</title>` });
  const deck = await push(own);
  const deckFile = JSON.parse(await readFile(join(own, '.deck.json'), 'utf8')) as object;
  const template = await testbed.aFolder({
    'index.html': '<title>Template</title><h1>Changed</h1>',
    '.deck.json': JSON.stringify({ ...deckFile, title: 'Template' }),
  });
  return { own, template, deck };
}

const versionOf = async (id: string) => (await deckOf('info', id)).json<{ version: number }>().version;

test('no command changes the deck of a folder from which this computer did not push, until its id is named', async () => {
  const { own, template, deck } = await aTemplateFor('Budget');
  for (const command of [
    ['push', template],
    ['delete', template, '--yes'],
    ['links', 'revoke', '--all', '--yes', '--deck', template],
    ['links', 'add', 'Eve', '--deck', template],
    ['expire', '1h', '--deck', template],
    ['email', testbed.anEmail(), '--deck', template],
    ['collaborators', 'invite', testbed.anEmail(), '--deck', template],
    ['publish', template, '--description', 'x'],
  ]) {
    const ended = await deckOf(...command);
    expect({ command, code: ended.code }).toEqual({ command, code: 1 });
    const { error } = ended.json<Failed>();
    expect(error).toMatchObject({ code: 'unknown-folder', message: expect.stringContaining('your deck "Budget"') });
    expect(error.nextAction).toContain(deck.presentationId);
  }
  expect((await fetch(deck.shareUrl)).status).toBe(200);
  expect(await versionOf(deck.presentationId)).toBe(1);
  // A dry run changes nothing. The folder of the first push is known, and so is the other one once it was named.
  expect(await push(template, '--dry-run')).toMatchObject({ version: 2 });
  expect(await push(template, '--deck', deck.presentationId)).toMatchObject({ version: 2, title: 'Budget' });
  await fill(template, { 'index.html': 'again' });
  expect(await push(template)).toMatchObject({ version: 3 });
  expect(await push(own, '--force')).toMatchObject({ version: 4 });
});

test('a listing that another folder names is changed only by its slug, and a pull does not make the folder known', async () => {
  const publisher = await testbed.aPublisher();
  const run = (...args: string[]) => publisher.deck([...args, '--json']);
  const own = await testbed.aFolder({ 'index.html': '<title>Shown</title>' });
  const { presentationId } = (await run('push', own)).json<Pushed>();
  const { slug } = (await run('publish', own, '--description', 'x')).json<{ slug: string }>();
  const stored = JSON.parse(await readFile(join(own, '.deck.json'), 'utf8')) as object;
  const named = async (deck: object) =>
    testbed.aFolder({ 'index.html': 'changed', '.deck.json': JSON.stringify({ ...stored, ...deck }) });
  // The listing of the user beside the deck of somebody else: the service does not know the deck.
  const mixed = await named({ presentationId: '018f0000-0000-7000-8000-000000000000' });
  for (const command of [
    ['unpublish', mixed],
    ['publish', mixed, '--version', '1', '--title', 'Changed'],
  ]) {
    const { error } = (await run(...command)).json<Failed>();
    expect(error).toMatchObject({ code: 'unknown-folder', message: expect.stringContaining(`the listing ${slug},`) });
  }
  const { error } = (await run('unpublish', mixed)).json<Failed>();
  expect(error.nextAction).toContain(`unpublish ${slug}`);
  const template = await named({});
  expect((await run('pull', template, '--mine')).code).toBe(0);
  expect((await run('push', template)).json<Failed>().error.code).toBe('unknown-folder');
  expect((await run('info', presentationId)).json()).toMatchObject({ version: 1 });
  expect((await run('unpublish', own)).json()).toMatchObject({ status: 'unlisted', slug });
});

test('in a terminal a push names the deck and asks', async () => {
  const { template, deck } = await aTemplateFor('Roadmap');
  const refused = computer.inTerminal(['push', template]);
  await refused.shows('names your deck "Roadmap" (version 1, 0 views)');
  await refused.shows('Change this deck? [y/N]');
  refused.type('\r');
  await refused.shows('Nothing was changed.');
  expect(await refused.exitCode()).toBe(1);
  expect(await versionOf(deck.presentationId)).toBe(1);
  const agreed = computer.inTerminal(['push', template]);
  await agreed.shows('[y/N]');
  agreed.type('y\r');
  await agreed.shows('Roadmap');
  expect(await agreed.exitCode()).toBe(0);
  expect(await versionOf(deck.presentationId)).toBe(2);
});

test('a folder into which the deck was downloaded is known', async () => {
  const { deck } = await aTemplateFor('Pulled');
  const pulled = join(testbed.folder, 'pulled');
  expect((await deckOf('pull', deck.presentationId, pulled)).code).toBe(0);
  await fill(pulled, { 'index.html': 'changed' });
  expect(await push(pulled)).toMatchObject({ version: 2, title: 'Pulled' });
  await rm(join(computer.configFolder, 'deck', 'folders.json'));
  expect((await deckOf('push', pulled)).json<Failed>().error.code).toBe('unknown-folder');
});

test('an id names the deck with this id, also beside a folder of this name', async () => {
  const { template, deck } = await aTemplateFor('First');
  const other = await aTemplateFor('Second');
  const deckFile = await readFile(join(other.own, '.deck.json'), 'utf8');
  // The commands run in the folder of the testbed.
  await fill(join(testbed.folder, deck.presentationId), { '.deck.json': deckFile });
  const info = async (name: string) => (await deckOf('info', name)).json<{ title: string }>().title;
  expect(await info(deck.presentationId)).toBe('First');
  expect(await info(`./${deck.presentationId}`)).toBe('Second');
  expect(await info(template)).toBe('First');
});
