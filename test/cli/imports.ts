import { createHash } from 'node:crypto';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aDeck, computer, done, refused, testbed, words } from './testbed';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** What an import makes of an export, and what an export of another person may make the client do. */
export function proveImports(): void {
  describe('an export of another person', () => {
    interface File {
      path: string;
      /** Default: where an export has the path. */
      at?: string;
      contentType?: string;
    }

    /** The folder of an export with one deck of one version, in which each file that is listed contains its path. */
    async function anExport(files: File[], facts: object = {}) {
      const rows = files.map((file) => ({ at: `newest/${file.path}`, size: file.path.length, ...file }));
      const deck = { id: 'old', title: 'Talk', expiresAt: null, tracking: 'full', slidePictures: true, links: [] };
      const versions = [{ version: 1, title: 'Talk', message: null, restoredFrom: null }];
      return testbed.aFolder({
        ...Object.fromEntries(files.map(({ path }) => [join('decks/old/newest', path), path])),
        'decks/old/deck.json': JSON.stringify({ ...deck, versions, ...facts }),
        'decks/old/versions/1.json': JSON.stringify({ entryPath: 'index.html', files: rows }),
      });
    }

    test.each([
      ['..', '../../victim'],
      ['a link', 'newest/linked'],
      ['the link of a folder', 'newest/up/victim'],
    ])('that names a private file by %s is refused, and nothing is sent', async (_what, at) => {
      const folder = await anExport([{ path: 'index.html' }, { path: 'stolen', at }]);
      await writeFile(join(folder, 'victim'), 'precious');
      await symlink(join(folder, 'victim'), join(folder, 'decks/old/newest/linked'));
      await symlink(folder, join(folder, 'decks/old/newest/up'));
      expect(await refused('account', 'import', folder)).toMatchObject({ code: 'bad-path', details: { path: at } });
      expect(testbed.proxy.calls).toEqual({});
    });

    test('is written to by no name of a file, and its service refuses one that leads out of the deck', async () => {
      const folder = await anExport([{ path: 'index.html' }, { path: '../victim', at: 'newest/index.html' }]);
      await writeFile(join(folder, 'victim'), 'precious');
      expect(await refused('account', 'import', folder)).toMatchObject({ code: 'invalid-argument' });
      expect(await readFile(join(folder, 'victim'), 'utf8')).toBe('precious');
    });

    test('becomes a new deck, whatever deck of the user a file in it names', async () => {
      const { presentationId: id } = await aDeck({ 'index.html': '<title>Mine' });
      const folder = await anExport([{ path: 'index.html' }]);
      const known = { presentationId: id, sessionId: '', versions: 0, links: {}, isDone: false };
      const { baseUrl } = await done<{ baseUrl: string }>('whoami');
      await writeFile(join(folder, '.deck-import.json'), JSON.stringify({ [baseUrl]: { old: known }, old: known }));
      const { decks } = await done<{ decks: { presentationId: string }[] }>('account', 'import', folder);
      expect(decks.map(({ presentationId }) => presentationId)).not.toEqual([id]);
    });

    test('becomes a deck with all files, also those that a push of a folder ignores', async () => {
      const paths = ['.deckignore', '.well-known/a.txt', 'index.html', 'node_modules/a.js'];
      const type = 'image/webp; drawn=deck';
      const folder = await anExport(paths.map((path) => ({ path, contentType: type })));
      const { decks } = await done<{ decks: { presentationId: string }[] }>('account', 'import', folder);
      expect(decks).toHaveLength(1);
      const address = `${testbed.baseUrl}/getPresentationVersion?presentationId=${decks[0]!.presentationId}&version=1`;
      const answer = await fetch(address, { headers: { authorization: `Bearer ${await computer.key()}` } });
      const { data } = (await answer.json()) as {
        data: { files: Record<'path' | 'sha256' | 'contentType', string>[] };
      };
      const rows = data.files.map(({ path, sha256: hash, contentType }) => [path, hash, contentType]);
      expect(rows).toEqual(paths.map((path) => [path, sha256(path), type]));
    });

    test('becomes a deck with its title, its settings and the links that are open, which are told again', async () => {
      type Made = { presentationId: string; links: { name: string; shareUrl: string; passcode?: string }[] };
      const importAgain = async () => (await done<{ decks: Made[] }>('account', 'import', folder)).decks;
      const rules = { versionMode: { type: 'latest' }, maxOpenings: null, allowedEmails: null, notify: 'never' };
      const ofAll = { ...rules, state: 'open', expiresAt: null, hasPasscode: false, hasShortUrl: false };
      const links = [
        { ...ofAll, tokenId: 'a', name: 'Board' },
        { ...ofAll, tokenId: 'b', name: 'Board', hasPasscode: true },
        { ...ofAll, tokenId: 'c', name: 'Over', expiresAt: '2020-01-01T00:00:00.000Z' },
      ];
      const folder = await anExport([{ path: 'index.html' }], { title: 'Renamed', slidePictures: false, links });
      await writeFile(join(folder, 'decks', '.DS_Store'), 'of a file manager');

      const first = await importAgain();
      const { presentationId: id, links: told } = first[0]!;
      expect(told).toMatchObject([{ name: 'Board' }, { name: 'Board', passcode: words('') }]);
      expect((await done<{ links: object[] }>('links', '--deck', id)).links).toHaveLength(2);
      expect(await done('info', id)).toMatchObject({ title: 'Renamed', slidePictures: false });
      // A passcode that nobody has read is told by the next run. A deck that was deleted is made again.
      expect(await importAgain()).toEqual(first);
      await done('delete', id, '--yes');
      const [again] = await importAgain();
      expect([again!.presentationId === id, again!.links.length]).toEqual([false, 2]);
    });
  });
}
