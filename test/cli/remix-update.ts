import { filesOf, PAGE } from './pulled-folders';
import { publisher } from './publisher';
import * as bed from './testbed';
import { fill, push, refused, testbed, words } from './testbed';
import { aRemix, base, lines, next, update, type Updated } from './updated-remix';

/** `deck remix --update`: what changed in the source of a remix, and in the remix. */
export function proveRemixUpdate(): void {
  const actions = ({ files }: Updated) => files.map(({ path, action }) => `${path} ${action}`);

  describe('deck remix --update', () => {
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
