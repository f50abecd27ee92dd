import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { localPaths } from '../../client/src/download/local-paths';
import type { Failure } from '../../client/src/failure';
import { findEntry } from '../../client/src/folder/entry';
import { deckPath, ignoreRules, findCollisions } from '../../client/src/folder/paths';
import { scanFolder } from '../../client/src/folder/read-folder';
import { hashFile } from '../../client/src/folder/hash';
import { readExactly, readStart } from '../../client/src/folder/read-file';
import { titleOf } from '../../client/src/folder/title';
import { compareThreeWays, type Preference } from '../../functions/src/values/three-way';
import { pathProblems } from '../../functions/src/values/paths';
import { each } from '../support/each';
import { fill as fillFolder } from './files';

/** The files of a folder as a deck, and the paths of a deck as files of a folder. */

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'deck-folder-')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const fill = (files: Record<string, string | Buffer>) => fillFolder(folder, files);
const scan = async () => (await scanFolder(folder)).map(({ path }) => path);

/** The error that `work` throws. Throws when `work` does not. */
function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('It should have failed.');
}

describe('a link that takes the place of a scanned file or folder', () => {
  const rest = async (bytes: AsyncIterable<Buffer>) => {
    for await (const chunk of bytes) throw new Error(`It was read: ${chunk.toString()}`);
  };

  test.each(['sub', 'sub/a.txt'])('is not followed: %s', async (swapped) => {
    const outside = await realpath(await mkdtemp(join(tmpdir(), 'deck-outside-')));
    await fill({ 'index.html': 'entry', 'sub/a.txt': 'inside' });
    await writeFile(join(outside, 'a.txt'), 'secret');
    const file = (await scanFolder(folder)).find(({ path }) => path === 'sub/a.txt')!;
    expect((await readStart(file.absolutePath, 99)).toString()).toBe('inside');
    await rm(join(folder, swapped), { recursive: true });
    await symlink(swapped === 'sub' ? outside : join(outside, 'a.txt'), join(folder, swapped));
    for (const read of [
      () => hashFile(file),
      () => readStart(file.absolutePath, 99),
      () => rest(readExactly(file.absolutePath, 0, 6)),
    ])
      await expect(read()).rejects.toMatchObject({ code: 'file-changed' });
    await rm(outside, { recursive: true });
  });
});

describe('ignored paths', () => {
  test.each<[string, string[], string[]]>([
    ['', ['.git/', '.DS_Store', 'a/.env', 'node_modules/', 'a/node_modules/'], ['node_modules.html', 'a/b.js']],
    ['drafts/', ['drafts/a.html'], []],
    ['*.psd\n!keep.psd', ['a.psd'], ['keep.psd', 'A.PSD']],
    ['/only-root.txt', ['only-root.txt'], ['sub/only-root.txt']],
    ['!.well-known/', [], ['.well-known/']],
    ['!.*', ['.deck.json', '.deckignore', '.git/'], []],
    ['# a.txt', [], ['# a.txt']],
  ])('under the rules %j are %j, and not %j', (rules, ignored, kept) => {
    const isIgnored = (path: string) => ignoreRules(rules)(path.replace(/\/$/, ''), path.endsWith('/'));
    expect([...ignored, ...kept].filter(isIgnored)).toEqual(ignored);
  });

  test('are not scanned below an ignored folder, and .deckignore applies to every folder', async () => {
    await fill({ '.deckignore': '*.map\nraw/', '.deck.json': '{}', 'index.html': '', 'js/app.js': '' });
    await fill({ 'js/app.js.map': '', 'raw/huge.mov': '', '.git/config': '', 'node_modules/x/index.html': '' });
    expect(await scan()).toEqual(['index.html', 'js/app.js']);
  });
});

describe('paths', () => {
  test.each([
    ['a/b.html', '/', 'a/b.html'],
    ['a\\b.html', '\\', 'a/b.html'],
    ['cafe\u0301/x.html', '/', 'caf\u00e9/x.html'],
    ['\u1112\u1161\u11ab.html', '/', '\ud55c.html'],
    ['a b/ü#?%.html', '/', 'a b/ü#?%.html'],
  ])('%j with the separator %j is %j in the deck', (path, separator, expected) => {
    expect(deckPath(path, separator)).toBe(expected);
  });

  test('with more than 512 characters cannot be in a deck', () => {
    expect(failureOf(() => deckPath(`${'a'.repeat(509)}.html`, '/'))).toMatchObject({ code: 'bad-path' });
  });

  test('that Unicode normalisation makes equal are an error that shows both spellings', () => {
    const files = ['cafe\u0301.png', 'caf\u00e9.png'].map((relativePath) => ({ relativePath, path: 'caf\u00e9.png' }));
    const message = '"cafe\\u0301.png" and "caf\\u00e9.png" are the same path in a deck.';
    expect(findCollisions(files)).toMatchObject([{ code: 'path-collision', message }]);
  });

  test('are sorted, with the sizes of the files', async () => {
    await fill({ 'b.js': '12', 'a/z.css': '1', 'index.html': '123' });
    const files = await scanFolder(folder);
    expect(files.map(({ path, sizeBytes }) => `${path} ${sizeBytes}`)).toEqual(['a/z.css 1', 'b.js 2', 'index.html 3']);
  });
});

test('all files that a deck cannot hold are named at once with the reason, and those that are ignored are not', async () => {
  await fill({ 'index.html': '', 'a\\b.css': '', 'sub/c\nd.css': '', 'e\nf/in.css': '', 'ign\\ored.css': '' });
  await fill({ '.deckignore': 'ign*' });
  await symlink('/etc/hostname', join(folder, 'out'));
  await writeFile(Buffer.concat([Buffer.from(join(folder, 'bad')), Buffer.from([0xff]), Buffer.from('.css')]), '');
  const failure = (await scanFolder(folder).catch((error: unknown) => error)) as Failure;
  expect(failure).toMatchObject({ code: expect.stringMatching(/^bad-(path|link)$/) as string });
  expect(failure.message).toMatch(/^A deck cannot hold 5 of the files:/);
  expect(failure.message).toContain('"bad\\ufffd.css" cannot be part of a deck: its name is not valid Unicode.');
  const { refused } = failure.details as { refused: { code: string; path: string }[] };
  expect(refused.map(({ code, path }) => `${code} ${path}`).sort()).toEqual([
    'bad-link out',
    'bad-path a\\b.css',
    'bad-path bad\ufffd.css',
    'bad-path e\nf',
    'bad-path sub/c\nd.css',
  ]);
});

describe('links', () => {
  test('to files and folders inside the folder are followed, and read where the scan finds them', async () => {
    await fill({ 'index.html': 'x', 'v2/app.js': 'app' });
    await symlink('v2', join(folder, 'latest'));
    await symlink('../index.html', join(folder, 'v2', 'home.html'));
    const files = await scanFolder(folder);
    const texts = await Promise.all(files.map(({ absolutePath }) => readStart(absolutePath, 99)));
    const paths = ['index.html', 'latest/app.js', 'latest/home.html', 'v2/app.js', 'v2/home.html'];
    expect(files.map(({ path }) => path)).toEqual(paths);
    expect(texts.map(String)).toEqual(['x', 'app', 'x', 'app', 'x']);
  });

  test.each([
    ['out of the folder', '/etc/hostname'],
    ['out of the folder', '..'],
    ['nowhere', 'absent.html'],
    ['back to itself', 'round'],
    ['to a folder that contains the link', '.'],
  ])('that lead %s (%s) are an error that names the link, unless they are ignored', async (problem, target) => {
    await fill({ 'index.html': '' });
    await symlink(target, join(folder, 'round'));
    const message = `The link round leads ${problem}.`;
    await expect(scanFolder(folder)).rejects.toMatchObject({ code: 'bad-link', message });
    await fill({ '.deckignore': 'round' });
    expect(await scan()).toEqual(['index.html']);
  });
});

describe('titles', () => {
  test.each([
    ['<title>Plain</title>', 'Plain'],
    ['<TITLE lang="en">\n  Two\n lines </TITLE>', 'Two lines'],
    ['<title>R&amp;D &#8212; &#x1F600; &lt;b&gt; &unknown;</title>', 'R&D — 😀 <b> &unknown;'],
    ['<!-- <title>old</title> --><title>new</title>', 'new'],
    ['<title> </title>', undefined],
    ['<title>A', 'A'],
    ['<!-- <title>A</title>', undefined],
    ['<h1>none</h1>', undefined],
    [`<title>${'x'.repeat(300)}</title>`, 'x'.repeat(255)],
    [`<title>${'x'.repeat(254)}😀</title>`, 'x'.repeat(254)],
  ])('%j has the title %j', (html, title) => {
    expect(titleOf(html)).toBe(title);
  });
});

describe('the entry of a deck', () => {
  test.each([
    ['index.html at the root', ['about.html', 'index.html', 'x/index.html'], 'index.html'],
    ['the only page at the root', ['deck.html', 'style.css', 'notes/index.html'], 'deck.html'],
    ['a page with the extension .HTM', ['deck.HTM', 'style.css'], 'deck.HTM'],
    ['the only index.html one level below', ['app/index.html', 'app/more.html', 'other/x.html'], 'app/index.html'],
    ['the only index.html at the least depth', ['a/b/index.html', 'a/b/c/index.html', 'd/e/x.html'], 'a/b/index.html'],
    ['the only page of the deck', ['a/b/talk.html', 'a/x.js'], 'a/b/talk.html'],
  ])('is %s', (_rule, paths, entry) => {
    expect(findEntry(paths)).toBe(entry);
  });

  test.each([
    ['two pages at the root', ['a.html', 'b.html', 'x/index.html'], ['a.html', 'b.html']],
    ['two index.html one level below', ['a/index.html', 'b/index.html'], ['a/index.html', 'b/index.html']],
    ['two pages below and no index.html', ['a/1.html', 'b/2.html'], ['a/1.html', 'b/2.html']],
  ])('must be named by the user when there are %s, and the error lists the candidates', (_case, paths, candidates) => {
    expect(failureOf(() => findEntry(paths))).toMatchObject({
      code: 'ambiguous-entry',
      details: { candidates },
      message: expect.stringContaining(candidates[1] ?? '') as string,
      nextAction: expect.stringContaining('Name the entry') as string,
    });
  });

  test.each([
    ['./b.html', ['index.html', 'b.html'], 'b.html'],
    ['b.html', ['index.html', 'b.html'], 'b.html'],
    ['cafe\u0301.html', ['caf\u00e9.html', 'x.html'], 'caf\u00e9.html'],
  ])('is the chosen file (%j), even beside an index.html', (chosen, paths, entry) => {
    expect(findEntry(paths, chosen)).toBe(entry);
  });

  test('is one of the files, and a page', () => {
    expect(failureOf(() => findEntry(['a.js', 'html']))).toMatchObject({ code: 'no-entry' });
    expect(failureOf(() => findEntry(['index.html'], 'other.html'))).toMatchObject({ code: 'usage' });
  });
});

test('the content type of a file is that of its extension, with UTF-8 when its text is valid', async () => {
  const types = {
    'app.js lib/module.mjs': 'text/javascript; charset=utf-8',
    'index.html': 'text/html; charset=utf-8',
    'empty.css': 'text/css; charset=utf-8',
    'data.json': 'application/json; charset=utf-8',
    'app.webmanifest': 'application/manifest+json; charset=utf-8',
    'logo.svg': 'image/svg+xml; charset=utf-8',
    'größe&100%.txt': 'text/plain; charset=utf-8',
    'latin1.txt': 'text/plain',
    'font.woff2': 'font/woff2',
    'font.ttf': 'font/ttf',
    'picture.avif': 'image/avif',
    'film.mp4': 'video/mp4',
    'film.webm': 'video/webm',
    'code.wasm': 'application/wasm',
    'mystery.zzz no-extension': 'application/octet-stream',
  };
  const expected = Object.entries(types).flatMap(([paths, type]) => paths.split(' ').map((path) => [path, type]));
  const contents = { 'empty.css': '', 'latin1.txt': Buffer.from([0xe9, 0x74, 0xe9]) };
  await fill({ ...Object.fromEntries(expected.map(([path]) => [path, 'x'])), ...contents });
  const found = await Promise.all((await scanFolder(folder)).map((file) => hashFile(file)));
  expect(Object.fromEntries(found.map(({ path, contentType }) => [path, contentType]))).toEqual(
    Object.fromEntries(expected),
  );
  expect(found.find(({ path }) => path === 'index.html')).toMatchObject({ sizeBytes: 1 });
});

const refusal = (paths: string[], platform: NodeJS.Platform = 'linux') => failureOf(() => localPaths(paths, platform));

describe("the paths of another person's deck", () => {
  test('are kept unchanged when they are valid', () => {
    const paths = ['index.html', 'a/b/c.js', 'größe & 100%.txt', 'a:b?.png', 'con.txt', 'README', '日本/語.css'];
    expect(localPaths(paths, 'linux')).toEqual({ kept: paths, leftOut: [] });
  });

  const climbing = String.raw`../x a/../../x a/.. .. . ./x /etc/passwd //host/share a//b a/ ..\x C:\x`.split(' ');
  test.each([...climbing, '', 'a\u0000b', 'a\nb', 'x\u001b[2J', 'x'.repeat(513)])(
    'are all refused on every platform when one of them is %j',
    (path) => {
      for (const platform of ['linux', 'darwin', 'win32'] as const)
        expect(refusal(['index.html', path], platform)).toMatchObject({ code: 'bad-path', details: { path } });
    },
  );

  const reserved = 'C:/x C:x a.txt:stream con CON.txt a/nul.tar.gz com1 LPT¹.x a. w? GIT~1/hooks/x DECK~1.JSO a|b';
  test.each([...reserved.split(' '), 'aux .x', 'a ', 'a. /b'])(
    'are refused on Windows, and only there, for %j',
    (path) => {
      expect(refusal([path], 'win32')).toMatchObject({ code: 'bad-path' });
      expect(localPaths([path], 'linux').kept).toEqual([path]);
    },
  );

  test('leave out what a push ignores: hidden files, and files that can run programs', () => {
    const hidden = [
      '.deck.json .git/config a/.git/hooks/post-checkout .GIT/config .\u200cgit/config \u200c.git/config',
      '.npmrc .vscode/tasks.json .deck-download/unfinished.json node_modules/x/index.js',
    ].flatMap((line) => line.split(' '));
    expect(localPaths(['index.html', ...hidden], 'linux')).toEqual({ kept: ['index.html'], leftOut: hidden });
  });

  test('leave out names that are dots without their invisible characters, which a push refuses as the service does', () => {
    const hidden = ['..\u200b/evil.txt', 'a/\u2060../b', '.\ufe0f', '\u3164/b'];
    expect(localPaths(['index.html', ...hidden], 'linux')).toEqual({ kept: ['index.html'], leftOut: hidden });
    for (const path of each(hidden)) {
      expect(failureOf(() => deckPath(path, '/'))).toMatchObject({ code: 'bad-path' });
      expect(pathProblems(path)).toHaveLength(1);
    }
  });

  test('leave out what the rules of the folder ignore, and the files of the client and of git whatever they include', () => {
    const isPrivate = (path: string) => path.startsWith('private/');
    expect(localPaths(['a', 'private/b', '.c'], 'linux', isPrivate)).toEqual({
      kept: ['a', '.c'],
      leftOut: ['private/b'],
    });
    const hidden = ['.GIT/config', '.Git', '.DECK.json', '.Deck-Download/x', '.DeckIgnore'];
    const paths = ['index.html', '.well-known/x', ...hidden];
    const included = ignoreRules('!.*');
    expect(localPaths(paths, 'linux', included)).toEqual({ kept: paths.slice(0, 2), leftOut: hidden });
  });

  test('are refused when one file would overwrite another, or the folder of another', () => {
    expect(refusal(['a', 'a/b'])).toMatchObject({ details: { path: 'a/b' } });
    expect(refusal(['a/b/c', 'a/b'])).toMatchObject({ details: { path: 'a/b/c' } });
    for (const platform of ['win32', 'darwin'] as const) {
      expect(refusal(['a.js', 'A.js'], platform)).toMatchObject({ details: { path: 'A.js' } });
      expect(refusal(['LIB', 'lib/a.js'], platform)).toMatchObject({ details: { path: 'lib/a.js' } });
    }
    expect(localPaths(['a.js', 'A.js'], 'linux').kept).toHaveLength(2);
  });
});

const hashes = fc.dictionary(fc.constantFrom('a', 'b', 'c/d', 'c/e'), fc.constantFrom('1', '2', '3'));
const toMap = (files: Record<string, string>) => new Map(Object.entries(files));

/** The folder after a pull. */
function after(base: object, here: object, there: object, prefer?: Preference): Map<string, string> {
  const [before, mine, theirs] = [base, here, there].map((files) => toMap(files as Record<string, string>));
  const result = new Map(mine);
  for (const { path, action } of compareThreeWays(before!, mine!, theirs!, prefer)) {
    if (action !== 'take') continue;
    const taken = theirs!.get(path);
    if (taken === undefined) result.delete(path);
    else result.set(path, taken);
  }
  return result;
}

describe('a comparison of three states', () => {
  test.each(
    `- - 1 take, - 1 - keep, - 1 1 same, - 1 2 conflict, 1 - - same, 1 - 1 keep, 1 - 2 conflict, 1 1 - take,
     1 1 1 none, 1 1 2 take, 1 2 - conflict, 1 2 1 keep, 1 2 2 same, 1 2 3 conflict`
      .split(/,\s*/)
      .map((row) => row.split(' ')),
  )('of a file that is %s in the base, %s here and %s there: %s', (base = '', here = '', there = '', action = '') => {
    const [before, mine, theirs] = [base, here, there].map((state) => toMap(state === '-' ? {} : { a: state }));
    const found = compareThreeWays(before!, mine!, theirs!);
    expect(found).toMatchObject(action === 'none' ? [] : [{ path: 'a', action }]);
  });

  test('never loses a change of one side, and gives a conflict to the side that wins', () => {
    fc.assert(
      fc.property(hashes, hashes, hashes, fc.boolean(), (base, here, there, isMine) => {
        const result = after(base, here, there, isMine ? 'mine' : 'theirs');
        for (const path of ['a', 'b', 'c/d', 'c/e']) {
          const [before, mine, theirs] = [base[path], here[path], there[path]];
          const winner = mine === before ? theirs : theirs === before || isMine ? mine : theirs;
          expect(result.get(path)).toBe(winner);
        }
      }),
    );
  });

  test('finds nothing to take or to decide after a pull: a second pull of the same version changes nothing', () => {
    fc.assert(
      fc.property(hashes, hashes, hashes, (base, here, there) => {
        const result = after(base, here, there, 'theirs');
        const again = compareThreeWays(toMap(there), result, toMap(there));
        expect(again.every(({ action }) => action === 'keep')).toBe(true);
        const resumed = compareThreeWays(toMap(base), result, toMap(there), 'theirs');
        expect(resumed.some(({ action }) => action === 'take')).toBe(false);
      }),
    );
  });
});
