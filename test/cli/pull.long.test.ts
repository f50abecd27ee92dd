import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentOf, filesOf, PAGE, PulledFolders, versionOf } from './pulled-folders';
import { withTestbed } from './testbed';

let folders: PulledFolders;
withTestbed((made) => (folders = new PulledFolders(made)));

const BASE = { 'a.txt': 'one', 'b/b.txt': 'one', 'c.txt': 'one', 'gone/d.txt': 'one' };
const THERE = { 'a.txt': 'two', 'b/b.txt': 'two', 'c.txt': 'theirs', 'e/e.txt': 'two', 'f.txt': 'two' };

test.each([
  ['to the newest version', 1, [], THERE],
  ['back to an older version', 2, ['--version', '1'], BASE],
])(
  'a pull %s that is killed at any step is never pushed as a mix, and the same command completes it',
  async (_case, from, version, wanted) => {
    const { computer } = folders;
    const { folder: behind, other } = await folders.behind(BASE, THERE);
    const start = from === 1 ? behind : other;
    await writeFile(join(start, 'c.txt'), 'mine');
    const before = await contentOf(start);
    let step = 0;
    for (let hasEnded = false; !hasEnded;) {
      const folder = folders.aName();
      await cp(start, folder, { recursive: true });
      hasEnded = (await folders.killedAt(++step, 'pull', folder, '--theirs', ...version)).code === 0;
      const pushed = await computer.deck(['push', folder, '--dry-run', '--json']);
      const isUntouched = JSON.stringify(await contentOf(folder)) === JSON.stringify(before);
      const isWhole = hasEnded && from === 1;
      // A folder whose files are those of the old version alone may be pushed, when that is the current version.
      if (isWhole) expect(pushed.json<{ status: string }>().status).toBe('unchanged');
      else if (pushed.code === 0) expect([isUntouched, from]).toEqual([true, 2]);
      else expect(['conflict', 'unfinished-download']).toContain(pushed.json<{ error: { code: string } }>().error.code);
      await computer.done('pull', folder, '--theirs', ...version);
      expect(await filesOf(folder)).toEqual({ ...PAGE, ...wanted });
      expect(await versionOf(folder)).toBe(from === 1 ? 2 : 1);
    }
    // The state, three or more files, and .deck.json: the loop has seen each step.
    expect(step).toBeGreaterThan(7);
  },
);

test('a pull of 1 000 files with one change is one download', async () => {
  const { testbed, computer } = folders;
  await testbed.withDatabase(async (database) => {
    const { docs } = await database.collection('organizations').get();
    for (const { ref } of docs) await ref.update({ plan: 'starter' });
  });
  const many = Object.fromEntries(Array.from({ length: 998 }, (_, i) => [`${i % 10}/${i}.txt`, `file ${i}`]));
  const { folder } = await folders.behind(many, { ...many, '7/7.txt': 'changed' });
  testbed.proxy.reset();
  const files = [{ path: '7/7.txt', action: 'take' }];
  expect(await computer.done('pull', folder)).toMatchObject({ status: 'pulled', files });
  expect(testbed.proxy.calls).toEqual({ getPresentationVersion: 2, downloadPresentationAsset: 1 });
});
