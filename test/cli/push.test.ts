import { once } from 'node:events';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aDeck, computer, deckFileOf, done, fill, push, refused, testbed, withTestbed, words } from './testbed';

withTestbed();

const MB = 1024 * 1024;
const deckFiles = () => ({
  'index.html': `<title>Deck ${Math.random()}</title><script type="module" src="app.js"></script>`,
  'app.js': 'export {};',
  'style.css': 'body { margin: 0 }',
});
const refusal = (folder: string, ...options: string[]) => refused('push', folder, ...options);
const uploads = () => testbed.proxy.calls['uploadPresentationAssets'];

/** A file of the deck, through its share link. */
async function view(shareUrl: string, path = ''): Promise<Response> {
  const { pathname, searchParams } = new URL(shareUrl);
  const id = pathname.split('/').at(-1);
  return fetch(`${testbed.baseUrl}/getSharedPresentation/${id}/_t/${searchParams.get('token')}/${encodeURI(path)}`);
}
const textOf = async (shareUrl: string, path?: string) => (await view(shareUrl, path)).text();

describe('a first push', () => {
  test('makes a deck that everyone with the link can open, with the title of its page and the types of its files', async () => {
    const latin = { 'größe & 100%.txt': Buffer.from([0xe9, 0x74, 0xe9]) };
    const pushed = await aDeck({ ...deckFiles(), ...latin, 'index.html': '<title>A &amp; B</title>hello' });
    expect(pushed).toMatchObject({ status: 'pushed', version: 1, title: 'A & B', uploaded: { files: 4 } });
    expect(await textOf(pushed.shareUrl)).toBe('<title>A &amp; B</title>hello');
    for (const [path, type] of [
      ['style.css', 'text/css; charset=utf-8'],
      ['größe & 100%.txt', 'text/plain'],
    ] as const)
      expect((await view(pushed.shareUrl, path)).headers.get('content-type')).toBe(type);
  });

  test('uploads duplicate files once', async () => {
    const pushed = await aDeck({ 'index.html': 'same', 'a/copy.html': 'same', 'b/copy.html': 'same' });
    expect([pushed.uploaded.files, await textOf(pushed.shareUrl, 'b/copy.html')]).toEqual([1, 'same']);
  });

  test('stores no secret in the folder, and the link in the config folder', async () => {
    const { folder, shareUrl, presentationId } = await aDeck(deckFiles());
    const token = new URL(shareUrl).searchParams.get('token')!;
    expect(token).toHaveLength(64);
    expect(await readFile(join(folder, '.deck.json'), 'utf8')).not.toContain(token);
    expect(await deckFileOf(folder)).toMatchObject({ presentationId, version: 1, entryPath: 'index.html' });
    expect(await done('open', folder, '--print')).toMatchObject({ ok: true, shareUrl, opened: false });
  });

  test('prints the share link, and no bars or colours without a terminal', async () => {
    const { stdout, stderr } = await computer.deck(['push', await testbed.aFolder(deckFiles())]);
    const lines = /^Read 3 files .*\nUploaded 3 files .*\n✓ Pushed version 1 of Deck [\d.]+\n\n {2}http\S+\n\n$/;
    expect([stdout, stderr]).toEqual([expect.stringMatching(lines), '']);
  });

  test('with a file above the plan’s limit names the file before it uploads anything', async () => {
    const folder = await testbed.aFolder({ 'index.html': 'x', 'notes.html': Buffer.alloc(10 * MB + 1) });
    const message = words('notes.html has 10.0 MB (10485761 bytes)');
    const expected = { code: 'payload-too-large', message, details: { path: 'notes.html' } };
    const error = await refusal(folder);
    expect(error).toMatchObject(expected);
    const { code, details, nextAction } = error;
    expect(await refusal(folder, '--dry-run')).toMatchObject({ code, message: error.message, details, nextAction });
    expect(uploads()).toBeUndefined();
  });

  test('with --dry-run asks for the limits only, and does not write .deck.json', async () => {
    const folder = await testbed.aFolder(deckFiles());
    expect(await push(folder, '--dry-run')).toMatchObject({ status: 'planned', version: 1 });
    expect(testbed.proxy.calls).toEqual({ getServiceInfo: 1, getUsage: 1 });
    await expect(deckFileOf(folder)).rejects.toThrow('ENOENT');
  });
});

describe('a second push', () => {
  test('of an unchanged folder uploads nothing, makes no version, and shows the same link', async () => {
    const { folder, shareUrl } = await aDeck(deckFiles());
    testbed.proxy.reset();
    expect(await push(folder)).toMatchObject({ status: 'unchanged', version: 1, uploaded: { files: 0 }, shareUrl });
    expect(uploads()).toBeUndefined();
    expect((await computer.deck(['push', folder])).stdout).toContain('Nothing changed since version 1');
  });

  test('uploads the one file that changed, and makes version 2 under the same link', async () => {
    const { folder, shareUrl } = await aDeck(deckFiles());
    await writeFile(join(folder, 'style.css'), 'body { margin: 1px }');
    testbed.proxy.reset();
    expect(await push(folder)).toMatchObject({ status: 'pushed', version: 2, uploaded: { files: 1 }, shareUrl });
    expect([uploads(), await textOf(shareUrl, 'style.css')]).toEqual([1, 'body { margin: 1px }']);
  });

  test('that only removes a file, or changes the entry or the title, makes a version', async () => {
    const { folder, shareUrl } = await aDeck({ ...deckFiles(), 'other.html': 'other' });
    await rm(join(folder, 'style.css'));
    expect(await push(folder)).toMatchObject({ version: 2, uploaded: { files: 0 } });
    expect((await view(shareUrl, 'style.css')).status).toBe(404);
    const entryPath = 'other.html';
    expect(await push(folder, '--entry', entryPath)).toMatchObject({ version: 3, entryPath });
    expect(await textOf(shareUrl)).toBe('other');
    for (const status of ['pushed', 'unchanged'])
      expect(await push(folder, '--title', 'Renamed')).toMatchObject({
        status,
        version: 4,
        title: 'Renamed',
        entryPath,
      });
  });

  test('with --dry-run shows what would change', async () => {
    const { folder } = await aDeck(deckFiles());
    await fill(folder, { 'app.js': 'export const x = 1', 'new.txt': 'new' });
    await rm(join(folder, 'style.css'));
    const changes = { added: 1, changed: 1, removed: 1, unchanged: 1 };
    const plan = { status: 'planned', version: 2, toUpload: { files: 2 }, changes };
    expect(await push(folder, '--dry-run')).toMatchObject(plan);
    expect(await push(folder)).toMatchObject({ status: 'pushed', version: 2 });
  });

  test('with --new makes another deck, which becomes the deck of the folder', async () => {
    const { folder, presentationId } = await aDeck(deckFiles());
    const second = await push(folder, '--new');
    expect(second).toMatchObject({ version: 1, presentationId: expect.not.stringMatching(presentationId) as string });
    const unchanged = { status: 'unchanged', version: 1 };
    expect(await push(folder)).toMatchObject({ ...unchanged, presentationId: second.presentationId });
    expect(await push(folder, '--deck', presentationId)).toMatchObject({ ...unchanged, presentationId });
  });

  test('to another service than that of the folder’s deck, or to no deck, is refused with --new', async () => {
    const { folder } = await aDeck(deckFiles());
    for (const [code, ...options] of [
      ['other-service', '--base-url', testbed.baseUrl],
      ['not-found', '--deck', '01890000-0000-7000-8000-000000000000'],
    ] as const)
      expect(await refusal(folder, ...options)).toMatchObject({ code, nextAction: words('--new') });
  });
});

describe('a push from an older version', () => {
  /** A folder whose deck has a version 2, pushed from a copy of the folder. */
  async function anOldFolder(text: string): Promise<string> {
    const { folder, presentationId } = await aDeck(deckFiles());
    const theirs = await testbed.aFolder({});
    await cp(folder, theirs, { recursive: true });
    await fill(theirs, { 'app.js': text });
    await push(theirs, '--deck', presentationId);
    return folder;
  }

  test('is refused before anything is uploaded, and is accepted with --force', async () => {
    const mine = await anOldFolder('theirs');
    await fill(mine, { 'app.js': 'mine' });
    testbed.proxy.reset();
    const message = words('The deck is at version 2; this folder is based on version 1.');
    const details = { serverVersion: 2, expectedBaseVersion: 1 };
    const conflict = { code: 'conflict', exit: 1, message, nextAction: words('--force'), details };
    expect(await refusal(mine)).toMatchObject(conflict);
    expect(uploads()).toBeUndefined();
    const forced = await push(mine, '--force');
    expect([forced.version, await textOf(forced.shareUrl, 'app.js')]).toEqual([3, 'mine']);
  });

  test('with the same files as the current version is not a conflict, and bases the folder on that version', async () => {
    const mine = await anOldFolder('both');
    await fill(mine, { 'app.js': 'both' });
    expect(await push(mine)).toMatchObject({ status: 'unchanged', version: 2 });
    await fill(mine, { 'app.js': 'on' });
    expect(await push(mine)).toMatchObject({ status: 'pushed', version: 3 });
  });
});

describe('a push with wrong arguments', () => {
  test.each([
    [['push'], "Missing required argument 'folder'", 'deck push --help'],
    [['push', 'absent'], 'There is no folder absent.', ''],
    [['push', '.', '--new', '--deck', 'x'], '--new and --deck exclude each other.', ''],
    [['push', '.', '--frobnicate'], "Unknown option '--frobnicate'", 'deck push --help'],
    [['frobnicate'], "Unknown command 'frobnicate'", 'deck --help'],
  ])('(%j) exits with 2 and one JSON document, which names the help', async (args, message, help) => {
    const { code, json } = await computer.deck([...args, '--json']);
    const { error, ...document } = json<{ error: { nextAction?: string } }>();
    expect([code, document, error]).toMatchObject([2, { ok: false, exitCode: 2 }, { code: 'usage', message }]);
    expect(error.nextAction ?? '').toContain(help);
  });

  test('names the option of a field that the service refuses', async () => {
    const error = await refusal(await testbed.aFolder(deckFiles()), '--title', 'x'.repeat(256));
    expect(error).toMatchObject({ code: 'invalid-argument', details: { errors: [{ location: '--title' }] } });
  });

  test('without a key names the command that gets one', async () => {
    const { code, stdout, stderr } = await testbed.aComputer().deck(['push', await testbed.aFolder(deckFiles())]);
    expect([code, stdout, stderr]).toEqual([3, '', words('deck login')]);
  });
});

/** A folder with so many files, each padded to `size` bytes. A form holds at most 8 MB of them. */
const aFolder = (files: number, size = 0) =>
  testbed.aFolder(
    Object.fromEntries([
      ['index.html', `<title>${Math.random()}</title>`],
      ...Array.from({ length: files - 1 }, (_, i) => [`${i}.txt`, `file ${i}`.padEnd(size)] as const),
    ]),
  );
const stoppedPush = async (folder: string, at: Parameters<typeof computer.stoppedAt>[0]) =>
  computer.stoppedAt(at, ['push', folder, '--json']);

describe('Ctrl-C', () => {
  test('during the uploads exits with 130 and a hint, and the next push sends only the missing files', async () => {
    const folder = await aFolder(6, 5 * MB);
    const stopped = await stoppedPush(folder, { name: 'uploadPresentationAssets', number: 5 });
    const error = { code: 'interrupted', nextAction: words('Run the same command again') };
    expect([stopped.code, stopped.stderr]).toEqual([130, '']);
    expect(stopped.json()).toMatchObject({ ok: false, exitCode: 130, error });
    const { uploaded, version } = await push(folder);
    expect(version).toBe(1);
    // Of five forms, two were answered, the answers to two more may have been lost, and one was held.
    expect(uploaded.files).toBeLessThanOrEqual(6 - 2);
    expect(uploaded.files).toBeGreaterThanOrEqual(1);
    expect(uploads()).toBeLessThanOrEqual(3);
  });

  test('during the commit makes one deck, not two', async () => {
    const folder = await aFolder(3);
    const decks = async () => (await done<{ decks: { id: string }[] }>('list')).decks.map(({ id }) => id);
    const before = await decks();
    const at = { name: 'commitPresentationVersion', number: 2, fate: 'lose the answer' } as const;
    expect((await stoppedPush(folder, at)).code).toBe(130);
    const { presentationId, status } = await push(folder);
    expect(status).toBe('unchanged');
    expect((await decks()).filter((id) => !before.includes(id))).toEqual([presentationId]);
  });

  test('more than an hour ago, when the session has expired, makes the next push start a new session', async () => {
    const sessions = () => readdir(join(computer.configFolder, 'deck', 'sessions'));
    const [folder, before] = [await aFolder(2), await sessions()];
    await stoppedPush(folder, { name: 'uploadPresentationAssets' });
    expect(await sessions()).toHaveLength(before.length + 1);
    await testbed.later(3600);
    expect(await push(folder)).toMatchObject({ status: 'pushed', version: 1, uploaded: { files: 2 } });
    expect(await sessions()).toEqual(before);
  });
});

describe('a failing network', () => {
  test('that loses the answer to a commit makes one version: the retry sends the same idempotency key', async () => {
    const folder = await aFolder(2);
    const keys: unknown[] = [];
    testbed.proxy.watch = ({ name, headers }) => {
      if (name !== 'commitPresentationVersion' || !headers['idempotency-key']) return 'forward';
      keys.push(headers['idempotency-key']);
      return keys.length === 1 ? 'lose the answer' : 'forward';
    };
    for (const version of [1, 2]) {
      expect(await push(folder)).toMatchObject({ status: 'pushed', version });
      expect(keys).toEqual([keys[0], keys[0]]);
      keys.length = 0;
      await writeFile(join(folder, '0.txt'), 'changed');
    }
  });

  test('during the uploads delays the push, and every file arrives', async () => {
    const folder = await aFolder(4, 5 * MB);
    testbed.proxy.watch = ({ name, number }, response) => {
      if (name !== 'uploadPresentationAssets' || number % 3 !== 0) return 'forward';
      response.destroy();
      return 'answered';
    };
    expect(await push(folder)).toMatchObject({ version: 1, uploaded: { files: 4 } });
    expect(uploads()).toBe(4);
  });

  test('during a restart of the service delays the push', async () => {
    testbed.proxy.before('uploadPresentationAssets', () => testbed.proxy.close());
    const running = computer.start(['push', await aFolder(1)]);
    await once(running.stderr, 'data'); // the client has printed that it tries again
    testbed.proxy.reset();
    await testbed.proxy.open();
    expect((await running.ended).stdout).toContain('Pushed version 1');
  });

  test('with a 429 and Retry-After is retried, and not earlier; with a 403 it is not', async () => {
    const folder = await aFolder(1);
    const times: number[] = [];
    testbed.proxy.watch = ({ name }, response) => {
      if (name !== 'uploadPresentationAssets') return 'forward';
      times.push(performance.now());
      if (times.length > 1) return 'forward';
      const error = { code: 'rate-limited', message: 'Too many requests.' };
      response.writeHead(429, { 'Retry-After': '1' }).end(JSON.stringify({ success: false, error }));
      return 'answered';
    };
    expect((await push(folder)).version).toBe(1);
    expect(times[1]! - times[0]!).toBeGreaterThan(990);
    testbed.proxy.reset();
    const denied = { success: false, error: { code: 'permission-denied', message: 'No.' } };
    testbed.proxy.answer('uploadPresentationAssets', 403, denied);
    expect((await refusal(await aFolder(1))).exit).toBe(3);
    expect(uploads()).toBe(1);
  });
});

test('a file that changes during the push is read again; when it changes each time, the push fails and names it', async () => {
  const folder = await aFolder(3);
  testbed.proxy.before('precheckAssets', (number) => number > 1 || writeFile(join(folder, '0.txt'), 'FILE 0'));
  const pushed = await push(folder);
  const message = words('0.txt changed while it was being pushed. Reading the folder again.');
  expect(pushed).toMatchObject({ status: 'pushed', version: 1, warnings: [{ message }] });
  testbed.proxy.reset();
  expect(await push(folder)).toMatchObject({ status: 'unchanged' });
  const other = await aFolder(3);
  testbed.proxy.before('precheckAssets', (number) => writeFile(join(other, '0.txt'), `state ${number}`));
  const changed = { code: 'file-changed', exit: 1, nextAction: words('The file keeps changing') };
  expect(await refusal(other)).toMatchObject(changed);
});
