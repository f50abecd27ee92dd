import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Fate } from './fault-proxy';
import { withTestbed, type Computer, type Refusal, type Testbed } from './testbed';

let testbed: Testbed;
let publisher: Computer;
let computer: Computer;
withTestbed(async (made) => {
  ({ testbed, computer } = made);
  publisher = await testbed.aPublisher();
});

interface Remixed {
  status: string;
  presentationId: string;
  version: number;
  shareUrl: string;
  folder: string;
  leftOut: string[];
  warnings: { message: string }[];
}
type Content = Record<string, string | Buffer>;

const MB = 1024 * 1024;
/** Bytes that do not repeat, so that the hash differs when a piece is in the wrong place. */
const bytes = (size: number) => Buffer.from(Uint32Array.from({ length: size / 4 }, (_, i) => i * 2654435761).buffer);

let names = 0;
const aFolderName = () => join(testbed.folder, `remix-${++names}`);

const done = <T>(by: Computer, ...args: string[]) => by.done<T>(...args);
const refused = (...args: string[]) => computer.refused(...args);

/** The slug of a listing with these files. */
async function aListing(files: Content): Promise<string> {
  const folder = await testbed.aFolder({ 'index.html': `<title>Deck ${++names}</title>`, ...files });
  await done(publisher, 'push', folder);
  return (await done<{ slug: string }>(publisher, 'publish', folder, '--description', 'x')).slug;
}

const remix = (slug: string, folder: string, ...options: string[]) =>
  done<Remixed>(computer, 'remix', slug, folder, ...options);

/** The files in a folder, without its `.deck.json`. */
async function contentOf(folder: string): Promise<Record<string, Buffer>> {
  const found: Record<string, Buffer> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && entry.name !== '.deck.json') found[path.slice(folder.length + 1)] = await readFile(path);
  }
  return found;
}

async function decksOf(owner: Computer): Promise<number> {
  return (await done<{ decks: unknown[] }>(owner, 'list')).decks.length;
}

/** Interrupts the command with Ctrl-C at the `number`th call of a function. */
async function stoppedAt(name: string, number: number, fate: Fate, ...args: string[]): Promise<void> {
  let stop: () => void = () => undefined;
  testbed.proxy.watch = (call, response: ServerResponse): Fate => {
    if (call.name !== name || call.number < number) return 'forward';
    response.once('close', () => stop());
    if (fate === 'forward') stop();
    return fate;
  };
  const running = computer.start([...args, '--json']);
  stop = () => running.process.kill('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(130);
  expect(ended.json<{ error: Refusal }>().error.nextAction).toContain('Run the same command again');
  testbed.proxy.reset();
}

describe('deck remix', () => {
  test('makes a new deck, downloads all its files, and the folder can be pushed', async () => {
    const files = {
      'index.html': '<title>The original</title>',
      'img/größe.bin': bytes(9 * MB),
      'img/copy.bin': bytes(9 * MB),
      'empty.css': '',
      'a/b/c.js': 'export {};',
    };
    const slug = await aListing(files);
    const folder = aFolderName();
    const remixed = await remix(slug, folder);
    expect(remixed).toMatchObject({ status: 'remixed', slug, folder, version: 1, title: 'The original', leftOut: [] });
    const found = await contentOf(folder);
    expect(Object.keys(found).sort()).toEqual(Object.keys(files).sort());
    for (const [path, content] of Object.entries(files)) expect(found[path]?.equals(Buffer.from(content))).toBe(true);
    // Duplicate files are downloaded once. The 9 MB file takes three pieces of at most 4 MB.
    expect(testbed.proxy.calls['downloadPresentationAsset']).toBe(3 + 1 + 1);
    expect(await readdir(folder)).not.toContain('.deck-download');

    const token = new URL(remixed.shareUrl).searchParams.get('token') ?? '';
    expect(await readFile(join(folder, '.deck.json'), 'utf8')).not.toContain(token);
    expect((await computer.deck(['open', folder, '--print'])).stdout).toBe(`${remixed.shareUrl}\n`);
    expect(await done(computer, 'push', folder)).toMatchObject({ status: 'unchanged', version: 1 });
    await writeFile(join(folder, 'mine.txt'), 'mine');
    expect(await done(computer, 'push', folder)).toMatchObject({
      status: 'pushed',
      presentationId: remixed.presentationId,
      version: 2,
      uploaded: { files: 1 },
    });
  });

  test('counts as a remix of the listing, has the title of --title, and uses the slug as the name of the folder', async () => {
    const slug = await aListing({});
    const shown = await computer.deck(['remix', slug, '--title', 'Mine now']);
    expect(shown.stdout).toContain(`Remixed Mine now into ${slug}`);
    expect(shown.stdout).toContain(`deck push ${slug}`);
    expect(shown.stderr).toContain("contains its author's scripts");
    expect((await stat(join(testbed.folder, slug, 'index.html'))).isFile()).toBe(true);
    const response = await fetch(`${testbed.baseUrl}/getMarketplaceListing?slug=${slug}`);
    expect(await response.json()).toMatchObject({ data: { remixCount: 1 } });
  });

  test('accepts an empty folder, and refuses a folder with content and a file', async () => {
    const slug = await aListing({});
    const folder = aFolderName();
    await mkdir(folder);
    await remix(slug, folder);
    const before = await decksOf(computer);
    const error = await refused('remix', slug, folder);
    expect(error).toMatchObject({ code: 'folder-not-empty', nextAction: expect.stringContaining('empty') as string });
    const file = join(folder, 'index.html');
    expect(await refused('remix', slug, file)).toMatchObject({ exit: 2 });
    expect(await decksOf(computer)).toBe(before);
  });

  test.each([
    ['a listing that does not exist', 'no-such-listing', 'not-found'],
    ['a text that is not a slug', '../up', 'usage'],
  ])('of %s leaves no folder behind', async (_case, slug, code) => {
    const folder = aFolderName();
    expect((await refused('remix', slug, folder)).code).toBe(code);
    await expect(stat(folder)).rejects.toThrow('ENOENT');
  });

  test('needs a key', async () => {
    const folder = aFolderName();
    expect((await testbed.aComputer().refused('remix', 'some-listing', folder)).code).toBe('not-signed-in');
    await expect(stat(folder)).rejects.toThrow('ENOENT');
  });

  test('does not download hidden files of another person, and names them', async () => {
    const slug = await aListing({ '.deckignore': '!.vscode/', '.vscode/tasks.json': '{}' });
    const folder = aFolderName();
    const ended = await computer.deck(['remix', slug, folder, '--json']);
    expect(ended.json<Remixed>().leftOut).toEqual(['.vscode/tasks.json']);
    expect(ended.json<Remixed>().warnings[0]?.message).toContain('.vscode/tasks.json');
    expect(Object.keys(await contentOf(folder))).toEqual(['index.html']);
  });
});

describe('an interrupted remix', () => {
  test('of many pieces resumes with the pieces that it has', async () => {
    const slug = await aListing({ 'big.bin': bytes(40 * MB) });
    const folder = aFolderName();
    const before = await decksOf(computer);
    await stoppedAt('downloadPresentationAsset', 6, 'forward', 'remix', slug, folder);
    const kept = await stat(join(folder, '.deck-download'));
    expect(kept.isDirectory()).toBe(true);
    await remix(slug, folder);
    // Of ten pieces and the page, the pieces that had arrived are not requested again.
    expect(testbed.proxy.calls['downloadPresentationAsset']).toBeLessThan(9);
    expect(testbed.proxy.calls['remixMarketplaceListing']).toBeUndefined();
    expect((await contentOf(folder))['big.bin']?.equals(bytes(40 * MB))).toBe(true);
    expect(await decksOf(computer)).toBe(before + 1);
  });

  test('whose answer was lost does not make a second deck when the command runs again, two hours later', async () => {
    const slug = await aListing({});
    const folder = aFolderName();
    const before = await decksOf(computer);
    await stoppedAt('remixMarketplaceListing', 1, 'lose the answer', 'remix', slug, folder);
    await testbed.later(7200);
    await remix(slug, folder);
    expect(await decksOf(computer)).toBe(before + 1);
    expect(Object.keys(await contentOf(folder))).toEqual(['index.html']);
  });

  test('by broken connections resumes without the user', async () => {
    const slug = await aListing({ 'big.bin': bytes(8 * MB) });
    const folder = aFolderName();
    const before = await decksOf(computer);
    testbed.proxy.watch = ({ name, number }) =>
      ['remixMarketplaceListing', 'downloadPresentationAsset'].includes(name) && number === 1
        ? 'lose the answer'
        : 'forward';
    await remix(slug, folder);
    expect((await contentOf(folder))['big.bin']?.equals(bytes(8 * MB))).toBe(true);
    expect(await decksOf(computer)).toBe(before + 1);
  });

  test('is resumed by the same command only', async () => {
    const slug = await aListing({});
    const folder = aFolderName();
    await stoppedAt('downloadPresentationAsset', 1, 'forward', 'remix', slug, folder, '--title', 'One');
    for (const other of [[await aListing({})], [slug, '--title', 'Two']]) {
      const [name = '', ...options] = other;
      expect((await refused('remix', name, folder, ...options)).code).toBe('folder-not-empty');
    }
    expect(await remix(slug, folder)).toMatchObject({ title: 'One' });
  });

  test('whose deck was deleted says how to start again', async () => {
    const slug = await aListing({});
    const folder = aFolderName();
    await stoppedAt('downloadPresentationAsset', 1, 'forward', 'remix', slug, folder);
    const note = JSON.parse(await readFile(join(folder, '.deck-download', 'unfinished.json'), 'utf8')) as Remixed;
    await testbed.post(computer, 'deletePresentation', { presentationId: note.presentationId });
    expect(await refused('remix', slug, folder)).toMatchObject({
      code: 'not-found',
      nextAction: expect.stringContaining(`Delete ${folder}`) as string,
    });
    await rm(folder, { recursive: true });
    expect(await remix(slug, folder)).toMatchObject({ status: 'remixed' });
  });
});

describe('deck pull', () => {
  const pull = (id: string, folder: string, ...options: string[]) =>
    done<Remixed>(computer, 'pull', id, folder, ...options);

  /** The id of a deck of this user with two versions. */
  async function aDeck(): Promise<string> {
    const folder = await testbed.aFolder({ 'index.html': '<title>Mine</title>', 'a.txt': 'one' });
    await done(computer, 'push', folder);
    await writeFile(join(folder, 'a.txt'), 'two');
    return (await done<Remixed>(computer, 'push', folder)).presentationId;
  }

  test('downloads the current version, and the folder can be pushed', async () => {
    const id = await aDeck();
    const folder = aFolderName();
    const pulled = await pull(id, folder);
    expect(pulled).toMatchObject({
      status: 'pulled',
      presentationId: id,
      version: 2,
      title: 'Mine',
      entryPath: 'index.html',
    });
    expect(String((await contentOf(folder))['a.txt'])).toBe('two');
    await writeFile(join(folder, 'a.txt'), 'three');
    expect(await done(computer, 'push', folder)).toMatchObject({ presentationId: id, version: 3 });
    expect((await refused('pull', id, folder)).code).toBe('folder-not-empty');
  });

  test('of an older version makes a folder whose push is a conflict', async () => {
    const id = await aDeck();
    const folder = aFolderName();
    expect(await pull(id, folder, '--version', '1')).toMatchObject({ version: 1 });
    expect(String((await contentOf(folder))['a.txt'])).toBe('one');
    await writeFile(join(folder, 'a.txt'), 'three');
    expect((await refused('push', folder)).code).toBe('conflict');
  });

  test('that was interrupted resumes with the same version, although another one was pushed meanwhile', async () => {
    const id = await aDeck();
    const folder = aFolderName();
    await stoppedAt('downloadPresentationAsset', 1, 'forward', 'pull', id, folder);
    const other = aFolderName();
    await pull(id, other);
    await writeFile(join(other, 'a.txt'), 'three');
    await done(computer, 'push', other);
    expect((await refused('pull', id, folder, '--version', '3')).code).toBe('folder-not-empty');
    expect(await pull(id, folder)).toMatchObject({ version: 2 });
    expect(String((await contentOf(folder))['a.txt'])).toBe('two');
  });

  test('of a missing deck or version, or of another user’s deck, leaves no folder behind', async () => {
    const id = await aDeck();
    const folder = aFolderName();
    for (const args of [
      ['pull', 'no-such-deck', folder],
      ['pull', id, folder, '--version', '9'],
    ])
      expect(await refused(...args)).toMatchObject({
        code: 'not-found',
        nextAction: expect.stringContaining('deck list') as string,
      });
    expect((await publisher.refused('pull', id, folder)).code).toBe('permission-denied');
    await expect(stat(folder)).rejects.toThrow('ENOENT');
  });
});

describe('deck leave', () => {
  test('ends the access to a deck of another user, and can be repeated', async () => {
    const folder = await testbed.aFolder({ 'index.html': '<title>Theirs</title>' });
    const { presentationId: id } = await done<Remixed>(publisher, 'push', folder);
    expect(await refused('leave', id)).toMatchObject({
      code: 'permission-denied',
      nextAction: expect.stringContaining('deck list') as string,
    });
    const email = testbed.anEmail();
    const dev = await testbed.aSignedInComputer(email);
    await testbed.post(publisher, 'inviteCollaborator', { presentationId: id, email });
    const list = async () => (await done<{ decks: object[] }>(dev, 'list')).decks;
    expect(await list()).toMatchObject([{ id, role: 'dev' }]);
    for (let i = 0; i < 2; i++)
      expect(await done(dev, 'leave', id)).toMatchObject({ status: 'left', presentationId: id });
    expect(await list()).toEqual([]);
    expect(await publisher.refused('leave', id)).toMatchObject({ exit: 1, code: 'is-owner' });
  });
});

describe('a downloaded file', () => {
  test('whose bytes differ from the deck does not get into the folder', async () => {
    const slug = await aListing({ 'data.txt': 'what it should be' });
    const folder = aFolderName();
    testbed.proxy.watch = ({ name, headers }, response) => {
      if (name !== 'downloadPresentationAsset' || headers.range !== 'bytes=0-16') return 'forward';
      response.writeHead(206).end('what it is not at');
      return 'answered';
    };
    expect(await refused('remix', slug, folder)).toMatchObject({
      code: 'hash-mismatch',
      message: expect.stringContaining('data.txt') as string,
    });
    expect(Object.keys(await contentOf(folder))).not.toContain('data.txt');
    testbed.proxy.reset();
    await remix(slug, folder);
    expect(String((await contentOf(folder))['data.txt'])).toBe('what it should be');
  });

  test.each([
    ['more bytes than requested', 'x'.repeat(100_000)],
    ['no bytes', ''],
  ])('that is answered with %s ends the command', async (_case, answer) => {
    const slug = await aListing({ 'data.txt': 'what it should be' });
    testbed.proxy.watch = ({ name }, response) => {
      if (name !== 'downloadPresentationAsset') return 'forward';
      response.writeHead(206).end(answer);
      return 'answered';
    };
    expect((await refused('remix', slug, aFolderName())).code).toBe('unexpected-answer');
  });

  test('is not written through a link that leads out of the folder', async () => {
    const slug = await aListing({ 'img/a.txt': 'theirs' });
    const folder = aFolderName();
    await stoppedAt('downloadPresentationAsset', 1, 'forward', 'remix', slug, folder);
    const outside = await testbed.aFolder({ 'a.txt': 'mine' });
    await symlink(outside, join(folder, 'img'));
    expect((await refused('remix', slug, folder)).code).toBe('bad-link');
    expect(await readFile(join(outside, 'a.txt'), 'utf8')).toBe('mine');
    await rm(join(folder, 'img'));
    await rm(join(folder, 'index.html'), { force: true });
    await symlink(join(outside, 'a.txt'), join(folder, 'index.html'));
    await remix(slug, folder);
    expect(await readFile(join(outside, 'a.txt'), 'utf8')).toBe('mine');
    expect(await readFile(join(folder, 'img', 'a.txt'), 'utf8')).toBe('theirs');
  });
});
