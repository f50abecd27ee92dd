import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Computer, type Testbed, withTestbed } from './testbed';

let testbed: Testbed;
let computer: Computer;
withTestbed((made) => ({ testbed, computer } = made));

interface Pushed {
  presentationId: string;
  version: number;
  shareUrl: string;
}

const done = <T = Record<string, unknown>>(...args: string[]) => computer.done<T>(...args);
const refused = (...args: string[]) => computer.refused(...args);
const versionOf = async (folder: string) =>
  (JSON.parse(await readFile(join(folder, '.deck.json'), 'utf8')) as { version: number }).version;
const call = (name: string, body: object) => testbed.post(computer, name, body);

/** A pushed folder with three versions: the second adds a file, the third changes one and moves one. */
async function aHistory(): Promise<{ folder: string; id: string }> {
  const folder = await testbed.aFolder({ 'index.html': '<title>Talk</title>', 'a.txt': 'one', 'b.txt': 'bytes' });
  const { presentationId: id } = await done<Pushed>('push', folder);
  await writeFile(join(folder, 'c.txt'), 'new');
  await done('push', folder, '--message', 'More\u001b[31mnumbers');
  await writeFile(join(folder, 'a.txt'), 'three');
  await done('push', folder);
  return { folder, id };
}

describe('deck versions', () => {
  test('lists who made each version, its message, and the links that are pinned to it, newest first', async () => {
    const { folder, id } = await aHistory();
    const pinned = { tokenName: 'Press', versionMode: { type: 'pinned', version: 2 } };
    await call('addPresentationToken', { presentationId: id, ...pinned });
    expect(await done('versions', folder)).toMatchObject({
      presentationId: id,
      currentVersion: 3,
      folderVersion: 3,
      versions: [
        { version: 3, isCurrent: true, createdByName: 'Ada', message: null, fileCount: 4, pinnedLinks: [] },
        { version: 2, isCurrent: false, message: 'More\u001b[31mnumbers', pinnedLinks: ['Press'] },
        { version: 1, isCurrent: false, fileCount: 3, pinnedLinks: [] },
      ],
    });
    for (const target of [[folder], [id], ['--deck', folder]]) {
      const { stdout } = await computer.deck(['versions', ...target]);
      expect(stdout).toMatch(/^ {3}3 .* Ada +4 files .*current/m);
      expect(stdout).toContain('pinned links: Press');
      expect(stdout).toContain('More [31mnumbers');
      expect(stdout).not.toContain('\u001b');
    }
  });

  test('of another user are shown to a collaborator, without the links, and to nobody else', async () => {
    const { id } = await aHistory();
    const email = testbed.anEmail();
    const dev = await testbed.aSignedInComputer(email);
    expect(await dev.refused('versions', id)).toMatchObject({ exit: 3, code: 'permission-denied' });
    await call('inviteCollaborator', { presentationId: id, email });
    const listed = (await dev.deck(['versions', id, '--json'])).json<{ versions: object[] }>();
    expect(listed.versions[0]).toMatchObject({ version: 3, createdByName: 'Ada' });
    expect(listed.versions[0]).not.toHaveProperty('pinnedLinks');
  });

  test('shows the newest 20 versions, and all with --all', async () => {
    const folder = await testbed.aFolder({ 'index.html': 'x' });
    const { presentationId: id } = await done<Pushed>('push', folder);
    for (let version = 2; version <= 22; version++)
      await call('restorePresentationVersion', { presentationId: id, version: 1 });
    const lines = async (...args: string[]) => (await computer.deck(['versions', id, ...args])).stdout.split('\n');
    expect((await lines()).filter((line) => / Ada /.test(line))).toHaveLength(20);
    expect((await lines()).join('\n')).toContain('2 older versions: --all');
    expect((await lines('--all')).filter((line) => / Ada /.test(line))).toHaveLength(22);
  });
});

describe('deck diff', () => {
  test('shows what a push of the folder would change, and says when the deck has a newer version', async () => {
    const { folder, id } = await aHistory();
    expect(await done('diff', '--deck', folder)).toMatchObject({
      from: 3,
      to: 'folder',
      currentVersion: 3,
      unchanged: 4,
      added: [],
      changed: [],
      removed: [],
      renamed: [],
    });
    await call('restorePresentationVersion', { presentationId: id, version: 1 });
    for (const [name, text] of [
      ['a.txt', 'four!'],
      ['d.txt', 'd'],
      ['e.txt', 'bytes'],
    ])
      await writeFile(join(folder, name!), text!);
    await truncate(join(folder, 'b.txt'));
    await writeFile(join(folder, '.deckignore'), 'b.txt\nc.txt');
    const diff = await done<{ changed: object[] }>('diff', '--deck', folder);
    expect(diff).toMatchObject({
      from: 3,
      to: 'folder',
      currentVersion: 4,
      unchanged: 1,
      added: [{ path: 'd.txt', size: 1 }],
      changed: [{ path: 'a.txt', from: { size: 5 }, to: { size: 5 } }],
      removed: [{ path: 'c.txt' }],
      renamed: [{ from: 'b.txt', to: 'e.txt', size: 5 }],
      warnings: [{ code: 'newer-version' }],
    });
    // The dry run of the service counts a renamed file as one added and one removed.
    const { changes } = await done<{ changes: object }>('push', folder, '--force', '--dry-run');
    expect(changes).toMatchObject({ changed: 1, unchanged: 1, added: 2 });
    const shown = await computer.deck(['diff', '--deck', folder]);
    expect(shown.stdout).toMatch(/renamed +5 B +b\.txt → e\.txt/);
    expect(shown.stderr).toContain(`deck pull ${folder}`);
  });

  test('compares two versions as the service does, one version with the current one, and the last two of an id', async () => {
    const { folder, id } = await aHistory();
    expect(await done('diff', '1', '3', '--deck', id)).toMatchObject({
      presentationId: id,
      from: 1,
      to: 3,
      unchanged: 2,
      added: [{ path: 'c.txt' }],
      changed: [{ path: 'a.txt', from: { size: 3 }, to: { size: 5 } }],
    });
    expect(await done('diff', '2', '--deck', folder)).toMatchObject({ from: 2, to: 3, changed: [{ path: 'a.txt' }] });
    expect(await done('diff', '--deck', id)).toMatchObject({ from: 2, to: 3 });
    const shown = await computer.deck(['diff', '3', '1', '--deck', id]);
    expect(shown.stdout).toMatch(/changed +3 B +a\.txt \(was 5 B\)/);
    expect(await refused('diff', '1', '9', '--deck', id)).toMatchObject({ code: 'not-found', exit: 1 });
    expect(await refused('diff', 'x', '--deck', id)).toMatchObject({ code: 'usage', exit: 2 });
  });
});

describe('a version that the deck does not have', () => {
  test('is named with the newest one', async () => {
    const folder = await testbed.aFolder({ 'index.html': 'one' });
    await done('push', folder);
    for (const command of [
      ['diff', '1', '9'],
      ['restore', '9'],
    ])
      expect(await refused(...command, '--deck', folder)).toMatchObject({
        code: 'not-found',
        message: 'The deck has no version 9; the newest is 1.',
        nextAction: expect.stringContaining('deck versions'),
      });
  });
});

describe('deck restore', () => {
  test('of what the newest version holds makes no version', async () => {
    const folder = await testbed.aFolder({ 'index.html': 'one' });
    await done('push', folder);
    await writeFile(join(folder, 'index.html'), 'two');
    await done('push', folder);
    expect(await done('restore', '1', '--deck', folder)).toMatchObject({ status: 'restored', version: 3 });
    expect(await done('restore', '1', '--deck', folder)).toMatchObject({ status: 'unchanged', version: 3 });
  });

  test('makes one new version although answers are lost, and leaves the base of the folder', async () => {
    const { folder, id } = await aHistory();
    testbed.proxy.watch = ({ name, number }) =>
      name === 'restorePresentationVersion' && number === 1 ? 'lose the answer' : 'forward';
    expect(await done('restore', '1', '--deck', folder)).toMatchObject({
      status: 'restored',
      version: 4,
      restoredFrom: 1,
      fileCount: 3,
      folderVersion: 3,
    });
    expect(testbed.proxy.calls['restorePresentationVersion']).toBe(2);
    expect(await versionOf(folder)).toBe(3);
    expect(await done('versions', id)).toMatchObject({
      currentVersion: 4,
      versions: [{ version: 4, restoredFrom: 1 }, {}, {}, {}],
    });
    expect((await refused('push', folder)).code).toBe('conflict');
    expect(await done('pull', folder)).toMatchObject({ status: 'pulled', version: 4 });
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one');
    await writeFile(join(folder, 'a.txt'), 'five');
    expect(await done('push', folder)).toMatchObject({ status: 'pushed', version: 5 });
  });

  test('bases a folder on the new version when the folder holds its files', async () => {
    const { folder, id } = await aHistory();
    await call('restorePresentationVersion', { presentationId: id, version: 1 });
    expect(await done('restore', '3', '--deck', folder)).toMatchObject({ version: 5, folderVersion: 5 });
    await writeFile(join(folder, 'a.txt'), 'six');
    expect(await done('push', folder)).toMatchObject({ status: 'pushed', version: 6 });
  });
});

describe('deck rename', () => {
  test('changes the title of the deck and of its folder, so that a later push keeps it', async () => {
    const folder = await testbed.aFolder({ 'index.html': '<title>Talk</title>one' });
    const { presentationId: id } = await done<Pushed>('push', folder, '--no-thumbnail');
    expect(await done('rename', ' Sales, Q3 ', '--deck', folder)).toMatchObject({ title: 'Sales, Q3' });
    await writeFile(join(folder, 'index.html'), '<title>Talk</title>two');
    expect(await done('push', folder, '--no-thumbnail')).toMatchObject({ title: 'Sales, Q3', version: 2 });
    expect(await done('info', id)).toMatchObject({ title: 'Sales, Q3' });
    expect(await done('push', folder, '--title', 'Talk', '--no-thumbnail')).toMatchObject({
      title: 'Talk',
      version: 3,
    });
    expect(await refused('rename', ' ', '--deck', id)).toMatchObject({ code: 'wrong-title', exit: 1 });
  });
});

describe('deck delete', () => {
  test('needs --yes without a terminal, says what goes, and cleans the folder and the link', async () => {
    const { folder, id } = await aHistory();
    const error = await refused('delete', folder);
    expect(error).toMatchObject({ code: 'usage', exit: 2 });
    expect(error.message).toContain('"Talk" with 3 versions, 1 link and 0 views');
    const links = join(computer.configFolder, 'deck', 'links.json');
    expect(await readFile(links, 'utf8')).toContain(id);

    expect(await done('delete', folder, '--yes')).toMatchObject({
      status: 'deleted',
      versionsDeleted: 3,
      listingSlug: null,
    });
    expect(await readFile(links, 'utf8')).not.toContain(id);
    await expect(stat(join(folder, '.deck.json'))).rejects.toThrow('ENOENT');
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('three');
    const again = await done<Pushed>('push', folder);
    expect([again.version, again.presentationId === id]).toEqual([1, false]);
    // A second call by the id completes a deletion that was interrupted.
    expect(await done('delete', id, '--yes')).toMatchObject({ status: 'deleted' });
    expect(await refused('delete', '01234567-89ab-cdef-0123-456789abcdef', '--yes')).toMatchObject({
      code: 'not-found',
    });
  });

  test('asks for the title in a terminal', async () => {
    const { folder, id } = await aHistory();
    const wrong = computer.inTerminal(['delete', folder]);
    await wrong.shows('to delete it:');
    wrong.type('talk\r');
    await wrong.shows('Nothing was deleted');
    expect(await wrong.exitCode()).toBe(1);
    expect(await done('versions', id)).toMatchObject({ currentVersion: 3 });
    const right = computer.inTerminal(['delete', folder]);
    await right.shows('to delete it:');
    right.type('Talk\r');
    await right.shows('Deleted');
    expect(await right.exitCode()).toBe(0);
  });

  test('is for the owner only', async () => {
    const { folder, id } = await aHistory();
    const email = testbed.anEmail();
    const dev = await testbed.aSignedInComputer(email);
    await call('inviteCollaborator', { presentationId: id, email });
    const refusal = await dev.refused('delete', id, '--yes');
    expect(refusal).toMatchObject({ exit: 3, code: 'permission-denied' });
    expect(refusal.nextAction).toContain(`deck leave ${id}`);
    expect(await done('push', folder)).toMatchObject({ status: 'unchanged' });
  });
});
