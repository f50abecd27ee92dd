import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, link, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fate } from './fault-proxy';
import { fill, Testbed, type Computer, type Ended } from './testbed';

let testbed: Testbed;
let computer: Computer;
beforeAll(async () => {
  testbed = await Testbed.create();
  computer = await testbed.aSignedInComputer();
});
afterAll(() => testbed.close());
beforeEach(() => testbed.proxy.reset());

type Content = Record<string, string>;
interface Row {
  path: string;
  here?: string;
  there?: string;
  action: string;
}
interface Pulled {
  status: string;
  presentationId: string;
  from: number;
  version: number;
  files: Row[];
  leftOut: string[];
}
interface Failed {
  error: { code: string; message: string; nextAction: string; details: { files: Row[]; path: string } };
}

const run = (...args: string[]) => computer.deck([...args, '--json']);
async function done<T = Pulled>(...args: string[]): Promise<T> {
  const ended = await run(...args);
  if (ended.code !== 0) throw new Error(ended.stdout + ended.stderr);
  return ended.json<T>();
}
async function refused(...args: string[]): Promise<Failed['error'] & { exit: number | null }> {
  const ended = await run(...args);
  expect(ended.code).not.toBe(0);
  return { ...ended.json<Failed>().error, exit: ended.code };
}

let names = 0;
const aName = () => join(testbed.folder, `pulled-${++names}`);

/**
 * The files of a folder with their content, and `.deck.json`. Without the partial files of a pull, and without the
 * unfinished `.deck.json` that a killed command leaves behind; a push ignores both.
 */
async function contentOf(folder: string): Promise<Content> {
  const found: Content = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    if (/^\.deck-download\/|^\.deck\.json\..*\.tmp$/.test(name)) continue;
    if (entry.isSymbolicLink()) found[name] = `→ ${await readlink(path)}`;
    else if (entry.isFile()) found[name] = await readFile(path, 'utf8');
  }
  return found;
}
async function filesOf(folder: string): Promise<Content> {
  const { '.deck.json': _, ...files } = await contentOf(folder);
  return files;
}
const versionOf = async (folder: string) =>
  (JSON.parse(await readFile(join(folder, '.deck.json'), 'utf8')) as { version: number }).version;

/** Makes the folder hold exactly these files, besides the hidden ones. */
async function become(folder: string, files: Content): Promise<void> {
  for (const name of await readdir(folder))
    if (!name.startsWith('.')) await rm(join(folder, name), { recursive: true });
  await fill(folder, files);
}

const PAGE = { 'index.html': '<title>Talk</title>' };

/** A folder that is based on version 1, of a deck whose version 2 has the files `there`. */
async function aFolderBehind(base: Content, there: Content): Promise<{ folder: string; id: string; other: string }> {
  const folder = await testbed.aFolder({ ...PAGE, ...base });
  const { presentationId: id } = await done('push', folder);
  const other = aName();
  await done('pull', id, other);
  await become(other, { ...PAGE, ...there });
  await done('push', other);
  return { folder, id, other };
}

/**
 * Every combination of a file's state in the base version (- or 1), here (-, 1 or 2) and there (-, 1, 2 or 3), and its
 * content after `deck pull --mine` and `--theirs`. Where the action is a conflict, a pull without either is refused.
 */
const MATRIX = `
  base here there  action    mine theirs
  -    -    1      take      1    1
  -    1    -      keep      1    1
  -    1    1      same      1    1
  -    1    2      conflict  1    2
  1    -    -      same      -    -
  1    -    1      keep      -    -
  1    -    2      conflict  -    2
  1    1    -      take      -    -
  1    1    1      none      1    1
  1    1    2      take      2    2
  1    2    -      conflict  2    -
  1    2    1      keep      2    2
  1    2    2      same      2    2
  1    2    3      conflict  2    3`;
const rows = MATRIX.trim()
  .split('\n')
  .slice(1)
  .map((line) => line.trim().split(/\s+/) as [string, string, string, string, string, string])
  .map(([base, here, there, action, mine, theirs]) => {
    const path = `folder/${base}${here}${there}.txt`.replaceAll('-', 'x');
    return { path, base, here, there, action, mine, theirs };
  });
const contents = (state: 'base' | 'here' | 'there' | 'mine' | 'theirs', of = rows): Content =>
  Object.fromEntries(
    of.filter((row) => row[state] !== '-').map((row) => [row.path, `content ${row[state]} of ${row.path}`]),
  );
const actionsOf = (files: Row[]) => files.map(({ path, action }) => [path, action]);
const expectedActions = (replace: (action: string) => string) =>
  rows
    .filter(({ action }) => action !== 'none')
    .map(({ path, action }) => [path, replace(action)])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));

describe('deck pull into a pushed folder', () => {
  let folder: string;
  beforeAll(async () => {
    ({ folder } = await aFolderBehind(contents('base'), contents('there')));
    await become(folder, { ...PAGE, ...contents('here') });
  });

  test.each([[], ['--dry-run']])(
    'writes nothing when files changed on both sides, and shows all %s',
    async (...args) => {
      const before = await contentOf(folder);
      const error = await refused('pull', folder, ...args.flat());
      expect(error).toMatchObject({ code: 'pull-conflict', exit: 1 });
      expect(error.nextAction).toContain('--theirs');
      expect(error.nextAction).toContain('--mine');
      expect(actionsOf(error.details.files)).toEqual(expectedActions((action) => action));
      expect(await contentOf(folder)).toEqual(before);
    },
  );

  test.each([
    ['mine', 'keep'],
    ['theirs', 'take'],
  ] as const)('with --%s decides each file as the table says, and can be pushed', async (side, action) => {
    const copy = aName();
    await cp(folder, copy, { recursive: true });
    const decided = expectedActions((each) => (each === 'conflict' ? action : each));
    const before = await contentOf(copy);
    const planned = await done('pull', copy, `--${side}`, '--dry-run');
    expect([planned.status, actionsOf(planned.files)]).toEqual(['planned', decided]);
    expect(await contentOf(copy)).toEqual(before);

    const pulled = await done('pull', copy, `--${side}`);
    expect(pulled).toMatchObject({ status: 'pulled', from: 1, version: 2, leftOut: [] });
    expect(actionsOf(pulled.files)).toEqual(decided);
    expect(await filesOf(copy)).toEqual({ ...PAGE, ...contents(side) });
    expect(await versionOf(copy)).toBe(2);
    expect(await done('push', copy, '--dry-run')).toMatchObject({ version: 3 });
  });

  test('takes and keeps without a question when no file changed on both sides', async () => {
    const calm = rows.filter(({ action }) => action !== 'conflict');
    const { folder: mine } = await aFolderBehind(contents('base', calm), contents('there', calm));
    await become(mine, { ...PAGE, ...contents('here', calm) });
    const before = await contentOf(mine);
    await done('pull', mine, '--dry-run');
    expect(await contentOf(mine)).toEqual(before);
    await done('pull', mine);
    expect(await filesOf(mine)).toEqual({ ...PAGE, ...contents('mine', calm) });
    expect(await done('push', mine)).toMatchObject({ status: 'pushed', version: 3 });
    expect(await done('pull', mine)).toMatchObject({ status: 'up-to-date', version: 3, files: [] });
  });

  test('is what a push names after a conflict', async () => {
    const { folder: mine } = await aFolderBehind({}, { 'new.txt': 'new' });
    await fill(mine, { 'mine.txt': 'mine' });
    const shown = await computer.deck(['push', mine]);
    expect(shown.stderr).toContain(`deck pull ${mine}`);
    expect(shown.stderr).toContain('--force');
    const pulled = await computer.deck(['pull', mine]);
    expect(pulled.stdout).toMatch(/take +added there +new\.txt/);
    expect(pulled.stdout).toMatch(/keep +added here +mine\.txt/);
    expect(await done('push', mine)).toMatchObject({ status: 'pushed', version: 3 });
  });

  test('refuses --mine together with --theirs, and both for a new folder', async () => {
    expect(await refused('pull', folder, '--mine', '--theirs')).toMatchObject({ code: 'usage', exit: 2 });
    const id = '01234567-89ab-cdef-0123-456789abcdef';
    expect(await refused('pull', id, aName(), '--theirs')).toMatchObject({ code: 'usage', exit: 2 });
    expect(await refused('pull', id)).toMatchObject({ code: 'usage', exit: 2 });
  });

  test('says that a folder was not pushed, and that a version does not exist', async () => {
    const unpushed = await testbed.aFolder(PAGE);
    expect((await refused('pull', unpushed)).code).toBe('not-pushed');
    const { folder: mine } = await aFolderBehind({}, {});
    expect(await refused('pull', mine, '--version', '9')).toMatchObject({ code: 'not-found' });
  });
});

describe('a pull of an older version', () => {
  test('changes the folder to it, keeps what changed here, and a push of the result is a conflict', async () => {
    const { folder, other } = await aFolderBehind({ 'a.txt': 'one' }, { 'a.txt': 'two', 'b.txt': 'new' });
    await fill(other, { 'mine.txt': 'mine' });
    const pulled = await run('pull', other, '--version', '1');
    expect(pulled.json<Pulled>()).toMatchObject({ status: 'pulled', from: 2, version: 1 });
    expect(await filesOf(other)).toEqual({ ...PAGE, 'a.txt': 'one', 'mine.txt': 'mine' });
    expect(await versionOf(other)).toBe(1);
    expect((await refused('push', other)).code).toBe('conflict');
    expect(await done('pull', other)).toMatchObject({ status: 'pulled', from: 1, version: 2 });
    expect(await filesOf(other)).toEqual({ ...PAGE, 'a.txt': 'two', 'b.txt': 'new', 'mine.txt': 'mine' });
    expect(await done('pull', folder)).toMatchObject({ version: 2 });
  });
});

describe('a pull does not touch', () => {
  test('ignored files, also those that the wanted version has', async () => {
    const { folder, other } = await aFolderBehind({ 'a.txt': 'one' }, { 'a.txt': 'two', 'private/x.txt': 'theirs' });
    await fill(other, { '.deckignore': '!.well-known/', '.well-known/a': 'theirs' });
    await done('push', other);
    await fill(folder, { '.deckignore': 'private/', 'private/x.txt': 'mine', '.hidden': 'mine' });
    const pulled = await done('pull', folder);
    expect(pulled.leftOut.sort()).toEqual(['.well-known/a', 'private/x.txt']);
    expect(await filesOf(folder)).toEqual({
      ...PAGE,
      'a.txt': 'two',
      '.deckignore': 'private/',
      'private/x.txt': 'mine',
      '.hidden': 'mine',
    });
  });

  test.each<[string, Content, (folder: string) => Promise<unknown>, string]>([
    [
      'a file behind a symbolic link',
      { 'real/a.txt': 'two', 'img/a.txt': 'two' },
      async (folder) => {
        await rm(join(folder, 'img'), { recursive: true });
        await symlink('real', join(folder, 'img'));
      },
      'symbolic link',
    ],
    [
      'a symbolic link that stands for a file',
      { 'real/a.txt': 'one', 'img/a.txt': 'two' },
      async (folder) => {
        await rm(join(folder, 'img/a.txt'));
        await symlink('../real/a.txt', join(folder, 'img/a.txt'));
      },
      'symbolic link',
    ],
    [
      'a symbolic link to nowhere that a push ignores',
      { 'real/a.txt': 'one', 'img/a.txt': 'one', 'new.txt': 'new' },
      async (folder) => {
        await symlink('/nowhere', join(folder, 'new.txt'));
        await writeFile(join(folder, '.deckignore'), '/new.tx[t]\n!/new.txt/');
      },
      'new.txt',
    ],
    [
      'a folder with a hidden file in the place of a file',
      { 'real/a.txt': 'one', 'img/a.txt': 'one', 'new.txt': 'new' },
      (folder) => fill(folder, { 'new.txt/.hidden': 'mine' }),
      'it is a folder that holds new.txt/.hidden',
    ],
    [
      'a folder with own files in the place of a file',
      { 'real/a.txt': 'one', 'img/a.txt': 'one', 'new.txt': 'new' },
      (folder) => fill(folder, { 'new.txt/mine.txt': 'mine' }),
      'it is a folder that holds new.txt/mine.txt',
    ],
    [
      'an own file in the place of a folder',
      { 'real/a.txt': 'one', 'img/a.txt': 'one', 'mine/new.txt': 'new' },
      (folder) => fill(folder, { mine: 'mine' }),
      'mine is not a folder',
    ],
  ])('%s', async (_case, there, prepare, words) => {
    const { folder } = await aFolderBehind({ 'real/a.txt': 'one', 'img/a.txt': 'one' }, { ...there, 'z.txt': 'z' });
    await prepare(folder);
    const before = await contentOf(folder);
    for (const flags of [['--dry-run'], [], ['--theirs']]) {
      const error = await run('pull', folder, ...flags);
      if (error.code === 0) expect(error.json<Pulled>().leftOut).toContain(words);
      else expect(error.json<Failed>().error).toMatchObject({ code: 'in-the-way' });
      if (error.code !== 0) expect(error.json<Failed>().error.message).toContain(words);
    }
    const { 'z.txt': _, ...after } = await contentOf(folder);
    const { '.deck.json': _before, ...unchanged } = before;
    expect(after).toMatchObject(unchanged);
  });

  test('the place of a folder whose files the wanted version deletes, but uses it', async () => {
    const { folder } = await aFolderBehind({ 'a/b/c.txt': 'one', d: 'one' }, { a: 'a file', 'd/e.txt': 'in a folder' });
    await done('pull', folder);
    expect(await filesOf(folder)).toEqual({ ...PAGE, a: 'a file', 'd/e.txt': 'in a folder' });
    expect(await done('push', folder)).toMatchObject({ status: 'unchanged', version: 2 });
  });
});

test('a pull replaces empty folders, which an interrupted pull may have left', async () => {
  const { folder } = await aFolderBehind({}, { b: 'a file' });
  await mkdir(join(folder, 'b', 'c', 'd'), { recursive: true });
  await done('pull', folder);
  expect(await filesOf(folder)).toEqual({ ...PAGE, b: 'a file' });
});

describe('what a pull writes', () => {
  test('is copied if the folder holds the content, downloaded once if not, and keeps the mode of its file', async () => {
    const same = 'the same bytes';
    const { folder } = await aFolderBehind(
      { 'old/name.txt': same, 'script.js': 'one' },
      { 'new/name.txt': same, 'new/copy.txt': same, 'script.js': 'two', 'twice.txt': 'two' },
    );
    await chmod(join(folder, 'script.js'), 0o755);
    testbed.proxy.reset();
    await done('pull', folder);
    expect(testbed.proxy.calls['downloadPresentationAsset']).toBe(1);
    expect(await filesOf(folder)).toEqual({
      ...PAGE,
      'new/name.txt': same,
      'new/copy.txt': same,
      'script.js': 'two',
      'twice.txt': 'two',
    });
    expect((await stat(join(folder, 'script.js'))).mode & 0o777).toBe(0o755);
    expect(await readdir(folder)).not.toContain('old');
    expect(await readdir(folder)).not.toContain('.deck-download');
  });

  test('is verified: bytes that differ from the deck are not written', async () => {
    const { folder } = await aFolderBehind({ 'a.txt': 'one' }, { 'a.txt': 'two' });
    const before = await contentOf(folder);
    testbed.proxy.watch = ({ name }, response) => {
      if (name !== 'downloadPresentationAsset') return 'forward';
      response.writeHead(206).end('TWO');
      return 'answered';
    };
    expect((await refused('pull', folder)).code).toBe('hash-mismatch');
    expect(await contentOf(folder)).toEqual(before);
    testbed.proxy.reset();
    expect(await done('pull', folder)).toMatchObject({ status: 'pulled' });
  });

  test('does not replace a file that changed during the pull', async () => {
    const { folder } = await aFolderBehind({ 'a.txt': 'one', 'b.txt': 'one' }, { 'a.txt': 'two', 'b.txt': 'two' });
    testbed.proxy.watch = async ({ name }): Promise<Fate> => {
      if (name === 'downloadPresentationAsset') await writeFile(join(folder, 'b.txt'), 'changed meanwhile');
      return 'forward';
    };
    expect((await refused('pull', folder)).code).toBe('file-changed');
    expect(await filesOf(folder)).toMatchObject({ 'a.txt': 'one', 'b.txt': 'changed meanwhile' });
    testbed.proxy.reset();
    expect((await refused('pull', folder)).code).toBe('pull-conflict');
    await done('pull', folder, '--mine');
    expect(await filesOf(folder)).toMatchObject({ 'a.txt': 'two', 'b.txt': 'changed meanwhile' });
  });

  test('of 1 000 files with one change is one download', async () => {
    await testbed.withDatabase(async (database) => {
      const { docs } = await database.collection('organizations').get();
      for (const { ref } of docs) await ref.update({ plan: 'starter' });
    });
    const many = Object.fromEntries(Array.from({ length: 998 }, (_, i) => [`${i % 10}/${i}.txt`, `file ${i}`]));
    const { folder } = await aFolderBehind(many, { ...many, '7/7.txt': 'changed' });
    testbed.proxy.reset();
    expect(await done('pull', folder)).toMatchObject({
      status: 'pulled',
      files: [{ path: '7/7.txt', action: 'take' }],
    });
    expect(testbed.proxy.calls).toEqual({ getPresentationVersion: 2, downloadPresentationAsset: 1 });
  });
});

describe('a folder of another person', () => {
  const SAME = 'the same bytes';
  const sha256 = createHash('sha256').update(SAME).digest('hex');
  const NEW = createHash('sha256').update('new').digest('hex');
  const THERE = { 'name.txt': SAME, 'copy.txt': SAME, 'new.txt': 'new', 'again.txt': 'new' };
  /** A file of the user outside of the folder. */
  const aVictim = async () => join(await testbed.aFolder({ victim: 'precious' }), 'victim');

  test.each<[string, (path: string, victim: string) => Promise<unknown>]>([
    ['a symbolic link', (path, victim) => symlink(victim, path)],
    ['a hard link', (path, victim) => link(victim, path)],
    ['a symbolic link to nothing', (path, victim) => symlink(`${victim}-2`, path)],
    ['a folder', (path) => fill(path, { 'x.txt': 'x' })],
    ['a pipe', (path) => Promise.resolve(execFileSync('mkfifo', [path]))],
    ['a file', (path) => writeFile(path, 'foreign')],
  ])('with %s in the place of a partial file: neither pull writes through it', async (_what, place) => {
    const { folder, id } = await aFolderBehind({ 'old.txt': SAME }, THERE);
    const empty = await testbed.aFolder({
      '.deck-download/unfinished.json': JSON.stringify({ source: id, baseUrl: testbed.proxy.baseUrl, version: 2 }),
    });
    const victim = await aVictim();
    for (const target of [folder, empty]) {
      await mkdir(join(target, '.deck-download'), { recursive: true });
      for (const name of [sha256, `${sha256}.copy`, NEW, `${NEW}.copy`])
        await place(join(target, '.deck-download', name), victim);
    }
    // A foreign partial file that cannot be continued is found out, and the next pull begins it again.
    const pulls = [() => run('pull', folder), () => run('pull', id, empty)];
    for (const pullAgain of pulls)
      for (let attempt = 0; (await pullAgain()).code !== 0; attempt++) expect(attempt).toBeLessThan(3);
    expect(await readFile(victim, 'utf8')).toBe('precious');
    expect(await readdir(join(victim, '..'))).toEqual(['victim']);
    expect(await filesOf(folder)).toEqual({ ...PAGE, ...THERE });
    expect(await filesOf(empty)).toEqual({ ...PAGE, ...THERE });
  });

  test('whose folder for partial files is a link is refused by every command that writes there', async () => {
    const { folder, id } = await aFolderBehind({}, THERE);
    const empty = await testbed.aFolder({});
    const outside = join(await aVictim(), '..');
    await mkdir(empty);
    for (const target of [folder, empty]) await symlink(outside, join(target, '.deck-download'));
    expect(await refused('pull', folder)).toMatchObject({ code: 'bad-link' });
    expect(await refused('pull', id, empty)).toMatchObject({ code: 'bad-link' });
    expect(await readdir(outside)).toEqual(['victim']);
  });

  test('with a link in the place of a folder gets no folder behind it', async () => {
    const { id } = await aFolderBehind({}, { 'a/b/c.txt': 'x' });
    const outside = join(await aVictim(), '..');
    const empty = await testbed.aFolder({
      '.deck-download/unfinished.json': JSON.stringify({ source: id, baseUrl: testbed.proxy.baseUrl, version: 2 }),
    });
    await symlink(outside, join(empty, 'a'));
    expect(await refused('pull', id, empty)).toMatchObject({ code: 'bad-link' });
    expect(await readdir(outside)).toEqual(['victim']);
  });

  test.each<[string, string]>([
    ['pull.json', '{"presentationId":"x","baseUrl":"x","from":"../1","to":2}'],
    ['pull.json', '{"presentationId":"x","baseUrl":"x","from":1}'],
    ['pull.json', '[]'],
  ])('with %s %s is refused as damaged', async (name, content) => {
    const { folder } = await aFolderBehind({}, THERE);
    await fill(folder, { [`.deck-download/${name}`]: content });
    expect(await refused('pull', folder)).toMatchObject({ code: 'damaged-file' });
  });

  test.each(['.deck.json', '.deckignore', '.deck-download/pull.json'])(
    'with a pipe in the place of %s is refused, and no command waits for it',
    async (name) => {
      const { folder } = await aFolderBehind({}, THERE);
      await rm(join(folder, name), { force: true });
      await mkdir(join(folder, '.deck-download'), { recursive: true });
      execFileSync('mkfifo', [join(folder, name)]);
      for (const command of ['pull', 'push']) expect((await refused(command, folder)).message).toContain('is');
    },
  );

  test.each([
    { presentationId: 'x\u001b[2J', baseUrl: 'https://decks.example.com' },
    { presentationId: '../x', baseUrl: 'https://decks.example.com' },
    { presentationId: 'x', baseUrl: 'https://\u001b]0;x' },
    { presentationId: 'x', baseUrl: 'file:///etc' },
    { presentationId: 'x', baseUrl: '--eval' },
  ])('with the deck %j is refused without its text', async (fields) => {
    const folder = await testbed.aFolder({
      ...PAGE,
      '.deck.json': JSON.stringify({ version: 1, entryPath: 'x', ...fields }),
    });
    for (const command of ['push', 'pull', 'info', 'links', 'open']) {
      const ended = await computer.deck([command, folder]);
      expect([command, ended.code]).not.toEqual([command, 0]);
      expect(ended.stdout + ended.stderr).toContain('is damaged');
      expect((ended.stdout + ended.stderr).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    }
  });

  test('with control characters in the title of its deck shows none', async () => {
    const { folder } = await aFolderBehind({ 'a.txt': 'one' }, { 'a.txt': 'two' });
    const path = join(folder, '.deck.json');
    const file = JSON.parse(await readFile(path, 'utf8')) as object;
    await writeFile(path, JSON.stringify({ ...file, title: 'T\u001b]0;x\u0007\u202e', entryPath: 'e\u001b[2J' }));
    await fill(folder, { 'index.html': '<title>a\u202eb</title>' });
    for (const [command = '', ...args] of [['push', '--force'], ['pull'], ['info'], ['diff']]) {
      const ended = await computer.deck([command, ...(command === 'diff' ? ['--deck'] : []), folder, ...args]);
      expect((ended.stdout + ended.stderr).replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u);
    }
  });

  test('that has the id of a deck as its name is not that deck', async () => {
    const { folder, id } = await aFolderBehind({}, {});
    const { id: other } = await aFolderBehind({}, {});
    await cp(folder, join(testbed.folder, other), { recursive: true });
    expect(await done<{ presentationId: string }>('links', other)).toMatchObject({ presentationId: other });
    expect(await done<{ presentationId: string }>('links', `./${other}`)).toMatchObject({ presentationId: id });
  });

  test('that names a deck of the user is pushed, when its id is named, with the title of that deck and what the push removed', async () => {
    const { id } = await aFolderBehind({ 'a.txt': 'one' }, { 'a.txt': 'two', 'b.txt': 'two' });
    const deckFile = { presentationId: id, baseUrl: testbed.proxy.baseUrl, version: 2, entryPath: 'index.html' };
    const folder = await testbed.aFolder({ 'index.html': 'x', '.deck.json': JSON.stringify(deckFile) });
    const { stdout } = await computer.deck(['push', folder, '--deck', id]);
    expect(stdout).toContain('Pushed version 3 of Talk');
    expect(stdout).toContain('Removed 2 files of the version before, and changed 1');
  });

  test('at an address where the user has no key is shown no command with that address', async () => {
    const deckFile = { presentationId: 'x', baseUrl: 'https://evil.example.com', version: 1, entryPath: 'index.html' };
    const folder = await testbed.aFolder({ ...PAGE, '.deck.json': JSON.stringify(deckFile) });
    const ended = await computer.deck(['push', folder, '--json'], { DECK_BASE_URL: undefined });
    const { code, message, nextAction } = ended.json<Failed>().error;
    expect(code).toBe('not-signed-in');
    expect(message).toContain('only the .deck.json of this folder names');
    expect(nextAction).not.toMatch(/evil|`/);
  });
});

test('a push after the pull of an older version says how to keep it, until the newest one is pulled', async () => {
  const { folder, other } = await aFolderBehind({ 'a.txt': 'one' }, { 'a.txt': 'two' });
  const hint = async () => (await refused('push', folder, '--no-thumbnail')).nextAction;
  await writeFile(join(folder, 'mine.txt'), 'x');
  expect(await hint()).toMatch(/^To bring the newest version into this folder: deck pull /);
  await done('pull', folder);
  await done('pull', folder, '--version', '1');
  expect(await hint()).toMatch(/^You pulled version 1 on purpose\..*--force\. Without them: deck restore 1 --deck /);
  await done('pull', folder);
  await writeFile(join(other, 'a.txt'), 'three');
  await done('push', other);
  expect(await hint()).toMatch(/^To bring the newest version into this folder/);
});

test('a folder that was filled without a link names the command that makes one', async () => {
  const folder = await testbed.aFolder(PAGE);
  const { presentationId: id } = await done('push', folder);
  await done('links', 'revoke', '--all', '--yes', '--deck', folder);
  const { warnings } = await done<{ warnings: { message: string }[] }>('pull', id, aName());
  expect(warnings[0]?.message).toMatch(/deck links add <name> --deck \S+$/);
});

describe('a pull that is killed', () => {
  const BASE = { 'a.txt': 'one', 'b/b.txt': 'one', 'c.txt': 'one', 'gone/d.txt': 'one' };
  const THERE = { 'a.txt': 'two', 'b/b.txt': 'two', 'c.txt': 'theirs', 'e/e.txt': 'two', 'f.txt': 'two' };
  const killed = (step: number, ...args: string[]): Promise<Ended> =>
    computer.deck([...args, '--json'], {
      NODE_OPTIONS: `--require ${join(__dirname, 'killed-at.cjs')}`,
      KILLED_AT: String(step),
    });

  test.each([
    ['to the newest version', 1, [], THERE],
    ['back to an older version', 2, ['--version', '1'], BASE],
  ])('%s is never pushed as a mix, and the same command completes it', async (_case, from, version, wanted) => {
    const { folder: behind, other } = await aFolderBehind(BASE, THERE);
    const start = from === 1 ? behind : other;
    await writeFile(join(start, 'c.txt'), 'mine');
    const before = await contentOf(start);
    let step = 0;
    for (let hasEnded = false; !hasEnded;) {
      const folder = aName();
      await cp(start, folder, { recursive: true });
      hasEnded = (await killed(++step, 'pull', folder, '--theirs', ...version)).code === 0;
      const pushed = await run('push', folder, '--dry-run');
      const isUntouched = JSON.stringify(await contentOf(folder)) === JSON.stringify(before);
      const isWhole = hasEnded && from === 1;
      // A folder whose files are those of the old version alone may be pushed, when that is the current version.
      if (isWhole) expect(pushed.json<{ status: string }>().status).toBe('unchanged');
      else if (pushed.code === 0) expect([isUntouched, from]).toEqual([true, 2]);
      else expect(['conflict', 'unfinished-download']).toContain(pushed.json<Failed>().error.code);

      expect((await run('pull', folder, '--theirs', ...version)).code).toBe(0);
      expect(await filesOf(folder)).toEqual({ ...PAGE, ...wanted });
      expect(await versionOf(folder)).toBe(from === 1 ? 2 : 1);
    }
    // The state, three or more files, and .deck.json: the loop has seen each step.
    expect(step).toBeGreaterThan(7);
  });

  test('has to be completed before another version is pulled', async () => {
    const { folder } = await aFolderBehind(BASE, THERE);
    await killed(4, 'pull', folder);
    expect((await refused('push', folder)).code).toBe('unfinished-download');
    expect((await refused('push', folder, '--force')).code).toBe('unfinished-download');
    expect((await refused('pull', folder, '--version', '1')).code).toBe('unfinished-download');
    expect(await done('pull', folder)).toMatchObject({ from: 1, version: 2 });
    expect(await mkdir(join(folder, '.deck-download'))).toBeUndefined();
  });
});
