import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, link, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_BASE_URL } from '../../cli/src/base-url';
import { newProfileName } from '../../cli/src/profiles';
import { proveImports } from './imports';
import { proveInspection } from './inspection';
import { aNewFolder, behind, filesOf, ofStranger, PAGE } from './pulled-folders';
import * as bed from './testbed';
import { aDeck, computer, deckFileOf, done, fill, push, refused, testbed, withTestbed, words } from './testbed';

/** What a folder may make the client do: which deck it names, which files it holds, and which key is sent where. */

withTestbed();

interface Failed {
  exitCode: number;
  error: Record<'code' | 'message' | 'nextAction', string>;
}

/** Runs a command where the environment names no service. */
const bare = async <T = Failed>(by: bed.Computer, args: string[], env: NodeJS.ProcessEnv = {}) =>
  (await by.deck([...args, '--json'], { DECK_BASE_URL: undefined, ...env })).json<T>();

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const SAME = 'the same bytes';
const THERE = { 'name.txt': SAME, 'copy.txt': SAME, 'new.txt': 'new', 'again.txt': 'new' };

/** A file of the user outside of the folder. */
const aVictim = async () => join(await testbed.aFolder({ victim: 'precious' }), 'victim');

/** A folder with the state of an unfinished download of a deck. */
function anUnfinished(source: string) {
  const state = JSON.stringify({ source, baseUrl: testbed.proxy.baseUrl, version: 2 });
  return testbed.aFolder({ '.deck-download/unfinished.json': state });
}

describe('a folder of another person', () => {
  let deck: Awaited<ReturnType<typeof behind>> | undefined;
  test.each<[string, (path: string, victim: string) => Promise<unknown>]>([
    ['a symbolic link', (path, victim) => symlink(victim, path)],
    ['a hard link', (path, victim) => link(victim, path)],
    ['a symbolic link to nothing', (path, victim) => symlink(`${victim}-2`, path)],
    ['a folder', (path) => fill(path, { 'x.txt': 'x' })],
    ['a pipe', (path) => Promise.resolve(execFileSync('mkfifo', [path]))],
    ['a file', (path) => writeFile(path, 'foreign')],
  ])('with %s in the place of a partial file: neither pull writes through it', async (_what, place) => {
    const { folder: origin, id } = (deck ??= await behind({ 'old.txt': SAME }, THERE));
    const [folder, empty] = [aNewFolder(), await anUnfinished(id)];
    await cp(origin, folder, { recursive: true });
    const victim = await aVictim();
    for (const target of [folder, empty]) {
      await mkdir(join(target, '.deck-download'), { recursive: true });
      for (const hash of [sha256(SAME), sha256('new')])
        for (const name of [hash, `${hash}.copy`]) await place(join(target, '.deck-download', name), victim);
    }
    // A foreign partial file that cannot be continued is found out, and the next pull begins it again.
    for (const args of [[folder], [id, empty]])
      for (let attempt = 0; (await computer.deck(['pull', ...args, '--json'])).code !== 0; attempt++)
        expect(attempt).toBeLessThan(3);
    expect(await filesOf(join(victim, '..'))).toEqual({ victim: 'precious' });
    for (const target of [folder, empty]) expect(await filesOf(target)).toEqual({ ...PAGE, ...THERE });
  });

  test('whose folder for partial files is a link, or a folder of a file, is refused by every command that writes there', async () => {
    const { folder, id } = await behind({}, { 'a/b/c.txt': 'x' });
    const [empty, linked, outside] = [aNewFolder(), await anUnfinished(id), join(await aVictim(), '..')];
    await mkdir(empty);
    for (const target of [folder, empty]) await symlink(outside, join(target, '.deck-download'));
    await symlink(outside, join(linked, 'a'));
    for (const args of [[folder], [id, empty], [id, linked]])
      expect(await refused('pull', ...args)).toMatchObject({ code: 'bad-link' });
    expect(await readdir(outside)).toEqual(['victim']);
  });

  test('with a damaged state of a pull is refused, and with a pipe in the place of a file no command waits', async () => {
    const { folder } = await behind({}, THERE);
    const noBase = { presentationId: 'x', baseUrl: 'x', to: 2 };
    for (const state of [{ ...noBase, from: '../1' }, noBase, []]) {
      await fill(folder, { '.deck-download/pull.json': JSON.stringify(state) });
      expect(await refused('pull', folder)).toMatchObject({ code: 'damaged-file' });
    }
    for (const name of ['.deck-download/pull.json', '.deckignore', '.deck.json']) {
      await rm(join(folder, name), { force: true });
      execFileSync('mkfifo', [join(folder, name)]);
      for (const command of ['pull', 'push']) expect((await refused(command, folder)).message).toContain('is');
      await rm(join(folder, name));
    }
  });

  test.each([
    { presentationId: 'x\u001b[2J', baseUrl: 'https://decks.example.com' },
    { presentationId: '../x', baseUrl: 'https://decks.example.com' },
    { presentationId: 'x', baseUrl: 'https://\u001b]0;x' },
    { presentationId: 'x', baseUrl: 'file:///etc' },
    { presentationId: 'x', baseUrl: '--eval' },
  ])('with the deck %j is refused without its text', async (deck) => {
    const folder = await ofStranger(deck);
    for (const command of ['push', 'pull', 'open']) {
      const { code, stdout, stderr } = await computer.deck([command, folder]);
      expect([command, code, stdout + stderr]).toEqual([command, 1, words('is damaged')]);
      expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    }
  });

  test('with control characters in the title of its deck shows none', async () => {
    const { folder } = await behind({ 'a.txt': 'one' }, { 'a.txt': 'two' });
    const hostile = { title: 'T\u001b]0;x\u0007\u202e', entryPath: 'e\u001b[2J' };
    const deckFile = JSON.stringify({ ...(await deckFileOf(folder)), ...hostile });
    await fill(folder, { 'index.html': '<title>a\u202eb</title>', '.deck.json': deckFile });
    for (const args of [
      ['push', folder, '--force'],
      ['pull', folder],
      ['info', folder],
      ['diff', '--deck', folder],
    ]) {
      const { stdout, stderr } = await computer.deck(args);
      expect((stdout + stderr).replaceAll('\n', '')).toMatch(/^(?!.*(\p{Cc}|\u202e)).+$/u);
    }
  });

  test('at an address where the user has no key is shown no command with that address', async () => {
    const folder = await ofStranger({ presentationId: 'x', baseUrl: 'https://evil.example.com' });
    const { error } = await bare(computer, ['push', folder]);
    const message = words('only the .deck.json of this folder names');
    expect(error).toMatchObject({ code: 'not-signed-in', message });
    expect(error.nextAction).not.toMatch(/evil|`/);
  });
});

describe('a folder from which this computer did not push', () => {
  /** A deck of the user, and a folder from somebody else that names it. */
  async function aTemplateFor(title: string) {
    const deck = await aDeck({ 'index.html': `<title>${title}</title>`, 'gone.txt': 'x' });
    const files = { 'index.html': '<title>Template</title><h1>Changed</h1>' };
    const template = await ofStranger({ ...(await deckFileOf(deck.folder)), title: 'Template' }, files);
    return { ...deck, template };
  }
  const versionOf = async (id: string) => (await done<{ version: number }>('info', id)).version;

  test('changes no deck by any command, until the id of the deck is named', async () => {
    const { folder: own, template, presentationId: id, shareUrl } = await aTemplateFor('Budget');
    const ofOther = { code: 'unknown-folder', exit: 1, message: words('your deck "Budget"'), nextAction: words(id) };
    for (const command of [
      ['push', template],
      ['delete', template, '--yes'],
      ['links', 'revoke', '--all', '--yes', '--deck', template],
      ['links', 'add', 'Eve', '--deck', template],
      ['expire', '1h', '--deck', template],
      ['email', testbed.anEmail(), '--deck', template],
      ['collaborators', 'invite', testbed.anEmail(), '--deck', template],
      ['publish', template, '--description', 'x'],
    ])
      expect({ command, error: await refused(...command) }).toMatchObject({ command, error: ofOther });
    expect([(await fetch(shareUrl)).status, await versionOf(id)]).toEqual([200, 1]);
    // A dry run changes nothing. The folder of the first push is known, and so is the other one once it was named.
    expect(await push(template, '--dry-run')).toMatchObject({ version: 2 });
    const { stdout } = await computer.deck(['push', template, '--deck', id]);
    for (const told of ['Pushed version 2 of Budget', 'Removed 1 file of the previous version, and changed 1'])
      expect(stdout).toContain(told);
    await fill(template, { 'index.html': 'again' });
    expect(await push(template)).toMatchObject({ version: 3 });
    expect(await push(own, '--force')).toMatchObject({ version: 4 });
  });

  test('changes no listing but by its slug, and a pull does not make the folder known', async () => {
    const publisher = await testbed.aPublisher();
    const { folder: own, presentationId } = await aDeck({ 'index.html': '<title>Shown</title>' }, publisher);
    const { slug } = await publisher.done<{ slug: string }>('publish', own, '--description', 'x');
    const stored = await deckFileOf(own);
    // The listing of the user beside the deck of somebody else: the service does not know the deck.
    const mixed = await ofStranger({ ...stored, presentationId: '018f0000-0000-7000-8000-000000000000' });
    const unknown = { code: 'unknown-folder', message: words(`the listing ${slug},`) };
    const changed = await publisher.refused('publish', mixed, '--version', '1', '--title', 'Changed');
    expect(changed).toMatchObject(unknown);
    const nextAction = words(`unpublish --slug ${slug}`);
    expect(await publisher.refused('unpublish', mixed)).toMatchObject({ ...unknown, nextAction });
    const template = await ofStranger(stored, { 'index.html': 'changed' });
    await publisher.done('pull', template, '--mine');
    expect((await publisher.refused('push', template)).code).toBe('unknown-folder');
    expect(await publisher.done('info', presentationId)).toMatchObject({ version: 1 });
    expect(await publisher.done('unpublish', own)).toMatchObject({ status: 'unlisted', slug });
  });

  bed.inTerminal('makes a push in a terminal name the deck and ask', async () => {
    const { template, presentationId } = await aTemplateFor('Roadmap');
    for (const [answer, text, exitCode, version] of [
      ['', 'Nothing was changed.', 1, 1],
      ['y', 'Roadmap', 0, 2],
    ] as const) {
      const screen = computer.inTerminal(['push', template]);
      await screen.shows('names your deck "Roadmap" (version 1, 0 views)');
      await screen.answer('Change this deck? [y/N]', answer);
      await screen.shows(text);
      expect([await screen.exitCode(), await versionOf(presentationId)]).toEqual([exitCode, version]);
    }
  });

  test('is not what an id names, also when its name is the id', async () => {
    const { template, presentationId: id } = await aTemplateFor('First');
    const other = await aTemplateFor('Second');
    // The commands run in the folder of the testbed.
    await fill(join(testbed.folder, id), { '.deck.json': await readFile(join(other.folder, '.deck.json'), 'utf8') });
    for (const [name, title] of [
      [id, 'First'],
      [`./${id}`, 'Second'],
      [template, 'First'],
    ] as const)
      expect(await done('info', name)).toMatchObject({ title });
  });
});

/** A computer with two accounts: `ada` at the proxy, which is the current profile, and `bob` past the proxy. */
async function twoAccounts(): Promise<{ by: bed.Computer; ada: string; bob: string }> {
  const by = testbed.aComputer();
  const [ada, bob] = [testbed.anEmail(), testbed.anEmail()];
  await testbed.signUp(by, ada, '--profile', 'ada');
  await testbed.signUp(by, bob, '--profile', 'bob', '--base-url', testbed.baseUrl);
  return { by, ada, bob };
}

describe('profiles', () => {
  test('hold several accounts side by side; the first is the current one until another is chosen', async () => {
    const { by, ada, bob } = await twoAccounts();
    const [atAda, atBob] = [testbed.proxy.baseUrl, testbed.baseUrl];
    expect(await bare(by, ['whoami'])).toMatchObject({ profile: 'ada', email: ada, baseUrl: atAda });
    const profiles = [
      { email: ada, current: true },
      { email: bob, current: false, baseUrl: atBob },
    ];
    expect(await bare(by, ['profiles'])).toMatchObject({ profiles });
    await bare(by, ['profiles', 'use', 'bob']);
    expect(await bare(by, ['whoami'])).toMatchObject({ profile: 'bob', email: bob, baseUrl: atBob });
    const { stdout } = await by.deck(['profiles'], { DECK_BASE_URL: undefined });
    for (const line of [`* bob  ${bob}  ${atBob}\n`, `  ada  ${ada}  ${atAda}\n`]) expect(stdout).toContain(line);
  });

  test('are chosen by --base-url, --profile, DECK_BASE_URL, DECK_PROFILE and the folder, in this order', async () => {
    const { by } = await twoAccounts();
    const [atAda, atBob] = [testbed.proxy.baseUrl, testbed.baseUrl];
    const byAda = { DECK_BASE_URL: atAda, DECK_PROFILE: 'ada' };
    for (const [env, ...args] of [
      [byAda, '--base-url', atBob],
      [byAda, '--profile', 'bob'],
      [{ DECK_BASE_URL: atBob, DECK_PROFILE: 'ada' }],
      [{ DECK_PROFILE: 'bob' }],
    ] as const)
      expect(await bare(by, ['whoami', ...args], env)).toMatchObject({ profile: 'bob' });
    const folder = await testbed.aFolder(PAGE);
    await bare(by, ['push', folder, '--profile', 'bob']);
    // The folder names the service of bob, and the current profile is ada.
    expect(await bare(by, ['push', folder])).toMatchObject({ status: 'unchanged' });
    const other = (hint: string) => ({ error: { code: 'other-service', nextAction: words(hint) } });
    const rightOne = `deck push ${folder} --base-url ${atBob}`;
    expect(await bare(by, ['push', folder], { DECK_PROFILE: 'ada' })).toMatchObject(other(rightOne));
    const byOption = await bare(by, ['push', folder, '--profile', 'ada']);
    expect(byOption).toMatchObject(other(`${rightOne} --profile bob`));
  });

  test('that do not exist, or are at another address than --base-url, are usage errors', async () => {
    const { by } = await twoAccounts();
    for (const [command, error] of [
      ['whoami --profile eve', { nextAction: 'Profiles: ada, bob' }],
      [`whoami --profile bob --base-url ${testbed.proxy.baseUrl}`, {}],
      ['login --profile ../up --email a@b.c', { message: '"../up" is not a valid name for a profile.' }],
    ] as const)
      expect(await bare(by, command.split(' '))).toMatchObject({ exitCode: 2, error: { code: 'usage', ...error } });
  });

  test('end one by one: logout keeps the name and the address, remove deletes the profile', async () => {
    const { by, bob } = await twoAccounts();
    const DECK_API_KEY = await by.key();
    for (const isDone of [true, false])
      expect(await bare(by, ['logout'])).toMatchObject({ forgotten: isDone, revoked: isDone, profile: 'ada' });
    expect(await bare(by, ['whoami'])).toMatchObject({ exitCode: 3 });
    const revoked = await bare(by, ['whoami', '--base-url', testbed.proxy.baseUrl], { DECK_API_KEY });
    const wrongKey = { code: 'unauthenticated', nextAction: 'Check DECK_API_KEY, or unset it.' };
    expect(revoked.error).toMatchObject(wrongKey);
    expect(await bare(by, ['whoami', '--profile', 'bob'])).toMatchObject({ email: bob });
    expect(await bare(by, ['profiles', 'remove', 'bob'])).toMatchObject({ revoked: true });
    expect(await bare(by, ['profiles'])).toMatchObject({ profiles: [{ name: 'ada', current: true }] });
  });

  test('get their name from the host of a new service', async () => {
    const profile = new URL(testbed.proxy.baseUrl).host.replace(':', '-');
    expect(await bare(computer, ['whoami'])).toMatchObject({ profile });
    const names = [newProfileName(DEFAULT_BASE_URL, []), newProfileName('https://decks.example/b', ['decks.example'])];
    expect(names).toEqual(['local', 'decks.example-2']);
  });
});

describe('DECK_API_KEY', () => {
  test('is used where the folder names the current service, but not in place of the profile that --profile names', async () => {
    const { by, ada, bob } = await twoAccounts();
    const other = await testbed.aSignedInComputer();
    const folder = await testbed.aFolder(PAGE);
    const env = { DECK_API_KEY: await other.key() };
    const { presentationId } = await bare<bed.Pushed>(by, ['push', folder], env);
    // Each command says which of the two keys it uses.
    const warning = { code: 'key-of-environment', message: words(`not that of the profile ada (${ada})`) };
    expect(await bare(by, ['push', folder], env)).toMatchObject({ status: 'unchanged', warnings: [warning] });
    expect(await bare(by, ['whoami'], { DECK_API_KEY: await by.key() })).not.toHaveProperty('warnings');
    expect(await other.done('list')).toMatchObject({ decks: [{ id: presentationId }] });
    // The key of the profile belongs to another account.
    expect(await bare(by, ['push', folder])).toMatchObject({ exitCode: 3 });
    expect(await bare(by, ['whoami', '--profile', 'bob'], env)).toMatchObject({ email: bob });
  });

  test('is refused at another address of the folder, also where a key is stored, and tells what to do', async () => {
    const { by: signedIn } = await twoAccounts();
    testbed.proxy.reset();
    for (const [by, baseUrl] of [
      [signedIn, testbed.baseUrl],
      [signedIn, 'https://stranger.example'],
      [testbed.aComputer(), testbed.proxy.baseUrl],
    ] as const) {
      const folder = await ofStranger({ presentationId: 'x', baseUrl });
      const message = words(`DECK_API_KEY is not sent to ${baseUrl}`);
      const error = { code: 'not-signed-in', message, nextAction: words(`--base-url ${baseUrl}`) };
      expect(await bare(by, ['push', folder], { DECK_API_KEY: 'cko_secret' })).toMatchObject({ exitCode: 3, error });
    }
    expect(testbed.proxy.calls).toEqual({});
  });
});

// Over the same service.
proveImports();
proveInspection();
