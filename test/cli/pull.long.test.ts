import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { provePulledFiles } from './pull';
import { aNewFolder, behind, filesOf, killedAt, PAGE, pull } from './pulled-folders';
import { aDeck, computer, fill, push, refused, testbed, withTestbed, words } from './testbed';

/** `deck pull` after an interruption, of an older version, and where something else has the place of a file. */

withTestbed();

const MB = 1024 * 1024;

describe('deck pull into a pushed folder', () => {
  test('of an older version keeps what changed here; a push says how to keep it until the newest is pulled', async () => {
    const { folder, other } = await behind({ 'a.txt': 'one' }, { 'a.txt': 'two', 'b.txt': 'new' });
    await fill(other, { 'mine.txt': 'mine' });
    expect(await pull(other, '--version', '1')).toMatchObject({ status: 'pulled', from: 2, version: 1 });
    expect(await filesOf(other)).toEqual({ ...PAGE, 'a.txt': 'one', 'mine.txt': 'mine' });
    const conflict = await refused('push', other);
    const onPurpose = /^You pulled version 1 on purpose\..*--force\. Without them: deck restore 1 --deck /;
    expect([conflict.code, conflict.nextAction]).toEqual(['conflict', expect.stringMatching(onPurpose)]);
    expect(await pull(other)).toMatchObject({ status: 'pulled', from: 1, version: 2 });
    expect(await filesOf(other)).toEqual({ ...PAGE, 'a.txt': 'two', 'b.txt': 'new', 'mine.txt': 'mine' });
    await fill(folder, { 'a.txt': 'three' });
    await push(folder, '--force');
    const newest = words('To bring the newest version into this folder: deck pull ');
    expect(await refused('push', other)).toMatchObject({ code: 'conflict', nextAction: newest });
  });
});

describe('text that changed on both sides', () => {
  test('is dropped by --mine, which names what the other side did', async () => {
    const { folder } = await behind({ 'a.txt': 'one', 'b.txt': 'one' }, { 'a.txt': 'two', 'c.txt': 'new' });
    await fill(folder, { 'a.txt': 'mine', 'b.txt': 'mine' });
    const { warnings, ...pulled } = await pull(folder, '--mine');
    expect(pulled).toMatchObject({ dropped: ['a.txt', 'b.txt'], version: 2 });
    expect(warnings[0]!.message).toMatch(
      /--mine drops .* version 2 .*\n.*a\.txt \(changed there\)\n.*b\.txt \(removed there\)/,
    );
  });
});

describe('a pull does not touch', () => {
  test('a symbolic link to nowhere that a push ignores', async () => {
    const { folder } = await behind({}, { 'new.txt': 'new', 'z.txt': 'z' });
    await symlink('/nowhere', join(folder, 'new.txt'));
    await writeFile(join(folder, '.deckignore'), '/new.tx[t]\n!/new.txt/');
    expect((await pull(folder)).leftOut).toContain('new.txt');
    expect(await filesOf(folder)).toMatchObject({ 'new.txt': '→ /nowhere', 'z.txt': 'z' });
  });

  test('the place of a folder whose files the wanted version deletes, or of empty folders, but uses it', async () => {
    const there = { a: 'a file', 'd/e.txt': 'in a folder', f: 'a file' };
    const { folder } = await behind({ 'a/b/c.txt': 'one', d: 'one' }, there);
    // Empty folders are what an interrupted pull may have left.
    await mkdir(join(folder, 'f', 'g', 'h'), { recursive: true });
    await pull(folder);
    expect(await filesOf(folder)).toEqual({ ...PAGE, ...there });
    expect(await push(folder)).toMatchObject({ status: 'unchanged', version: 2 });
  });
});

describe('what a pull writes', () => {
  test('has to be completed after a kill, before a push and before another version is pulled', async () => {
    const there = { 'a.txt': 'two', 'b/b.txt': 'two', 'f.txt': 'two' };
    const { folder } = await behind({ 'a.txt': 'one', 'b/b.txt': 'one', 'gone/d.txt': 'one' }, there);
    await killedAt(5, 'pull', folder);
    for (const [command, ...options] of [['push'], ['push', '--force'], ['pull', '--version', '1']] as const)
      expect((await refused(command, folder, ...options)).code).toBe('unfinished-download');
    expect(await pull(folder)).toMatchObject({ from: 1, version: 2 });
    expect(await filesOf(folder)).toEqual({ ...PAGE, ...there });
    expect(await readdir(folder)).not.toContain('.deck-download');
  });
});

describe('deck pull into a new folder', () => {
  test('resumes after an interruption with the pieces that it has and with the same version', async () => {
    const film = randomBytes(10 * MB);
    const { presentationId: id, folder: origin } = await aDeck({ ...PAGE, 'film.bin': film });
    const folder = aNewFolder();
    // The page is one call, and the film three calls of at most 4 MB, one after the other.
    const ended = await computer.stoppedAt({ name: 'downloadPresentationAsset', number: 4 }, ['pull', id, folder]);
    expect([ended.code, ended.stderr]).toEqual([130, words('Run the same command again')]);
    await fill(origin, { 'a.txt': 'newer' });
    await push(origin);
    expect((await refused('pull', id, folder, '--version', '2')).code).toBe('folder-not-empty');
    testbed.proxy.reset();
    expect(await pull(id, folder)).toMatchObject({ version: 1 });
    expect(testbed.proxy.calls['downloadPresentationAsset']).toBeLessThanOrEqual(2);
    expect((await readFile(join(folder, 'film.bin'))).equals(film)).toBe(true);
    expect(await readdir(folder)).not.toContain('.deck-download');
  });
});

provePulledFiles();
