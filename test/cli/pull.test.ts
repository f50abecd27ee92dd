import { chmod, cp, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fate } from './fault-proxy';
import {
  become,
  contentOf,
  filesOf,
  PAGE,
  PulledFolders,
  versionOf,
  type Content,
  type Pulled,
  type Row,
} from './pulled-folders';
import { fill, withTestbed } from './testbed';

let folders: PulledFolders;
withTestbed((made) => (folders = new PulledFolders(made)));

const done = <T = Pulled>(...args: string[]) => folders.computer.done<T>(...args);
const refused = (...args: string[]) => folders.computer.refused(...args);

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
const contents = (state: 'base' | 'here' | 'there' | 'mine' | 'theirs'): Content =>
  Object.fromEntries(
    rows.filter((row) => row[state] !== '-').map((row) => [row.path, `content ${row[state]} of ${row.path}`]),
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
    ({ folder } = await folders.behind(contents('base'), contents('there')));
    await become(folder, { ...PAGE, ...contents('here') });
  });

  test.each([[[]], [['--dry-run']]])('writes nothing when files changed on both sides %j', async (options) => {
    const before = await contentOf(folder);
    const error = await refused('pull', folder, ...options);
    expect(error).toMatchObject({ code: 'pull-conflict', exit: 1 });
    expect(error.nextAction).toMatch(/--theirs.*--mine|--mine.*--theirs/);
    expect(actionsOf(error.details['files'] as Row[])).toEqual(expectedActions((action) => action));
    expect(await contentOf(folder)).toEqual(before);
  });

  test.each([
    ['mine', 'keep'],
    ['theirs', 'take'],
  ] as const)('with --%s decides each file as the table says, and can be pushed', async (side, action) => {
    const copy = folders.aName();
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

  test('is what a push names after a conflict, and takes and keeps without a question', async () => {
    const { folder: mine } = await folders.behind({}, { 'new.txt': 'new' });
    await fill(mine, { 'mine.txt': 'mine' });
    const shown = await folders.computer.deck(['push', mine]);
    expect(shown.stderr).toContain(`deck pull ${mine}`);
    expect(shown.stderr).toContain('--force');
    const pulled = await folders.computer.deck(['pull', mine]);
    expect(pulled.stdout).toMatch(/take +added there +new\.txt/);
    expect(pulled.stdout).toMatch(/keep +added here +mine\.txt/);
    expect(await done('push', mine)).toMatchObject({ status: 'pushed', version: 3 });
    expect(await done('pull', mine)).toMatchObject({ status: 'up-to-date', version: 3, files: [] });
  });

  test('refuses options that exclude each other, a folder that was not pushed, and an absent version', async () => {
    const id = '01234567-89ab-cdef-0123-456789abcdef';
    for (const args of [[folder, '--mine', '--theirs'], [id, folders.aName(), '--theirs'], [id]])
      expect(await refused('pull', ...args)).toMatchObject({ code: 'usage', exit: 2 });
    expect((await refused('pull', await folders.testbed.aFolder(PAGE))).code).toBe('not-pushed');
    expect(await refused('pull', folder, '--version', '9')).toMatchObject({ code: 'not-found' });
  });

  test('names the command that makes a link for a new folder without one', async () => {
    const { id, folder: pushed } = await folders.behind({}, {});
    await done('links', 'revoke', '--all', '--yes', '--deck', pushed);
    const { warnings } = await done<{ warnings: { message: string }[] }>('pull', id, folders.aName());
    expect(warnings[0]?.message).toMatch(/deck links add <name> --deck \S+$/);
  });
});

describe('a pull of an older version', () => {
  test('changes the folder to it and keeps what changed here; a push says how to keep it until the newest is pulled', async () => {
    const { folder, other } = await folders.behind({ 'a.txt': 'one' }, { 'a.txt': 'two', 'b.txt': 'new' });
    await fill(other, { 'mine.txt': 'mine' });
    const pulled = await done('pull', other, '--version', '1');
    expect(pulled).toMatchObject({ status: 'pulled', from: 2, version: 1 });
    expect(await filesOf(other)).toEqual({ ...PAGE, 'a.txt': 'one', 'mine.txt': 'mine' });
    expect(await versionOf(other)).toBe(1);
    const hint = async () => {
      const { code, nextAction } = await refused('push', other);
      return [code, nextAction];
    };
    const onPurpose = /^You pulled version 1 on purpose\..*--force\. Without them: deck restore 1 --deck /;
    expect(await hint()).toEqual(['conflict', expect.stringMatching(onPurpose)]);
    expect(await done('pull', other)).toMatchObject({ status: 'pulled', from: 1, version: 2 });
    expect(await filesOf(other)).toEqual({ ...PAGE, 'a.txt': 'two', 'b.txt': 'new', 'mine.txt': 'mine' });
    await done('pull', folder);
    await fill(folder, { 'a.txt': 'three' });
    await done('push', folder);
    expect(await hint()).toEqual([
      'conflict',
      expect.stringMatching(/^To bring the newest version into this folder: deck pull /),
    ]);
  });
});

describe('a pull does not touch', () => {
  test('ignored files, also those that the wanted version has', async () => {
    const { folder, other } = await folders.behind({ 'a.txt': 'one' }, { 'a.txt': 'two', 'private/x.txt': 'theirs' });
    await fill(other, { '.deckignore': '!.well-known/', '.well-known/a': 'theirs' });
    await done('push', other);
    const own = { '.deckignore': 'private/', 'private/x.txt': 'mine', '.hidden': 'mine' };
    await fill(folder, own);
    const pulled = await done('pull', folder);
    expect(pulled.leftOut.sort()).toEqual(['.well-known/a', 'private/x.txt']);
    expect(await filesOf(folder)).toEqual({ ...PAGE, 'a.txt': 'two', ...own });
  });

  const base = { 'real/a.txt': 'one', 'img/a.txt': 'one' };
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
      'a folder with a hidden file in the place of a file',
      { ...base, 'new.txt': 'new' },
      (folder) => fill(folder, { 'new.txt/.hidden': 'mine' }),
      'it is a folder that holds new.txt/.hidden',
    ],
    [
      'a folder with own files in the place of a file',
      { ...base, 'new.txt': 'new' },
      (folder) => fill(folder, { 'new.txt/mine.txt': 'mine' }),
      'it is a folder that holds new.txt/mine.txt',
    ],
    [
      'an own file in the place of a folder',
      { ...base, 'mine/new.txt': 'new' },
      (folder) => fill(folder, { mine: 'mine' }),
      'mine is not a folder',
    ],
  ])('%s, and refuses', async (_case, there, prepare, words) => {
    const { folder } = await folders.behind(base, { ...there, 'z.txt': 'z' });
    await prepare(folder);
    const before = await contentOf(folder);
    for (const flags of [['--dry-run'], [], ['--theirs']])
      expect(await refused('pull', folder, ...flags)).toMatchObject({
        code: 'in-the-way',
        message: expect.stringContaining(words),
      });
    expect(await contentOf(folder)).toEqual(before);
  });

  test('a symbolic link to nowhere that a push ignores', async () => {
    const { folder } = await folders.behind(base, { ...base, 'new.txt': 'new', 'z.txt': 'z' });
    await symlink('/nowhere', join(folder, 'new.txt'));
    await writeFile(join(folder, '.deckignore'), '/new.tx[t]\n!/new.txt/');
    expect((await done('pull', folder)).leftOut).toContain('new.txt');
    expect(await filesOf(folder)).toMatchObject({ 'new.txt': '→ /nowhere', 'z.txt': 'z' });
  });

  test('the place of a folder whose files the wanted version deletes, or of empty folders, but uses it', async () => {
    const there = { a: 'a file', 'd/e.txt': 'in a folder', f: 'a file' };
    const { folder } = await folders.behind({ 'a/b/c.txt': 'one', d: 'one' }, there);
    // Empty folders are what an interrupted pull may have left.
    await mkdir(join(folder, 'f', 'g', 'h'), { recursive: true });
    await done('pull', folder);
    expect(await filesOf(folder)).toEqual({ ...PAGE, ...there });
    expect(await done('push', folder)).toMatchObject({ status: 'unchanged', version: 2 });
  });
});

describe('what a pull writes', () => {
  test('is copied if the folder holds the content, downloaded once if not, and keeps the mode of its file', async () => {
    const same = 'the same bytes';
    const there = { 'new/name.txt': same, 'new/copy.txt': same, 'script.js': 'two', 'twice.txt': 'two' };
    const { folder } = await folders.behind({ 'old/name.txt': same, 'script.js': 'one' }, there);
    await chmod(join(folder, 'script.js'), 0o755);
    folders.testbed.proxy.reset();
    await done('pull', folder);
    expect(folders.testbed.proxy.calls).toEqual({ getPresentationVersion: 2, downloadPresentationAsset: 1 });
    expect(await filesOf(folder)).toEqual({ ...PAGE, ...there });
    expect((await stat(join(folder, 'script.js'))).mode & 0o777).toBe(0o755);
    for (const name of ['old', '.deck-download']) expect(await readdir(folder)).not.toContain(name);
  });

  test('is verified: bytes that differ from the deck are not written', async () => {
    const { folder } = await folders.behind({ 'a.txt': 'one' }, { 'a.txt': 'two' });
    const before = await contentOf(folder);
    folders.testbed.proxy.watch = ({ name }, response) => {
      if (name !== 'downloadPresentationAsset') return 'forward';
      response.writeHead(206).end('TWO');
      return 'answered';
    };
    expect((await refused('pull', folder)).code).toBe('hash-mismatch');
    expect(await contentOf(folder)).toEqual(before);
    folders.testbed.proxy.reset();
    expect(await done('pull', folder)).toMatchObject({ status: 'pulled' });
  });

  test('does not replace a file that changed during the pull', async () => {
    const { folder } = await folders.behind({ 'a.txt': 'one', 'b.txt': 'one' }, { 'a.txt': 'two', 'b.txt': 'two' });
    folders.testbed.proxy.watch = async ({ name }): Promise<Fate> => {
      if (name === 'downloadPresentationAsset') await writeFile(join(folder, 'b.txt'), 'changed meanwhile');
      return 'forward';
    };
    expect((await refused('pull', folder)).code).toBe('file-changed');
    expect(await filesOf(folder)).toMatchObject({ 'a.txt': 'one', 'b.txt': 'changed meanwhile' });
    folders.testbed.proxy.reset();
    expect((await refused('pull', folder)).code).toBe('pull-conflict');
    await done('pull', folder, '--mine');
    expect(await filesOf(folder)).toMatchObject({ 'a.txt': 'two', 'b.txt': 'changed meanwhile' });
  });
});

test('a pull that is killed has to be completed before a push, and before another version is pulled', async () => {
  const base = { 'a.txt': 'one', 'b/b.txt': 'one', 'gone/d.txt': 'one' };
  const there = { 'a.txt': 'two', 'b/b.txt': 'two', 'f.txt': 'two' };
  const { folder } = await folders.behind(base, there);
  await folders.killedAt(5, 'pull', folder);
  for (const args of [['push'], ['push', '--force'], ['pull', '--version', '1']])
    expect((await refused(args[0]!, folder, ...args.slice(1))).code).toBe('unfinished-download');
  expect(await done('pull', folder)).toMatchObject({ from: 1, version: 2 });
  expect(await filesOf(folder)).toEqual({ ...PAGE, ...there });
  expect(await readdir(folder)).not.toContain('.deck-download');
});
