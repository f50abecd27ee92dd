import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { aNewFolder, become, filesOf, killedAt, PAGE, type Content, type Row } from './pulled-folders';
import * as bed from './testbed';
import { done, fill, push, refused, testbed, words } from './testbed';

/** `deck remix --update`: what changed in the source of a remix, and in the remix. */
export function proveRemixUpdate(): void {
  let publisher: bed.Computer;
  beforeAll(async () => {
    publisher = await testbed.aPublisher();
  });

  interface Updated {
    status: string;
    version: number;
    source: { latest: number };
    files: Row[];
    left: string[];
  }
  const update = (...args: string[]) => done<Updated>('remix', '--update', ...args);
  const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join('');
  const actions = ({ files }: Updated) => files.map(({ path, action }) => `${path} ${action}`);
  const presence = async (folder: string) => (await readdir(folder)).includes('.deck-download');

  /** A listing whose version 1 has the files of `base`, and a folder with a remix of it. */
  async function aRemix(base: Content) {
    const { folder: origin } = await bed.aDeck({ ...PAGE, ...base }, publisher);
    const { slug } = await publisher.done<{ slug: string }>('publish', origin, '--description', 'x');
    const folder = aNewFolder();
    await done('remix', slug, folder);
    /** The source shows these files as its next version. */
    const publishNext = async (files: Content) => {
      await become(origin, { ...PAGE, ...files });
      await publisher.done('push', origin);
      await publisher.done('publish', origin);
    };
    return { folder, slug, publishNext };
  }

  describe('deck remix --update', () => {
    const base = {
      'a.txt': 'one',
      'both.txt': lines('1', '2', '3'),
      'gone.txt': 'x',
      'mine.txt': lines('1', '2', '3'),
    };
    const next = {
      'a.txt': 'two',
      'both.txt': lines('ONE', '2', '3'),
      'new.txt': 'new',
      'mine.txt': lines('1', '2', 'THREE'),
    };

    test('takes what the source changed, merges what both changed, keeps what is not pushed, and asks no more after a push', async () => {
      const { folder, publishNext } = await aRemix(base);
      await fill(folder, { 'both.txt': lines('1', '2', 'three') });
      await push(folder);
      expect(await update(folder)).toMatchObject({ status: 'up-to-date', version: 2, files: [] });
      await publishNext(next);
      // Not pushed: a change of a file that the source changed too, and a file of its own.
      await fill(folder, { 'mine.txt': lines('one', '2', '3'), 'own.txt': 'own' });
      const before = await filesOf(folder);
      const expected = ['a.txt take', 'both.txt merge', 'gone.txt take', 'mine.txt take', 'new.txt take'];
      const planned = await update(folder, '--dry-run');
      expect([planned.status, planned.version, actions(planned)]).toEqual(['planned', 2, expected]);
      expect(await filesOf(folder)).toEqual(before);

      const updated = await update(folder);
      expect(updated).toMatchObject({ status: 'updated', version: 3, source: { version: 1, latest: 2 }, left: [] });
      expect(actions(updated)).toEqual(expected);
      const merged = {
        ...PAGE,
        'a.txt': 'two',
        'both.txt': lines('ONE', '2', 'three'),
        'mine.txt': lines('one', '2', 'THREE'),
        'new.txt': 'new',
        'own.txt': 'own',
      };
      expect(await filesOf(folder)).toEqual(merged);
      expect(await update(folder)).toMatchObject({ status: 'up-to-date', files: [] });
      // The service is told by the next push when it did not hear the first.
      testbed.proxy.answer('updateRemix', 404, { error: { code: 'not-found', message: 'x' } });
      expect(await push(folder)).toMatchObject({ status: 'pushed', version: 4, warnings: [{ code: 'merge-untold' }] });
      testbed.proxy.reset();
      expect(await push(folder)).toMatchObject({ status: 'unchanged', warnings: [] });
      expect(testbed.proxy.calls['updateRemix']).toBe(1);
      expect(await update(folder, '--dry-run')).toMatchObject({ status: 'planned', files: [] });
      expect(await push(folder)).toMatchObject({ status: 'unchanged' });
      expect(testbed.proxy.calls['updateRemix']).toBe(1);
    });

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
      expect(await presence(folder)).toBe(false);
      const all = { ...PAGE, ...next, 'both.txt': lines('ONE', '2', 'three'), 'mine.txt': lines('one', '2', 'THREE') };
      expect(await filesOf(folder)).toEqual(all);
      expect(await push(folder)).toMatchObject({ status: 'pushed', version: 4, warnings: [] });
      expect(await update(folder)).toMatchObject({ status: 'up-to-date' });
    });

    test('is refused with the reason when nothing can be taken, and when the words do not fit', async () => {
      const { folder, slug } = await aRemix({});
      await publisher.done('unpublish', slug);
      const gone = { code: 'conflict', message: words('is not public any more'), details: { state: 'unlisted' } };
      expect(await refused('remix', '--update', folder)).toMatchObject(gone);
      const { folder: plain } = await bed.aDeck();
      expect(await refused('remix', '--update', plain)).toMatchObject({ message: words('not a remix') });
      for (const options of [[], ['some-slug', '--mine'], ['--update', folder, 'more'], ['--update', '--title', 'x']])
        expect((await refused('remix', ...options)).code).toBe('usage');
    });
  });
}
