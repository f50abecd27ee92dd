import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filesOf, PAGE, PulledFolders } from './pulled-folders';
import { fill, withTestbed } from './testbed';

let folders: PulledFolders;
withTestbed((made) => (folders = new PulledFolders(made)));

const run = (...args: string[]) => folders.computer.deck([...args, '--json']);
const refused = (...args: string[]) => folders.computer.refused(...args);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const SAME = 'the same bytes';
const THERE = { 'name.txt': SAME, 'copy.txt': SAME, 'new.txt': 'new', 'again.txt': 'new' };

/** A file of the user outside of the folder. */
const aVictim = async () => join(await folders.testbed.aFolder({ victim: 'precious' }), 'victim');

/** A folder with the state of an unfinished download of a deck. */
const anUnfinished = (source: string) =>
  folders.testbed.aFolder({
    '.deck-download/unfinished.json': JSON.stringify({ source, baseUrl: folders.testbed.proxy.baseUrl, version: 2 }),
  });

describe('a folder of another person', () => {
  test.each<[string, (path: string, victim: string) => Promise<unknown>]>([
    ['a symbolic link', (path, victim) => symlink(victim, path)],
    ['a hard link', (path, victim) => link(victim, path)],
    ['a symbolic link to nothing', (path, victim) => symlink(`${victim}-2`, path)],
    ['a folder', (path) => fill(path, { 'x.txt': 'x' })],
    ['a pipe', (path) => Promise.resolve(execFileSync('mkfifo', [path]))],
    ['a file', (path) => writeFile(path, 'foreign')],
  ])('with %s in the place of a partial file: neither pull writes through it', async (_what, place) => {
    const { folder, id } = await folders.behind({ 'old.txt': SAME }, THERE);
    const empty = await anUnfinished(id);
    const victim = await aVictim();
    for (const target of [folder, empty]) {
      await mkdir(join(target, '.deck-download'), { recursive: true });
      for (const hash of [sha256(SAME), sha256('new')])
        for (const name of [hash, `${hash}.copy`]) await place(join(target, '.deck-download', name), victim);
    }
    // A foreign partial file that cannot be continued is found out, and the next pull begins it again.
    for (const args of [[folder], [id, empty]])
      for (let attempt = 0; (await run('pull', ...args)).code !== 0; attempt++) expect(attempt).toBeLessThan(3);
    expect(await readFile(victim, 'utf8')).toBe('precious');
    expect(await readdir(join(victim, '..'))).toEqual(['victim']);
    for (const target of [folder, empty]) expect(await filesOf(target)).toEqual({ ...PAGE, ...THERE });
  });

  test('whose folder for partial files is a link, or a folder of a file, is refused by every command that writes there', async () => {
    const { folder, id } = await folders.behind({}, { 'a/b/c.txt': 'x' });
    const empty = folders.aName();
    const linked = await anUnfinished(id);
    const outside = join(await aVictim(), '..');
    await mkdir(empty);
    for (const target of [folder, empty]) await symlink(outside, join(target, '.deck-download'));
    await symlink(outside, join(linked, 'a'));
    for (const args of [[folder], [id, empty], [id, linked]])
      expect(await refused('pull', ...args)).toMatchObject({ code: 'bad-link' });
    expect(await readdir(outside)).toEqual(['victim']);
  });

  test('with a damaged state of a pull is refused, and with a pipe in the place of a file no command waits', async () => {
    const { folder } = await folders.behind({}, THERE);
    const { from, ...noBase } = { presentationId: 'x', baseUrl: 'x', from: '../1', to: 2 };
    for (const state of [{ ...noBase, from }, noBase, []]) {
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
    const folder = await folders.ofStranger(deck);
    for (const command of ['push', 'pull', 'open']) {
      const { code, stdout, stderr } = await folders.computer.deck([command, folder]);
      expect([command, code]).toEqual([command, 1]);
      expect(stdout + stderr).toContain('is damaged');
      expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    }
  });

  test('with control characters in the title of its deck shows none', async () => {
    const { folder } = await folders.behind({ 'a.txt': 'one' }, { 'a.txt': 'two' });
    const path = join(folder, '.deck.json');
    const file = JSON.parse(await readFile(path, 'utf8')) as object;
    await writeFile(path, JSON.stringify({ ...file, title: 'T\u001b]0;x\u0007\u202e', entryPath: 'e\u001b[2J' }));
    await fill(folder, { 'index.html': '<title>a\u202eb</title>' });
    for (const args of [
      ['push', folder, '--force'],
      ['pull', folder],
      ['info', folder],
      ['diff', '--deck', folder],
    ]) {
      const { stdout, stderr } = await folders.computer.deck(args);
      expect(stdout + stderr).not.toBe('');
      expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u);
    }
  });

  test('that names a deck of the user is pushed, when its id is named, with the title of that deck and what the push removed', async () => {
    const { id } = await folders.behind({ 'a.txt': 'one' }, { 'a.txt': 'two', 'b.txt': 'two' });
    const deckFile = { presentationId: id, baseUrl: folders.testbed.proxy.baseUrl, version: 2 };
    const folder = await folders.ofStranger(deckFile, { 'index.html': 'x' });
    const { stdout } = await folders.computer.deck(['push', folder, '--deck', id]);
    expect(stdout).toContain('Pushed version 3 of Talk');
    expect(stdout).toContain('Removed 2 files of the version before, and changed 1');
  });

  test('at an address where the user has no key is shown no command with that address', async () => {
    const folder = await folders.ofStranger({ presentationId: 'x', baseUrl: 'https://evil.example.com' });
    const ended = await folders.computer.deck(['push', folder, '--json'], { DECK_BASE_URL: undefined });
    const { error } = ended.json<{ error: { nextAction: string } }>();
    const message = expect.stringContaining('only the .deck.json of this folder names') as string;
    expect(error).toMatchObject({ code: 'not-signed-in', message });
    expect(error.nextAction).not.toMatch(/evil|`/);
  });
});
