import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aHistory, aNewFolder, behind, contentOf, filesOf, killedAt, PAGE, pull, type Content } from './pulled-folders';
import { aListing, aPushedFolder, decksOf, publish, remix, withPublisher } from './publisher';
import { aRemix, base, lines, next, update } from './publisher';
import * as bed from './testbed';
import { aDeck, computer, done, fill, push, refused, shown, testbed, withTestbed, words } from './testbed';

/**
 * Pulls after an interruption, of an older version, what they write, and what they leave alone. Remixes and a restore
 * with lost answers and kills, many versions, a listing that is taken down, and a question.
 */

withTestbed();
withPublisher();

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
    const newest = words('To get the newest version: deck pull ');
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
  test('ignored files, also those that the wanted version has', async () => {
    const { folder, other } = await behind({ 'a.txt': 'one' }, { 'a.txt': 'two', 'private/x.txt': 'theirs' });
    await fill(other, { '.deckignore': '!.well-known/', '.well-known/a': 'theirs' });
    await push(other);
    const own = { '.deckignore': 'private/', 'private/x.txt': 'mine', '.hidden': 'mine' };
    await fill(folder, own);
    const pulled = await pull(folder);
    expect(pulled.leftOut.sort()).toEqual(['.well-known/a', 'private/x.txt']);
    const warnings = [{ code: 'left-out', message: words('.well-known/a, private/x.txt') }];
    expect(pulled).toMatchObject({ warnings });
    expect(await filesOf(folder)).toEqual({ ...PAGE, 'a.txt': 'two', ...own });
  });

  const base = { 'real/a.txt': 'one', 'img/a.txt': 'one' };
  let origin: string;
  beforeAll(async () => {
    const there = { 'real/a.txt': 'two', 'img/a.txt': 'two', 'new.txt': 'new', 'mine/new.txt': 'x', 'z.txt': 'z' };
    ({ folder: origin } = await behind(base, there));
  });
  const linkTo = (target: string, path: string) => async (folder: string) => {
    await rm(join(folder, path), { recursive: true });
    await symlink(target, join(folder, path));
  };
  const holding = (files: Content) => (folder: string) => fill(folder, files);
  const isLink = 'symbolic link';
  test.each<[string, (folder: string) => Promise<unknown>, string]>([
    ['a file behind a link', linkTo('real', 'img'), isLink],
    ['a link in the place of a file', linkTo('../real/a.txt', 'img/a.txt'), isLink],
    [
      'a hidden file in the place of a file',
      holding({ 'new.txt/.hidden': 'x' }),
      'a folder that holds new.txt/.hidden',
    ],
    ['own files in the place of a file', holding({ 'new.txt/mine.txt': 'x' }), 'a folder that holds new.txt/mine.txt'],
    ['an own file in the place of a folder', holding({ mine: 'x' }), 'mine is not a folder'],
  ])('%s, and refuses', async (_case, prepare, reason) => {
    const folder = aNewFolder();
    await cp(origin, folder, { recursive: true });
    await prepare(folder);
    const before = await contentOf(folder);
    for (const flags of [['--dry-run'], [], ['--theirs']])
      expect(await refused('pull', folder, ...flags)).toMatchObject({ code: 'in-the-way', message: words(reason) });
    expect(await contentOf(folder)).toEqual(before);
  });

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
  test('is copied if the folder holds the content, downloaded once if not, and keeps the mode of its file', async () => {
    const same = 'the same bytes';
    const there = { 'new/name.txt': same, 'new/copy.txt': same, 'script.js': 'two', 'twice.txt': 'two' };
    const { folder } = await behind({ 'old/name.txt': same, 'script.js': 'one' }, there);
    await chmod(join(folder, 'script.js'), 0o755);
    testbed.proxy.reset();
    await pull(folder);
    expect(testbed.proxy.calls).toEqual({ getPresentationVersion: 2, downloadPresentationAsset: 1 });
    expect(await filesOf(folder)).toEqual({ ...PAGE, ...there });
    expect((await stat(join(folder, 'script.js'))).mode & 0o777).toBe(0o755);
    for (const name of ['old', '.deck-download']) expect(await readdir(folder)).not.toContain(name);
  });

  test('is verified, and does not replace a file that changed during the pull', async () => {
    const { folder } = await behind({ 'a.txt': 'one', 'b.txt': 'one' }, { 'a.txt': 'two', 'b.txt': 'two' });
    const before = await contentOf(folder);
    testbed.proxy.answer('downloadPresentationAsset', 206, 'TWO');
    expect((await refused('pull', folder)).code).toBe('hash-mismatch');
    expect(await contentOf(folder)).toEqual(before);
    testbed.proxy.before('downloadPresentationAsset', () => writeFile(join(folder, 'b.txt'), 'changed meanwhile'));
    expect((await refused('pull', folder)).code).toBe('file-changed');
    expect(await filesOf(folder)).toMatchObject({ 'a.txt': 'one', 'b.txt': 'changed meanwhile' });
    testbed.proxy.reset();
    await pull(folder, '--mine');
    expect(await filesOf(folder)).toMatchObject({ 'a.txt': 'two', 'b.txt': 'changed meanwhile' });
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

describe('deck versions', () => {
  test('shows the newest 20 versions, and all with --all', async () => {
    const { presentationId } = await aDeck();
    for (let made = 1; made < 22; made++)
      await testbed.post(computer, 'restorePresentationVersion', { presentationId, version: 1 });
    const rows = (stdout: string) => stdout.split('\n').filter((line) => / Ada /.test(line)).length;
    const stdout = await shown('versions', presentationId);
    expect([rows(stdout), stdout]).toEqual([20, words('2 older versions: --all')]);
    expect(rows(await shown('versions', presentationId, '--all'))).toBe(22);
  });
});

test('deck restore makes one new version although answers are lost, and leaves the base of the folder', async () => {
  const { folder, id } = await aHistory();
  testbed.proxy.loseAnswer('restorePresentationVersion');
  const restored = { status: 'restored', version: 4, restoredFrom: 1, fileCount: 3, folderVersion: 3 };
  expect(await done('restore', '1', '--deck', folder)).toMatchObject(restored);
  expect(testbed.proxy.calls['restorePresentationVersion']).toBe(2);
  expect((await bed.deckFileOf(folder)).version).toBe(3);
  const versions = [{ version: 4, restoredFrom: 1 }, {}, {}, {}];
  expect(await done('versions', id)).toMatchObject({ currentVersion: 4, versions });
  expect(await done('restore', '1', '--deck', folder)).toMatchObject({ status: 'unchanged', version: 4 });
  expect((await refused('push', folder)).code).toBe('conflict');
  expect(await done('pull', folder)).toMatchObject({ status: 'pulled', version: 4 });
  // The folder holds the files of version 3 after the next pull, so that it is based on the new version.
  await done('pull', folder, '--version', '3');
  expect(await done('restore', '3', '--deck', folder)).toMatchObject({ version: 5, folderVersion: 5 });
  await writeFile(join(folder, 'a.txt'), 'six');
  expect(await push(folder)).toMatchObject({ status: 'pushed', version: 6 });
});

describe('deck delete', () => {
  bed.inTerminal('asks for the title in a terminal', async () => {
    const { folder, id } = await aHistory();
    for (const [title, text, exitCode] of [
      ['talk', 'Nothing was deleted', 1],
      ['Talk', 'Deleted', 0],
    ] as const) {
      expect(await done('versions', id)).toMatchObject({ currentVersion: 3 });
      const screen = computer.inTerminal(['delete', folder]);
      await screen.answer('to delete it:', title);
      await screen.shows(text);
      expect(await screen.exitCode()).toBe(exitCode);
    }
  });
});

describe('deck publish', () => {
  test('of a listing that an operator took down tells the reason', async () => {
    const folder = await aPushedFolder();
    const { slug } = await publish(folder, '--description', 'x');
    await testbed.operator('take-down', '--listing', slug, '--reason', 'It is a copy.');
    const message = words('It is not shown. Reason: It is a copy.');
    const takedown = { reason: 'It is a copy.' };
    expect(await publish(folder)).toMatchObject({ takedown, warnings: [{ message }] });
  });
});

describe('deck remix', () => {
  test('makes one deck with all files although answers are lost, and the folder can be pushed', async () => {
    const film = randomBytes(9 * 1024 * 1024);
    const texts = { 'index.html': '<title>The original</title>', 'empty.css': '', 'a/b/c.js': 'export {};' };
    const slug = await aListing({ ...texts, 'img/größe.bin': film, 'img/copy.bin': film });
    const [folder, before] = [aNewFolder(), await decksOf()];
    testbed.proxy.loseAnswer('remixMarketplaceListing', 'downloadPresentationAsset');
    const remixed = await remix(slug, folder);
    expect(remixed).toMatchObject({
      status: 'remixed',
      slug,
      folder,
      version: 1,
      title: 'The original',
      leftOut: [],
    });
    expect(await filesOf(folder)).toMatchObject(texts);
    for (const name of ['größe.bin', 'copy.bin'])
      expect((await readFile(join(folder, 'img', name))).equals(film)).toBe(true);
    // Duplicate files are downloaded once. The 9 MB take three pieces of at most 4 MB. One answer was lost.
    expect(testbed.proxy.calls['downloadPresentationAsset']).toBe(3 + 1 + 1 + 1);
    expect(await decksOf()).toBe(before + 1);
    expect(await readdir(folder)).not.toContain('.deck-download');
    const { presentationId, shareUrl } = remixed;
    expect(await readFile(join(folder, '.deck.json'), 'utf8')).not.toContain(
      new URL(shareUrl).searchParams.get('token'),
    );
    expect(await shown('open', folder, '--print')).toBe(`${shareUrl}\n`);
    expect(await push(folder)).toMatchObject({ status: 'unchanged', version: 1 });
    await writeFile(join(folder, 'mine.txt'), 'mine');
    const pushed = { status: 'pushed', presentationId, version: 2, uploaded: { files: 1 } };
    expect(await push(folder)).toMatchObject(pushed);
  });

  test('that was interrupted makes no second deck when the same command runs again, two hours later', async () => {
    const slug = await aListing();
    const [folder, before] = [aNewFolder(), await decksOf()];
    const stopped = { name: 'remixMarketplaceListing', fate: 'lose the answer' } as const;
    expect((await computer.stoppedAt(stopped, ['remix', slug, folder, '--title', 'One'])).code).toBe(130);
    for (const [name, ...options] of [[await aListing()], [slug, '--title', 'Two']] as [string, ...string[]][])
      expect((await refused('remix', name, folder, ...options)).code).toBe('folder-not-empty');
    // A refusal of this run says nothing about the one before.
    testbed.proxy.answer('remixMarketplaceListing', 401, { success: false, error: { code: 'unauthenticated' } });
    await refused('remix', slug, folder, '--title', 'One');
    testbed.proxy.reset();
    await testbed.later(7200);
    expect(await remix(slug, folder, '--title', 'One')).toMatchObject({ title: 'One' });
    expect([await decksOf(), Object.keys(await filesOf(folder))]).toEqual([before + 1, ['index.html']]);
  });

  test('that was interrupted, and whose deck was deleted since, says how to start again', async () => {
    const slug = await aListing();
    const folder = aNewFolder();
    await computer.stoppedAt({ name: 'downloadPresentationAsset' }, ['remix', slug, folder]);
    const note = await readFile(join(folder, '.deck-download', 'unfinished.json'), 'utf8');
    const { presentationId } = JSON.parse(note) as bed.Pushed;
    await testbed.post(computer, 'deletePresentation', { presentationId });
    const gone = { code: 'not-found', nextAction: words(`Delete ${folder}`) };
    expect(await refused('remix', slug, folder)).toMatchObject(gone);
    await rm(folder, { recursive: true });
    expect(await remix(slug, folder)).toMatchObject({ status: 'remixed' });
  });
});

describe('deck remix --update', () => {
  test('gives the same lines conflict marks, and lets --mine and --theirs decide about other files', async () => {
    const { folder, publishNext } = await aRemix({ 'a.txt': lines('one', '2'), 'b.bin': 'one' });
    await fill(folder, { 'a.txt': lines('mine', '2'), 'b.bin': 'mine' });
    await push(folder);
    await publishNext({ 'a.txt': lines('theirs', '2'), 'b.bin': 'theirs', 'c.txt': 'new' });
    const conflict = { code: 'pull-conflict', nextAction: expect.stringMatching(/--theirs.*--mine/) as string };
    expect(await refused('remix', '--update', folder)).toMatchObject(conflict);
    const mine = { ...PAGE, 'a.txt': lines('mine', '2'), 'b.bin': 'mine', 'c.txt': 'new' };
    expect(await filesOf(folder)).toEqual(mine);
    // The text alone can be merged.
    await fill(folder, { 'b.bin': 'theirs' });
    const details = { marked: ['a.txt'] };
    expect(await refused('remix', '--update', folder)).toMatchObject({ code: 'merged-with-marks', exit: 7, details });
    const marked = ['<<<<<<< this folder', 'mine', '=======', 'theirs', '>>>>>>> version 2 of the source', '2'];
    expect((await filesOf(folder))['a.txt']).toBe(lines(...marked));
    for (const command of [['push'], ['remix', '--update']])
      expect((await refused(...command, folder)).code).toBe('conflict-marks');
    const decided = { ...mine, 'a.txt': lines('decided', '2'), 'b.bin': 'theirs' };
    await fill(folder, { 'a.txt': decided['a.txt'] });
    await update(folder, '--mine');
    expect(await filesOf(folder)).toEqual(decided);
    await update(folder, '--theirs');
    expect(await filesOf(folder)).toEqual({ ...decided, 'a.txt': lines('theirs', '2') });
    await push(folder);
    expect(await update(folder)).toMatchObject({ status: 'up-to-date', files: [] });
  });

  test('is completed by the same command after a kill at each step, and not pushed until then', async () => {
    const { folder, publishNext } = await aRemix(base);
    const own = { 'both.txt': lines('1', '2', 'three'), 'mine.txt': lines('one', '2', '3') };
    await fill(folder, own);
    await push(folder);
    await publishNext(next);
    testbed.proxy.loseAnswer('updateRemix');
    let kills = 0;
    while ((await killedAt(kills + 1, 'remix', '--update', folder)).code !== 0) {
      kills++;
      const notes = await readdir(join(folder, '.deck-download')).catch((): string[] => []);
      if (notes.includes('pull.json')) expect((await refused('push', folder)).code).toBe('unfinished-download');
    }
    expect(kills).toBeGreaterThan(3);
    expect(await readdir(folder)).not.toContain('.deck-download');
    const all = { ...PAGE, ...next, 'both.txt': lines('ONE', '2', 'three'), 'mine.txt': lines('one', '2', 'THREE') };
    expect(await filesOf(folder)).toEqual(all);
    expect(await push(folder)).toMatchObject({ status: 'pushed', version: 4, warnings: [] });
    expect(await update(folder)).toMatchObject({ status: 'up-to-date' });
  });
});
