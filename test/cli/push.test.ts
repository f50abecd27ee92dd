import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFiles } from '../support/temporary-folder';
import { zipArchive } from '../support/zip-archive';
import type { Fate } from './fault-proxy';
import { proveOpen } from './open';
import { provePdfs } from './pdf-deck';
import { provePull } from './pull';
import { aFolder, stoppedPush, uploads } from './pushed-folders';
import { aDeck, computer, deckFileOf, done, fill, push, refused, testbed, told, withTestbed, words } from './testbed';

withTestbed();

const MB = 1024 * 1024;
const deckFiles = () => ({
  'index.html': `<title>Deck ${Math.random()}</title><script type="module" src="app.js"></script>`,
  'app.js': 'export {};',
  'style.css': 'body { margin: 0 }',
});
const refusal = (folder: string, ...options: string[]) => refused('push', folder, ...options);

/** A file of the deck, through its share link. */
const view = (shareUrl: string, path?: string) => fetch(testbed.fileUrl(shareUrl, '_t', path));
const textOf = async (shareUrl: string, path?: string) => (await view(shareUrl, path)).text();

describe('a first push', () => {
  test('makes a deck that everyone with the link can open, with the title of its page and the types of its files', async () => {
    const others = { 'größe & 100%.txt': Buffer.from([0xe9, 0x74, 0xe9]), 'a.css': 'same', 'b/copy.css': 'same' };
    const { folder, ...pushed } = await aDeck({ ...others, 'index.html': '<title>A &amp; B</title>hello' });
    // Duplicate files are uploaded once.
    expect(pushed).toMatchObject({ status: 'pushed', version: 1, title: 'A & B', uploaded: { files: 3 } });
    const { shareUrl, presentationId } = pushed;
    expect(await textOf(shareUrl)).toBe('<title>A &amp; B</title>hello');
    for (const [path, type] of [
      ['b/copy.css', 'text/css; charset=utf-8'],
      ['größe & 100%.txt', 'text/plain'],
    ] as const)
      expect((await view(shareUrl, path)).headers.get('content-type')).toBe(type);
    // The folder gets no secret; the link is in the config folder.
    const token = new URL(shareUrl).searchParams.get('token');
    expect(token).toHaveLength(64);
    expect(await readFile(join(folder, '.deck.json'), 'utf8')).not.toContain(token);
    expect(await deckFileOf(folder)).toMatchObject({ presentationId, version: 1, entryPath: 'index.html' });
    expect(await done('open', folder, '--print')).toMatchObject({ ok: true, shareUrl, opened: false });
  });

  test('with a file above the plan’s limit names the file before it uploads anything', async () => {
    const folder = await testbed.aFolder({ 'index.html': 'x', 'notes.html': Buffer.alloc(10 * MB + 1) });
    const error = told(await refusal(folder));
    const message = words('notes.html has 10.0 MB (10485761 bytes)');
    expect(error).toMatchObject({ code: 'payload-too-large', message, details: { path: 'notes.html' } });
    expect(await refusal(folder, '--dry-run')).toMatchObject(error);
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
  test('uploads the files that changed only, under the same link, and makes no version of an unchanged folder', async () => {
    const { folder, shareUrl } = await aDeck(deckFiles());
    testbed.proxy.reset();
    expect(await push(folder)).toMatchObject({ status: 'unchanged', version: 1, uploaded: { files: 0 }, shareUrl });
    expect(uploads()).toBeUndefined();
    expect((await computer.deck(['push', folder])).stdout).toContain('Nothing changed since version 1');
    await writeFile(join(folder, 'style.css'), 'body { margin: 1px }');
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
    const renamed = { version: 4, title: 'Renamed', entryPath };
    for (const status of ['pushed', 'unchanged'])
      expect(await push(folder, '--title', 'Renamed')).toMatchObject({ ...renamed, status });
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
    const other = { code: 'other-service', nextAction: words('--new') };
    expect(await refusal(folder, '--base-url', testbed.baseUrl)).toMatchObject(other);
    const absent = { code: 'not-found', nextAction: words('--new') };
    expect(await refusal(folder, '--deck', '01890000-0000-7000-8000-000000000000')).toMatchObject(absent);
  });
});

test('a push from an older version is refused before an upload, unless with --force or with the files of the newest', async () => {
  const { folder: mine, presentationId } = await aDeck(deckFiles());
  const theirs = await testbed.aFolder({});
  await cp(mine, theirs, { recursive: true });
  await fill(theirs, { 'app.js': 'theirs' });
  await push(theirs, '--deck', presentationId);
  await fill(mine, { 'app.js': 'mine' });
  testbed.proxy.reset();
  const newest = 'The deck is at version 2, pushed by Ada at \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC; ';
  const message = expect.stringMatching(`^${newest}this folder is based on version 1\\.$`) as string;
  const details = { serverVersion: 2, expectedBaseVersion: 1, updatedByName: 'Ada' };
  const conflict = { code: 'conflict', exit: 1, message, nextAction: words('--force'), details };
  expect(await refusal(mine)).toMatchObject(conflict);
  expect(uploads()).toBeUndefined();
  const forced = await push(mine, '--force');
  expect([forced.version, await textOf(forced.shareUrl, 'app.js')]).toEqual([3, 'mine']);
  await fill(theirs, { 'app.js': 'mine' });
  expect(await push(theirs)).toMatchObject({ status: 'unchanged', version: 3 });
  await fill(theirs, { 'app.js': 'on' });
  expect(await push(theirs)).toMatchObject({ status: 'pushed', version: 4 });
});

test('a title that is refused has the code of deck rename, for a new deck and a new version', async () => {
  const { folder } = await aDeck(deckFiles());
  for (const title of ['x'.repeat(256), ' '])
    for (const options of [['--new'], []])
      expect(await refusal(folder, '--title', title, ...options)).toMatchObject({ code: 'wrong-title', exit: 1 });
});

describe('the log of a CI', () => {
  const token = /token=[\w-]{20}/;

  test('has no secret link: --quiet shows none, and nothing but warnings and failures', async () => {
    const folder = await testbed.aFolder({ ...deckFiles(), _headers: '/*\n  X-A: b' });
    const { code, stdout, stderr } = await computer.deck(['push', folder, '--quiet'], { CI: 'true' });
    expect([code, stdout, stderr]).toEqual([0, '', expect.stringContaining('_headers')]);
    const { json } = await computer.deck(['push', folder, '--new', '--quiet', '--json'], { CI: 'true' });
    expect(Object.keys(json<Record<string, unknown>>())).not.toContain('shareUrl');
  });

  test('has links without their secret part, which --json has', async () => {
    const { folder, shareUrl } = await aDeck(deckFiles());
    for (const [words, system] of [
      [['push', folder, '--message', 'x'], { CI: 'true' }],
      [['links', folder], { TF_BUILD: 'True' }],
      [['links', folder], { TEAMCITY_VERSION: '2026.1' }],
      [['links', folder], { JENKINS_URL: 'x', BUILD_ID: '1' }],
      [['links', folder], { CODEBUILD_BUILD_ARN: 'x' }],
    ] as const) {
      const { stdout } = await computer.deck([...words], system);
      expect(stdout).toMatch(/\/share\/[\da-f-]{36}\?token=\*\*\*\n/);
      expect(stdout).not.toMatch(token);
    }
    const short = await computer.deck(['links', 'add', 'Talk', '--short', '--deck', folder], { CI: 'true' });
    expect(short.stdout).toMatch(/\/s\/\*\*\*\n.*\?token=\*\*\*\n/);
    const { stdout } = await computer.deck(['push', folder, '--json'], { CI: 'true' });
    expect(stdout).toContain(shareUrl);
  });
});

describe('a push', () => {
  test('without a folder takes the current one', async () => {
    const folder = await testbed.aFolder(deckFiles());
    const { code, stdout } = await computer.deckIn(folder, ['push', '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { status: 'pushed', version: 1 }]);
  });

  test('of an HTML file, and again, makes versions of a deck with this file', async () => {
    const folder = await testbed.aFolder({ 'talk.html': '<title>One</title>', 'other.html': '' });
    const [file, entryPath] = [join(folder, 'talk.html'), 'talk.html'];
    expect(await push(file)).toMatchObject({ status: 'pushed', version: 1, title: 'One', entryPath, fileCount: 1 });
    expect(await push(file)).toMatchObject({ status: 'unchanged' });
    await writeFile(file, '<title>Two</title>');
    const { presentationId: id, ...next } = await push(file);
    expect(next).toMatchObject({ status: 'pushed', version: 2 });
    expect((await done<{ links: object[] }>('links', file)).links).toHaveLength(1);
    expect(await readdir(folder)).toContain('.talk.html.deck.json');
    // A pull needs a folder.
    await push(await testbed.aFolder(deckFiles()), '--deck', id);
    const pull = { nextAction: words(`deck pull ${id} <folder>`) };
    await writeFile(file, '<title>Three</title>');
    expect([await refusal(file), await refused('pull', file)]).toMatchObject([pull, { ...pull, code: 'usage' }]);
    for (const command of ['diff', 'restore 1']) {
      const { stdout, stderr } = await computer.deck([...command.split(' '), '--deck', file]);
      expect(`${stdout}${stderr}`).toEqual(pull.nextAction);
    }
  });

  test('of a zip archive takes what the dashboard takes of it, and leaves nothing unpacked', async () => {
    const archive = join(testbed.folder, 'talk.zip');
    const kept = { 'talk/index.html': '<title>Zipped</title>', 'talk/a.css': 'a {}' };
    const upload = { name: 'uploadPresentationAssets' };
    const entries = { ...kept, 'talk/.hidden': 'x', 'talk/notes/a.txt': 'x', 'talk/.deckignore': 'notes/' };
    await writeFile(archive, zipArchive(Object.entries(entries).map(([name, content]) => ({ name, content }))));
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      expect((await computer.stoppedAt(upload, ['push', archive], signal)).code).toBe(130);
    const pushed = await push(archive);
    expect(pushed).toMatchObject({ status: 'pushed', title: 'Zipped', entryPath: 'index.html', fileCount: 2 });
    expect(await textOf(pushed.shareUrl, 'a.css')).toBe('a {}');
    expect(await push(archive)).toMatchObject({ status: 'unchanged' });
    await writeFile(archive, 'not an archive');
    expect(await refusal(archive)).toMatchObject({ code: 'damaged-file', exit: 1 });
    expect(temporaryFiles('deck-given-')).toEqual([]);
  });
});

describe('a push with wrong arguments', () => {
  test.each([
    [['push', 'absent'], 'There is no folder absent.', ''],
    [['--profile', 'list', 'push', 'absent'], 'There is no folder absent.', ''],
    [['push', '.', '--new', '--deck', 'x'], '--new and --deck cannot be used together.', ''],
    [['push', '.', '--frobnicate'], "Unknown option '--frobnicate'", 'deck push --help'],
    [['frobnicate'], "Unknown command 'frobnicate'", 'deck --help'],
  ])('(%j) exits with 2 and one JSON document, which names the help', async (args, message, help) => {
    const { code, json } = await computer.deck([...args, '--json']);
    const { error, ...document } = json<{ error: { nextAction?: string } }>();
    expect([code, document, error]).toMatchObject([2, { ok: false, exitCode: 2 }, { code: 'usage', message }]);
    expect(error.nextAction ?? '').toContain(help);
  });
});

/** Which of the hashes the upload session of the interrupted push of a folder lacks. */
async function missing(folder: string, hashes: string[]): Promise<string[]> {
  const sessions = join(computer.configFolder, 'deck', 'sessions');
  const stored = await Promise.all((await readdir(sessions)).map((name) => readFile(join(sessions, name), 'utf8')));
  const { sessionId } = stored
    .map((text) => JSON.parse(text) as { folder: string; sessionId: string })
    .find((session) => session.folder === folder)!;
  const headers = { authorization: `Bearer ${await computer.key()}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ hashes, sessionId });
  const answer = await fetch(`${testbed.baseUrl}/precheckAssets`, { method: 'POST', headers, body });
  return ((await answer.json()) as { data: { missing: string[] } }).data.missing;
}

test('a config folder that cannot be written fails a push before it uploads anything, and nothing that is done', async () => {
  const { presentationId: id, shareUrl } = await aDeck();
  const by = testbed.aComputer();
  // Root may write everywhere, but not below a file.
  await writeFile(by.configFolder, '');
  const withKey = async (...args: string[]) => by.deck([...args, '--json'], { DECK_API_KEY: await computer.key() });
  const folder = await testbed.aFolder({ 'index.html': '<title>Other</title>' });
  const untold = (file: string) => ({ code: 'not-remembered', message: words(`${file} cannot be written (ENOTDIR)`) });

  testbed.proxy.reset();
  const first = await withKey('push', folder);
  const message = words('json cannot be written (ENOTDIR)');
  expect(first.json()).toMatchObject({ exitCode: 1, error: { code: 'cannot-write', message } });
  expect(testbed.proxy.calls['uploadPresentationAssets']).toBeUndefined();

  const pushed = await withKey('push', folder, '--deck', id);
  const warnings = [untold('folders.json'), untold('json'), untold('links.json')];
  expect(pushed.json()).toMatchObject({ status: 'pushed', version: 2, shareUrl, warnings });
  expect((await withKey('links', 'revoke', '--all', '--yes', '--deck', id)).json()).toMatchObject({ ok: true });
  expect((await withKey('delete', id, '--yes')).json()).toMatchObject({ status: 'deleted' });
});

describe('Ctrl-C', () => {
  test('during the commit makes one deck, not two, and no second version unless its title or entry is another', async () => {
    const [folder, other] = [await aFolder(3), await aFolder(3)];
    const decks = async () => (await done<{ decks: { id: string }[] }>('list')).decks.length;
    const before = await decks();
    const at = { name: 'commitPresentationVersion', number: 2, fate: 'lose the answer' } as const;
    for (const each of [folder, other]) expect((await stoppedPush(each, at)).code).toBe(130);
    expect([(await push(folder)).status, await decks()]).toEqual(['unchanged', before + 2]);
    expect(await push(other, '--title', 'Renamed')).toMatchObject({ status: 'pushed', version: 2, title: 'Renamed' });
    expect(await decks()).toBe(before + 2);
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

  test('that breaks in the middle of a form sends only those of its files again that had not arrived', async () => {
    const texts = Array.from({ length: 6 }, (_, i) => `${Math.random()} ${i}`.padEnd(100_000));
    const folder = await testbed.aFolder({ 'index.html': '', ...Object.fromEntries(texts.entries()) });
    const hashes = texts.map((text) => createHash('sha256').update(text).digest('hex'));
    const { sent, seen } = { sent: [] as number[], seen: { bytes: 0 } };
    testbed.proxy.watch = async ({ name, number, headers }, response): Promise<Fate> => {
      if (name === 'uploadPresentationAssets') {
        sent.push(Number(headers['content-length']));
        const cutOff = ({ length }: Buffer) => (seen.bytes += length) > 350_000 && response.destroy();
        // Paused, so that no byte is lost before the proxy passes them on.
        if (number === 1) response.req.pause().on('data', cutOff);
      }
      // The function hears of the end of its client after the proxy does.
      if (name === 'precheckAssets' && number === 2)
        for (let others = 0; others < 100 && (await missing(folder, hashes)).length === hashes.length; others++);
      return 'forward';
    };
    expect(await push(folder)).toMatchObject({ status: 'pushed', uploaded: { files: 7 } });
    const [whole = 0, ...rest] = sent;
    expect(whole).toBeGreaterThan(600_000);
    expect(rest.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(whole - 100_000);
  });

  test('during a restart of the service delays the push', async () => {
    testbed.proxy.before('uploadPresentationAssets', () => testbed.proxy.close());
    const running = computer.start(['push', await aFolder(1)]);
    await once(running.process.stderr!, 'data'); // the client has printed that it tries again
    testbed.proxy.reset();
    await testbed.proxy.open();
    expect((await running.ended).stdout).toContain('Pushed version 1');
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

// Over the same service.
proveOpen();
provePdfs();
provePull();
