import { randomBytes } from 'node:crypto';
import { cp, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aNewFolder, behind, contentOf, filesOf, killedAt, PAGE } from './pulled-folders';
import { aFolder, stoppedPush, uploads } from './pushed-folders';
import { aDeck, computer, deckFileOf, done, push, refused, testbed, told, withTestbed, words } from './testbed';

/** Large files, many files, interrupted and delayed uploads, and each step of a pull at which it can be killed. */

withTestbed('--platform-limits');

const MB = 1024 * 1024;
const many = (count: number, size = 0) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.txt`, Buffer.alloc(size, `${i} `)]));

/** A folder with files of these sizes, which take no room on the disk. */
async function aSparseFolder(sizes: Record<string, number>): Promise<string> {
  const folder = await testbed.aFolder({ 'index.html': '<p>' });
  for (const [path, size] of Object.entries(sizes)) {
    await writeFile(join(folder, path), '');
    await truncate(join(folder, path), size);
  }
  return folder;
}

describe('a push above the caps of the plan', () => {
  const large = { 'notes.html': 11 * MB, 'film.mp4': 51 * MB, 'drawing.svg': 40 * MB, 'fine.bin': 50 * MB };

  test('is warned about each file and refused before anything is sent', async () => {
    const folder = await aSparseFolder(large);
    const lines = [
      '! drawing.svg has 40.0 MB; the service takes at most 30.0 MB.',
      '! film.mp4 has 51.0 MB; the plan "free" allows 50.0 MB.',
      '! notes.html has 11.0 MB; the plan "free" allows 10.0 MB.',
    ];
    for (const options of [['--dry-run'], []]) {
      testbed.proxy.reset();
      const { code, stderr } = await computer.deck(['push', folder, ...options]);
      expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(`^${lines.join('\n')}\n✗ `))]);
      const { getServiceInfo: _info, getUsage: _usage, ...others } = testbed.proxy.calls;
      expect(Object.keys(others)).toEqual(options.length > 0 ? [] : ['precheckAssets', 'commitPresentationVersion']);
    }
  });

  const tooLarge = 'payload-too-large';
  test.each<[string, Record<string, number>, string]>([
    ['many files', Object.fromEntries(Object.keys(many(500)).map((path) => [path, 1])), 'too-many-files'],
    ['many bytes', Object.fromEntries([1, 2, 3, 4, 5, 6].map((i) => [`${i}.bin`, 45 * MB + i])), tooLarge],
  ])('of too %s is refused by its dry run as by the push, of a new deck and of another', async (_, sizes, code) => {
    const folder = await aSparseFolder(sizes);
    const dry = await refused('push', folder, '--dry-run');
    const refusal = told(await refused('push', folder));
    expect([refusal, dry]).toMatchObject([{ code }, { exit: 1, ...refusal }]);
    const { presentationId } = await aDeck();
    const { nextAction: _next, ...ofDeck } = refusal;
    expect(await refused('push', folder, '--dry-run', '--deck', presentationId)).toMatchObject(ofDeck);
  });

  test('of an organization with as many decks as its plan allows is refused by its dry run as by the push', async () => {
    const owner = await testbed.aSignedInComputer();
    const { folder } = await aDeck(undefined, owner);
    const { organizationId } = await owner.done<{ organizationId: string }>('whoami');
    await testbed.withDatabase(async (database) => {
      await database.doc(`organizationUsages/${organizationId}`).update({ decks: 100 });
    });
    const dry = await owner.refused('push', folder, '--new', '--dry-run');
    const refusal = told(await owner.refused('push', folder, '--new'));
    expect([refusal, dry]).toMatchObject([{ code: 'conflict' }, { exit: 1, ...refusal }]);
  });
});

describe('a first push', () => {
  test('checks more than 2 000 hashes in several calls, and meets the limit of files before it uploads anything', async () => {
    const folder = await testbed.aFolder({ 'index.html': '', ...many(2_001, 8) });
    expect(await refused('push', folder)).toMatchObject({ code: 'too-many-files', details: { actual: 2002 } });
    expect(testbed.proxy.calls['precheckAssets']).toBe(2);
    expect(testbed.proxy.calls['uploadPresentationAssets']).toBeUndefined();
  });

  test('of 500 files (25 MB) sends at most 12 requests', async () => {
    expect(await aDeck({ 'index.html': '', ...many(499, 50 * 1024) })).toMatchObject({ uploaded: { files: 500 } });
    const requests = Object.values(testbed.proxy.calls).reduce((sum, count) => sum + count, 0);
    expect(requests).toBeLessThanOrEqual(12);
  });

  test('takes files above what a request may hold, up to the cap of the plan', async () => {
    const [below, above, atCap] = [randomBytes(24 * MB), randomBytes(40 * MB), randomBytes(50 * MB)];
    const pushed = await aDeck({ 'index.html': '<p>', 'a.bin': below, 'b.bin': above, 'c.mp4': atCap });
    expect(pushed.uploaded.files).toBe(4);
    const calls = { uploadPresentationAssets: 2, createAssetUploads: 1, completeAssetUploads: 2 };
    expect(testbed.proxy.calls).toMatchObject(calls);
    // The service redirects this file to a signed address of the bucket.
    const film = Buffer.from(await (await fetch(testbed.fileUrl(pushed.shareUrl, '_t', 'c.mp4'))).arrayBuffer());
    expect(film.equals(atCap)).toBe(true);
    testbed.proxy.reset();
    expect(await push(pushed.folder)).toMatchObject({ status: 'unchanged' });
    expect(testbed.proxy.calls['createAssetUploads']).toBeUndefined();
  });

  test('reads the folder again when a large file changed during its upload', async () => {
    const folder = await testbed.aFolder({ 'index.html': '<p>', 'a.bin': randomBytes(30 * MB) });
    const change = () => writeFile(join(folder, 'a.bin'), randomBytes(30 * MB));
    testbed.proxy.before('createAssetUploads', (number) => number > 1 || change());
    const message = words('a.bin changed while it was being pushed. Reading the folder again.');
    expect(await push(folder)).toMatchObject({ status: 'pushed', version: 1, warnings: [{ message }] });
  });
});

describe('a pull', () => {
  const BASE = { 'a.txt': 'one', 'b/b.txt': 'one', 'c.txt': 'one', 'gone/d.txt': 'one' };
  const THERE = { 'a.txt': 'two', 'b/b.txt': 'two', 'c.txt': 'theirs', 'e/e.txt': 'two', 'f.txt': 'two' };

  test.each([
    ['to the newest version', 1, [], THERE],
    ['back to an older version', 2, ['--version', '1'], BASE],
  ])('%s that is killed at any step is not pushed as a mix, and can be completed', async (_, from, version, wanted) => {
    const { folder: old, other } = await behind(BASE, THERE);
    const start = from === 1 ? old : other;
    await writeFile(join(start, 'c.txt'), 'mine');
    const before = await contentOf(start);
    let step = 0;
    for (let hasEnded = false; !hasEnded;) {
      const folder = aNewFolder();
      await cp(start, folder, { recursive: true });
      hasEnded = (await killedAt(++step, 'pull', folder, '--theirs', ...version)).code === 0;
      const pushed = await computer.deck(['push', folder, '--dry-run', '--json']);
      const isUntouched = JSON.stringify(await contentOf(folder)) === JSON.stringify(before);
      // A folder whose files are those of the old version alone may be pushed, when that is the current version.
      if (hasEnded && from === 1) expect(pushed.json<{ status: string }>().status).toBe('unchanged');
      else if (pushed.code === 0) expect([isUntouched, from]).toEqual([true, 2]);
      else expect(pushed.stdout).toMatch(/"code": ?"(conflict|unfinished-download)"/);
      await done('pull', folder, '--theirs', ...version);
      expect(await filesOf(folder)).toEqual({ ...PAGE, ...wanted });
      expect((await deckFileOf(folder)).version).toBe(from === 1 ? 2 : 1);
    }
    // The state, three or more files, and .deck.json: the loop has seen each step.
    expect(step).toBeGreaterThan(7);
  });

  test('of 1 000 files with one change is one download', async () => {
    await testbed.withDatabase(async (database) => {
      const { docs } = await database.collection('organizations').get();
      for (const { ref } of docs) await ref.update({ plan: 'starter' });
    });
    const base = Object.fromEntries(Array.from({ length: 998 }, (_, i) => [`${i % 10}/${i}.txt`, `file ${i}`]));
    const { folder } = await behind(base, { ...base, '7/7.txt': 'changed' });
    testbed.proxy.reset();
    const files = [{ path: '7/7.txt', action: 'take' }];
    expect(await done('pull', folder)).toMatchObject({ status: 'pulled', files });
    expect(testbed.proxy.calls).toEqual({ getPresentationVersion: 2, downloadPresentationAsset: 1 });
  });
});

describe('Ctrl-C', () => {
  test('during the uploads exits with 130 and a hint, and the next push sends only the missing files', async () => {
    const folder = await aFolder(6, 5 * MB);
    const stopped = await stoppedPush(folder, { name: 'uploadPresentationAssets', number: 5 });
    const error = { code: 'interrupted', nextAction: words('Run the same command again') };
    expect([stopped.code, stopped.stderr]).toEqual([130, '']);
    expect(stopped.json()).toMatchObject({ ok: false, exitCode: 130, error });
    const { uploaded, version } = await push(folder);
    // Of the forms, two were answered, the answers to two more may have been lost, and the others were held.
    expect([version, [1, 2, 3, 4].includes(uploaded.files)]).toEqual([1, true]);
    expect(uploads()).toBeLessThanOrEqual(4);
  });
});

describe('a failing network', () => {
  test('with a 429 and Retry-After is retried, and not earlier', async () => {
    const folder = await aFolder(1);
    const times: number[] = [];
    testbed.proxy.watch = ({ name }, response) => {
      if (name !== 'uploadPresentationAssets') return 'forward';
      if (times.push(performance.now()) > 1) return 'forward';
      const error = { code: 'rate-limited', message: 'Too many requests.' };
      response.writeHead(429, { 'Retry-After': '1' }).end(JSON.stringify({ success: false, error }));
      return 'answered';
    };
    expect((await push(folder)).version).toBe(1);
    expect(times[1]! - times[0]!).toBeGreaterThan(990);
  });
});
