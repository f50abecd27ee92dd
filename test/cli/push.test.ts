import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Computer, fill, type Testbed, withTestbed } from './testbed';

let testbed: Testbed;
let computer: Computer;
withTestbed((made) => ({ testbed, computer } = made));

interface Pushed {
  ok: true;
  status: 'pushed' | 'unchanged' | 'planned';
  presentationId: string;
  version: number;
  shareUrl: string;
  title: string;
  entryPath: string;
  uploaded: { files: number; bytes: number };
}

const deckFiles = () => ({
  'index.html': `<title>Deck ${Math.random()}</title><script type="module" src="app.js"></script>`,
  'app.js': 'export {};',
  'style.css': 'body { margin: 0 }',
});

const push = (folder: string, ...options: string[]) => computer.done<Pushed>('push', folder, ...options);
const refusal = (folder: string, ...options: string[]) => computer.refused('push', folder, ...options);

/** A file of the deck, through its share link. */
async function view(shareUrl: string, path = ''): Promise<Response> {
  const link = new URL(shareUrl);
  const presentationId = link.pathname.split('/').at(-1);
  const token = link.searchParams.get('token');
  return fetch(`${testbed.baseUrl}/getSharedPresentation/${presentationId}/_t/${token}/${encodeURI(path)}`);
}

/** Path, content and the content type that the service must send. */
const kinds: [string, string | Buffer, string][] = [
  ['index.html', '<p>x', 'text/html; charset=utf-8'],
  ['app.js', 'export {}', 'text/javascript; charset=utf-8'],
  ['lib/module.mjs', 'export {}', 'text/javascript; charset=utf-8'],
  ['style.css', 'a{}', 'text/css; charset=utf-8'],
  ['data.json', '{}', 'application/json; charset=utf-8'],
  ['app.webmanifest', '{}', 'application/manifest+json; charset=utf-8'],
  ['logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml; charset=utf-8'],
  ['latin1.txt', Buffer.from([0xe9, 0x74, 0xe9]), 'text/plain'],
  ['font.woff2', 'x', 'font/woff2'],
  ['font.ttf', 'x', 'font/ttf'],
  ['picture.avif', 'x', 'image/avif'],
  ['film.mp4', 'x', 'video/mp4'],
  ['film.webm', 'x', 'video/webm'],
  ['code.wasm', 'x', 'application/wasm'],
  ['mystery.zzz', 'x', 'application/octet-stream'],
  ['no-extension', 'x', 'application/octet-stream'],
  ['größe & 100%.txt', 'x', 'text/plain; charset=utf-8'],
  ['empty.css', '', 'text/css; charset=utf-8'],
];
let kindsPushed: Pushed | undefined;

describe('a first push', () => {
  test('makes a deck that everyone with the link can open, with the title of its page', async () => {
    const folder = await testbed.aFolder({ ...deckFiles(), 'index.html': '<title>A &amp; B</title>hello' });
    const pushed = await push(folder);
    expect(pushed).toMatchObject({ status: 'pushed', version: 1, title: 'A & B', uploaded: { files: 3 } });
    const entry = await view(pushed.shareUrl);
    expect(await entry.text()).toBe('<title>A &amp; B</title>hello');
  });

  test.each(kinds)('makes the service send %s with its content type', async (path, content, type) => {
    kindsPushed ??= await push(
      await testbed.aFolder(Object.fromEntries(kinds.map(([path, content]) => [path, content]))),
    );
    const response = await view(kindsPushed.shareUrl, path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(content));
  });

  test('uploads duplicate files once', async () => {
    const folder = await testbed.aFolder({ 'index.html': 'same', 'a/copy.html': 'same', 'b/copy.html': 'same' });
    const pushed = await push(folder);
    expect(pushed.uploaded.files).toBe(1);
    expect(await (await view(pushed.shareUrl, 'b/copy.html')).text()).toBe('same');
  });

  test('stores no secret in the folder, and the link in the config folder', async () => {
    const folder = await testbed.aFolder(deckFiles());
    const { shareUrl, presentationId } = await push(folder);
    const token = new URL(shareUrl).searchParams.get('token') ?? '';
    expect(token.length).toBe(64);
    const deckFile = await readFile(join(folder, '.deck.json'), 'utf8');
    expect(deckFile).not.toContain(token);
    expect(JSON.parse(deckFile)).toMatchObject({ presentationId, version: 1, entryPath: 'index.html' });
    const opened = await computer.deck(['open', folder, '--print', '--json']);
    expect(opened.json()).toMatchObject({ ok: true, shareUrl, opened: false });
  });

  test('prints the share link, and no bars or colours without a terminal', async () => {
    const ended = await computer.deck(['push', await testbed.aFolder(deckFiles())]);
    expect(ended.stdout).toMatch(
      /^Read 3 files .*\nUploaded 3 files .*\n✓ Pushed version 1 of Deck [\d.]+\n\n {2}http\S+\n\n$/,
    );
    expect(ended.stderr).toBe('');
  });

  test('with a file above the plan’s limit names the file before it uploads anything', async () => {
    const folder = await testbed.aFolder({ 'index.html': Buffer.alloc(10 * 1024 * 1024 + 1) });
    const error = await refusal(folder);
    expect(error).toMatchObject({ code: 'payload-too-large', details: { path: 'index.html' } });
    expect(error.message).toContain('index.html has 10.0 MB (10485761 bytes)');
    const { code, message, details, nextAction } = error;
    expect(await refusal(folder, '--dry-run')).toMatchObject({ code, message, details, nextAction });
    expect(testbed.proxy.calls['uploadPresentationAssets']).toBeUndefined();
  });

  test('with --dry-run asks for the limits only, and does not write .deck.json', async () => {
    const folder = await testbed.aFolder(deckFiles());
    expect(await push(folder, '--dry-run')).toMatchObject({ status: 'planned', version: 1 });
    expect(testbed.proxy.calls).toEqual({ getServiceInfo: 1, getUsage: 1 });
    await expect(readFile(join(folder, '.deck.json'))).rejects.toThrow('ENOENT');
  });
});

describe('a second push', () => {
  test('of an unchanged folder uploads nothing, makes no version, and shows the same link', async () => {
    const folder = await testbed.aFolder(deckFiles());
    const first = await push(folder);
    testbed.proxy.reset();
    const second = await push(folder);
    expect(second).toMatchObject({ status: 'unchanged', version: 1, uploaded: { files: 0 }, shareUrl: first.shareUrl });
    expect(testbed.proxy.calls['uploadPresentationAssets']).toBeUndefined();
    expect((await computer.deck(['push', folder])).stdout).toContain('Nothing changed since version 1');
  });

  test('uploads the one file that changed, and makes version 2 under the same link', async () => {
    const folder = await testbed.aFolder(deckFiles());
    const first = await push(folder);
    await writeFile(join(folder, 'style.css'), 'body { margin: 1px }');
    testbed.proxy.reset();
    const second = await push(folder);
    expect(second).toMatchObject({ status: 'pushed', version: 2, uploaded: { files: 1 }, shareUrl: first.shareUrl });
    expect(testbed.proxy.calls['uploadPresentationAssets']).toBe(1);
    expect(await (await view(first.shareUrl, 'style.css')).text()).toBe('body { margin: 1px }');
  });

  test('that only removes a file, or changes the entry or the title, makes a version', async () => {
    const folder = await testbed.aFolder({ ...deckFiles(), 'other.html': 'other' });
    const { shareUrl } = await push(folder);
    await rm(join(folder, 'style.css'));
    expect(await push(folder)).toMatchObject({ version: 2, uploaded: { files: 0 } });
    expect((await view(shareUrl, 'style.css')).status).toBe(404);
    expect(await push(folder, '--entry', 'other.html')).toMatchObject({ version: 3, entryPath: 'other.html' });
    expect(await (await view(shareUrl)).text()).toBe('other');
    expect(await push(folder, '--title', 'Renamed')).toMatchObject({ version: 4, title: 'Renamed' });
    expect(await push(folder, '--title', 'Renamed')).toMatchObject({
      status: 'unchanged',
      version: 4,
      entryPath: 'other.html',
    });
  });

  test('with --dry-run shows what would change', async () => {
    const folder = await testbed.aFolder(deckFiles());
    await push(folder);
    await fill(folder, { 'app.js': 'export const x = 1', 'new.txt': 'new' });
    await rm(join(folder, 'style.css'));
    const plan = await push(folder, '--dry-run');
    const changes = { added: 1, changed: 1, removed: 1, unchanged: 1 };
    expect(plan).toMatchObject({ status: 'planned', version: 2, toUpload: { files: 2 }, changes });
    expect(await push(folder)).toMatchObject({ status: 'pushed', version: 2 });
  });

  test('with --new makes another deck, which becomes the deck of the folder', async () => {
    const folder = await testbed.aFolder(deckFiles());
    const first = await push(folder);
    const second = await push(folder, '--new');
    expect(second.version).toBe(1);
    expect(second.presentationId).not.toBe(first.presentationId);
    expect(await push(folder)).toMatchObject({ status: 'unchanged', presentationId: second.presentationId });
    expect(await push(folder, '--deck', first.presentationId)).toMatchObject({ status: 'unchanged', version: 1 });
  });

  test('to another service than that of the folder’s deck is refused', async () => {
    const folder = await testbed.aFolder(deckFiles());
    await push(folder);
    const error = await refusal(folder, '--base-url', testbed.baseUrl);
    expect(error).toMatchObject({ code: 'other-service', nextAction: expect.stringContaining('--new') as string });
  });

  test('to a deck that does not exist says how to make a new one', async () => {
    const folder = await testbed.aFolder(deckFiles());
    const error = await refusal(folder, '--deck', '01890000-0000-7000-8000-000000000000');
    expect(error.code).toBe('not-found');
    expect(error.nextAction).toContain('--new');
  });
});

describe('a push from an older version', () => {
  /** A folder, a copy of it, and their deck. */
  async function twoFolders(): Promise<[string, string, string]> {
    const mine = await testbed.aFolder(deckFiles());
    const { presentationId } = await push(mine);
    const theirs = await testbed.aFolder({});
    await cp(mine, theirs, { recursive: true });
    return [mine, theirs, presentationId];
  }

  test('is refused before anything is uploaded, and is accepted with --force', async () => {
    const [mine, theirs, deck] = await twoFolders();
    await fill(theirs, { 'app.js': 'theirs' });
    await push(theirs, '--deck', deck);
    await fill(mine, { 'app.js': 'mine' });
    testbed.proxy.reset();
    const error = await refusal(mine);
    expect(error.exit).toBe(1);
    expect(error).toMatchObject({ code: 'conflict', details: { serverVersion: 2, expectedBaseVersion: 1 } });
    expect(error.message).toContain('The deck is at version 2; this folder is based on version 1.');
    expect(error.nextAction).toContain('--force');
    expect(testbed.proxy.calls['uploadPresentationAssets']).toBeUndefined();
    const forced = await push(mine, '--force');
    expect(forced.version).toBe(3);
    expect(await (await view(forced.shareUrl, 'app.js')).text()).toBe('mine');
  });

  test('with the same files as the current version is not a conflict, and the folder is then based on that version', async () => {
    const [mine, theirs, deck] = await twoFolders();
    await fill(theirs, { 'app.js': 'both' });
    await push(theirs, '--deck', deck);
    await fill(mine, { 'app.js': 'both' });
    expect(await push(mine)).toMatchObject({ status: 'unchanged', version: 2 });
    await fill(mine, { 'app.js': 'on' });
    expect(await push(mine)).toMatchObject({ status: 'pushed', version: 3 });
  });
});

describe('a push with wrong arguments', () => {
  test.each([
    [['push'], "Missing required argument 'folder'"],
    [['push', 'absent'], 'There is no folder absent.'],
    [['push', '.', '--new', '--deck', 'x'], '--new and --deck exclude each other.'],
    [['push', '.', '--frobnicate'], "Unknown option '--frobnicate'"],
    [['frobnicate'], "Unknown command 'frobnicate'"],
  ])('(%j) exits with 2 and one JSON document', async (args, message) => {
    const ended = await computer.deck([...args, '--json']);
    expect(ended.code).toBe(2);
    expect(ended.json()).toMatchObject({ ok: false, exitCode: 2, error: { code: 'usage', message } });
  });

  test('names the help of its command, or of deck when the command is unknown', async () => {
    expect((await computer.refused('push')).nextAction).toBe('See `deck push --help`.');
    expect((await computer.refused('frobnicate')).nextAction).toBe('See `deck --help`.');
  });

  test('names the option of a field that the service refuses', async () => {
    const error = await refusal(await testbed.aFolder(deckFiles()), '--title', 'x'.repeat(256));
    expect(error).toMatchObject({ code: 'invalid-argument', details: { errors: [{ location: '--title' }] } });
  });

  test('without a key names the command that gets one', async () => {
    const folder = await testbed.aFolder(deckFiles());
    const ended = await testbed.aComputer().deck(['push', folder]);
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 3, stdout: '' });
    expect(ended.stderr).toContain('deck login');
  });
});
