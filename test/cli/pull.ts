import { cp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { aNewFolder, behind, contentOf, filesOf, killedAt, PAGE, pull, type Content, type Row } from './pulled-folders';
import { aDeck, computer, done, fill, push, refused, shown, testbed, words } from './testbed';

const PARTS = '.deck-download';

/** `deck pull`: into a folder that was pushed, and into a new one. */
export function provePull(): void {
  describe('deck pull into a pushed folder', () => {
    test('writes nothing when files changed on both sides; --mine and --theirs decide each file', async () => {
      const there = { 'a.txt': 'two', 'b.txt': 'two', 'd.txt': 'new' };
      const { folder } = await behind({ 'a.txt': 'one', 'b.txt': 'one', 'c/c.txt': 'one' }, there);
      await fill(folder, { 'a.txt': 'mine', 'c/c.txt': 'mine', 'e.txt': 'own' });
      const before = await contentOf(folder);
      for (const options of [[], ['--dry-run']]) {
        const error = await refused('pull', folder, ...options);
        const nextAction = expect.stringMatching(/--theirs.*--mine|--mine.*--theirs/) as string;
        expect(error).toMatchObject({ code: 'pull-conflict', exit: 1, nextAction });
        const found = ['a.txt merge', 'b.txt take', 'c/c.txt conflict', 'd.txt take', 'e.txt keep'];
        expect((error.details['files'] as Row[]).map(({ path, action }) => `${path} ${action}`)).toEqual(found);
      }
      for (const [side, files] of [
        ['mine', { ...there, 'a.txt': 'mine', 'c/c.txt': 'mine' }],
        ['theirs', there],
      ] as const) {
        const copy = aNewFolder();
        await cp(folder, copy, { recursive: true });
        const planned = await pull(copy, `--${side}`, '--dry-run');
        expect([planned.status, await contentOf(copy)]).toEqual(['planned', before]);
        const pulled = { status: 'pulled', from: 1, version: 2, leftOut: [], files: planned.files };
        expect(await pull(copy, `--${side}`)).toMatchObject(pulled);
        expect(await filesOf(copy)).toEqual({ ...PAGE, ...files, 'e.txt': 'own' });
        expect(await push(copy, '--dry-run')).toMatchObject({ version: 3 });
      }
    });

    test('is what a push names after a conflict, and takes and keeps without a question', async () => {
      const { folder: mine } = await behind({}, { 'new.txt': 'new' });
      await fill(mine, { 'mine.txt': 'mine' });
      const { stderr } = await computer.deck(['push', mine]);
      for (const named of [`deck pull ${mine}`, '--force']) expect(stderr).toContain(named);
      expect(await shown('pull', mine)).toMatch(/take +added there +new\.txt[^]*keep +added here +mine\.txt/);
      expect(await push(mine)).toMatchObject({ status: 'pushed', version: 3 });
      expect(await pull(mine)).toMatchObject({ status: 'up-to-date', version: 3, files: [] });
    });

    test('refuses options that exclude each other, a folder that was not pushed, and an absent version', async () => {
      const { folder } = await aDeck();
      const id = '01234567-89ab-cdef-0123-456789abcdef';
      for (const args of [[folder, '--mine', '--theirs'], [id, aNewFolder(), '--theirs'], [id]])
        expect(await refused('pull', ...args)).toMatchObject({ code: 'usage', exit: 2 });
      expect((await refused('pull', await testbed.aFolder(PAGE))).code).toBe('not-pushed');
      expect(await refused('pull', folder, '--version', '9')).toMatchObject({ code: 'not-found' });
    });
  });

  describe('text that changed on both sides', () => {
    const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join('');

    test('in the same lines gets conflict marks and an exit code, and is not pushed until they are gone', async () => {
      const there = { 'a.txt': lines('theirs', 'two'), 'b.txt': 'new' };
      const { folder, other } = await behind({ 'a.txt': lines('one', 'two') }, there);
      await fill(folder, { 'a.txt': lines('mine', 'two') });
      // The merged file is in place, and the new one is not.
      await killedAt(5, 'pull', folder);
      for (const command of ['push', 'push --force', 'pull --version 1'])
        expect((await refused(...command.split(' '), folder)).code).toBe('unfinished-download');
      const details = { marked: ['a.txt'], version: 2 };
      expect(await refused('pull', folder)).toMatchObject({ code: 'merged-with-marks', exit: 7, details });
      const marked = ['<<<<<<< this folder', 'mine', '=======', 'theirs', '>>>>>>> version 2', 'two'];
      expect(await filesOf(folder)).toEqual({ ...PAGE, 'a.txt': lines(...marked), 'b.txt': 'new' });
      const theirs = async (version: number, files: Content) => {
        const copy = aNewFolder();
        await cp(folder, copy, { recursive: true });
        expect(await pull(copy, '--theirs')).toMatchObject({ status: 'pulled', version });
        expect([await filesOf(copy), await readdir(copy)]).toEqual([files, expect.not.arrayContaining([PARTS])]);
      };
      await theirs(2, { ...PAGE, ...there });
      await fill(other, { 'c.txt': 'newer' });
      await push(other);
      await theirs(3, { ...PAGE, ...there, 'c.txt': 'newer' });
      for (const command of [['push'], ['push', '--force'], ['pull'], ['pull', '--mine']])
        expect((await refused(...command, folder)).code).toBe('conflict-marks');
      // A pull with --theirs that was interrupted, and completed without it.
      await killedAt(3, 'pull', folder, '--theirs');
      expect((await refused('pull', folder)).details).toMatchObject({ marked: ['a.txt'], version: 3 });
      expect((await refused('push', folder)).code).toBe('conflict-marks');
      await fill(folder, { 'a.txt': lines('both', 'two') });
      expect(await push(folder)).toMatchObject({ status: 'pushed', version: 4 });
      expect(await readdir(folder)).not.toContain(PARTS);
    });
  });

  describe('deck pull into a new folder', () => {
    test('downloads the current or an older version, without hidden files, and the folder can be pushed', async () => {
      const hidden = { '.deckignore': '!.vscode/', '.vscode/tasks.json': '{}' };
      const { folder: origin, presentationId: id } = await aDeck({ ...PAGE, 'a.txt': 'one', ...hidden });
      await fill(origin, { 'a.txt': 'two' });
      await push(origin);
      const [folder, old] = [aNewFolder(), aNewFolder()];
      const deck = { presentationId: id, version: 2, title: 'Talk', entryPath: 'index.html' };
      const left = { leftOut: ['.vscode/tasks.json'], warnings: [{ message: words('.vscode/tasks.json') }] };
      expect(await pull(id, folder)).toMatchObject({ status: 'pulled', ...deck, ...left });
      expect(await filesOf(folder)).toEqual({ ...PAGE, 'a.txt': 'two' });
      await fill(folder, { 'a.txt': 'three' });
      expect(await push(folder)).toMatchObject({ presentationId: id, version: 3 });
      expect((await refused('pull', id, folder)).code).toBe('folder-not-empty');

      await done('links', 'revoke', '--all', '--yes', '--deck', origin);
      const noLink = { message: expect.stringMatching(/deck links add <name> --deck \S+$/) as string };
      const { version, warnings } = await pull(id, old, '--version', '1');
      expect([version, warnings.at(-1)]).toMatchObject([1, noLink]);
      await fill(old, { 'a.txt': 'four' });
      expect((await refused('push', old)).code).toBe('conflict');
    });

    test('of a missing deck or version, or of another user’s deck, leaves no folder behind', async () => {
      const { presentationId: id } = await aDeck();
      const folder = aNewFolder();
      const failure = { code: 'not-found', nextAction: words('deck list') };
      expect(await refused('pull', 'no-such-deck', folder)).toMatchObject(failure);
      expect(await refused('pull', id, folder, '--version', '9')).toMatchObject(failure);
      const stranger = await testbed.aSignedInComputer();
      expect((await stranger.refused('pull', id, folder)).code).toBe('permission-denied');
      await expect(stat(folder)).rejects.toThrow('ENOENT');
    });

    test('of which nothing can be written below the folder, says so', async () => {
      const { presentationId: id } = await aDeck();
      // The path of the folder is about as long as a path can be.
      const start = join(aNewFolder(), 'x');
      const folder = `${start}${`/${'x'.repeat(99)}`.repeat(50).slice(start.length)}`.slice(0, 4090);
      expect(await refused('pull', id, folder)).toMatchObject({ code: 'cannot-write', exit: 1 });
    });

    test('does not get a file with other bytes, more bytes or no bytes, and downloads it again', async () => {
      const { presentationId: id } = await aDeck({ 'index.html': 'what it should be' });
      for (const [answer, code, message] of [
        ['what it is not at', 'hash-mismatch', 'index.html'],
        ['x'.repeat(100_000), 'unexpected-answer', ''],
        ['', 'unexpected-answer', ''],
      ] as const) {
        const folder = aNewFolder();
        testbed.proxy.answer('downloadPresentationAsset', 206, answer);
        expect(await refused('pull', id, folder)).toMatchObject({ code, message: words(message) });
        expect(await filesOf(folder)).not.toHaveProperty(['index.html']);
        testbed.proxy.reset();
        await pull(id, folder);
        expect(await filesOf(folder)).toEqual({ 'index.html': 'what it should be' });
      }
    });

    test('replaces a link in the place of a file, and not the file to which it leads', async () => {
      const { presentationId: id } = await aDeck({ ...PAGE, 'img/a.txt': 'theirs' });
      const folder = aNewFolder();
      await computer.stoppedAt({ name: 'downloadPresentationAsset' }, ['pull', id, folder]);
      const outside = await testbed.aFolder({ 'a.txt': 'mine' });
      await rm(join(folder, 'index.html'), { force: true });
      await symlink(join(outside, 'a.txt'), join(folder, 'index.html'));
      await pull(id, folder);
      expect(await filesOf(outside)).toEqual({ 'a.txt': 'mine' });
      expect(await filesOf(folder)).toEqual({ ...PAGE, 'img/a.txt': 'theirs' });
    });
  });
}
