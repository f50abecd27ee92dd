import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sizeOfPicture } from '../../functions/src/values/picture-size';
import { describeInBrowser, executablePath } from '../browser/browser';
import * as bed from './testbed';
import { aDeck, computer, done, fill, inTerminal, push, testbed, words, type Pushed } from './testbed';

/** What a push tells about a folder, draws of it, and sees while it watches the folder. */
export function proveInspection(): void {
  /** The warnings of a push and of its dry run, which are the same: code, path and place of each. */
  async function brief(files: Record<string, string>): Promise<unknown[][]> {
    const folder = await testbed.aFolder(files);
    const [planned, pushed] = [await push(folder, '--dry-run'), await push(folder)];
    expect(pushed.warnings).toEqual(planned.warnings);
    const warnings = pushed.warnings as Record<string, unknown>[];
    return warnings.map(({ code, path, source }) => [code, path, source]);
  }

  /** What a push of these files writes for people. */
  const pushShown = async (files: Record<string, string>, ...options: string[]) =>
    computer.deck(['push', await testbed.aFolder(files), ...options]);

  /** What Vite builds without options. */
  const viteBuild = {
    'index.html': `<!doctype html>
<link rel="icon" href="/vite.svg">
<script type="module" crossorigin src="/assets/index-1a2b.js"></script>
<link rel="stylesheet" href="/assets/index-3c4d.css"><div id="app"></div>`,
    'vite.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'assets/index-1a2b.js': 'export {}',
    'assets/index-3c4d.css': '@font-face { src: url(/assets/a.woff2) } a { background: url(./b.png) }',
    'assets/a.woff2': 'a',
    'assets/b.png': 'b',
  };

  describe('a push to a service without deck origins', () => {
    const slidev = '<meta property="slidev:version" content="52.0.0"><script type=module src=./a.js></script>';

    beforeEach(async () => {
      const { data } = (await (await fetch(`${testbed.baseUrl}/getServiceInfo`)).json()) as { data: object };
      testbed.proxy.answer('getServiceInfo', 200, { success: true, data: { ...data, deckOrigins: false } });
    });

    test('names addresses that lead out of the deck, and how to build it', async () => {
      expect(await brief(viteBuild)).toEqual([
        ['leaves-deck', 'vite.svg', 'index.html:2'],
        ['leaves-deck', 'assets/index-1a2b.js', 'index.html:3'],
        ['leaves-deck', 'assets/index-3c4d.css', 'index.html:4'],
        ['leaves-deck', 'assets/a.woff2', 'assets/index-3c4d.css:1'],
      ]);
      const base = /vite build --base \.\/.*slidev build --base \.\/` with `routerMode: hash`/;
      const message = 'index.html:2 asks for /vite.svg. This service looks for it outside of the deck.';
      const nextAction = expect.stringMatching(base) as string;
      expect((await aDeck(viteBuild)).warnings[0]).toMatchObject({ message, address: '/vite.svg', nextAction });
      const { stderr } = await pushShown(viteBuild);
      expect(stderr.trimEnd().split('\n')).toEqual([
        '! The deck asks for 4 files at the root of the site, not in its own folder. This service does not find them, and the deck may stay blank:',
        '    /vite.svg (index.html:2)',
        '    /assets/index-1a2b.js (index.html:3)',
        '    /assets/index-3c4d.css (index.html:4)',
        '    /assets/a.woff2 (assets/index-3c4d.css:1)',
        words('slidev build --base ./'),
      ]);
    });

    test.each<[string, Record<string, string>, string[]]>([
      ['reveal.js', { 'index.html': '<div class="reveal"><div class="slides"></div></div>' }, ['no-speaker-view']],
      ['impress.js', { 'index.html': '<div id="impress">' }, ['no-speaker-view']],
      ['Marp', { 'index.html': '<button data-bespoke-marp-osc="presenter">' }, ['no-speaker-view']],
      ['Spectacle', { 'index.html': '<script src="a.js"></script>', 'a.js': 'q.presenterMode' }, ['no-speaker-view']],
      ['Slidev', { 'index.html': slidev, 'a.js': 'location.host?a:b' }, ['no-speaker-view']],
      ['Slidev', { 'index.html': slidev, 'a.js': '' }, ['blank-router', 'no-speaker-view']],
      ['a PDF', { 'index.html': '<embed src="a.pdf"><iframe src="b.html">', 'a.pdf': '', 'b.html': '' }, ['blank-pdf']],
      ['none of them', { 'index.html': '<p class="reveal">a</p><a href="a.pdf">b</a>', 'a.pdf': '' }, []],
    ])('names what a deck of %s loses there', async (tool, files, codes) => {
      const { warnings } = await push(await testbed.aFolder(files), '--dry-run');
      expect(warnings.map(({ code }) => code)).toEqual(codes);
      if (codes.includes('no-speaker-view')) expect(warnings.at(-1)!.message).toContain(`speaker view of ${tool}`);
    });

    test('shows the first ones of many, about ten lines in all', async () => {
      const missing = Array.from({ length: 14 }, (_, index) => `<img src="${index}.png">`).join('\n');
      const page = `${missing}<img src="a.png"><script src="/a.js"></script>`;
      const { stderr } = await pushShown({ 'index.html': page, 'A.png': '', 'a.js': '' }, '--dry-run');
      expect(stderr).toContain('14 files that are not in the folder:\n    0.png (index.html:1)\n    … and 13 more\n');
      expect(stderr).toContain('    a.png (index.html:14), the file is A.png\n');
      expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
    });

    test('says nothing about files below _open and _deck, nor when the service does not tell its settings', async () => {
      expect(await brief({ 'index.html': '', '_deck/a.js': '', '_open/b.js': '' })).toEqual([]);
      testbed.proxy.answer('getServiceInfo', 404);
      expect(await aDeck(viteBuild)).toMatchObject({ status: 'pushed', warnings: [] });
    });
  });

  describe('a push to a service with deck origins', () => {
    test('says nothing about a deck that is built as its tool builds it, or whose page is broken', async () => {
      const broken =
        '<script type=importmap>{</script><style>}}url(</style><base href="http://["><img src="%zz"><img srcset=",,"><a';
      for (const files of [viteBuild, { 'index.html': broken }]) expect(await brief(files)).toEqual([]);
      const { stdout, stderr } = await pushShown(viteBuild);
      const lines = /^Read 6 files .*\nUploaded 6 files .*\n✓ Pushed version 1 of \S+\n\n {2}http\S+\n\n$/;
      // Without a terminal there are no bars and colours.
      expect([stdout, stderr]).toEqual([expect.stringMatching(lines), '']);
    });

    test('names the files that the deck lacks, also of an unchanged deck, and those that a push ignores', async () => {
      const found = 'b/c.js node_modules/c.js talk/small.png talk/demo/index.html talk/notes.html'.split(' ');
      const files = {
        'img/a b.png': '',
        'talk/index.html': `<link rel=stylesheet href="../css/a.css">
  <link rel=modulepreload href=lib.js><img src="https://example.com/a.png"><img src="data:image/png,">
  <img srcset="small.png 1x, big.png 2x"><iframe src="demo/"></iframe><iframe src="notes"></iframe>
  <script type="importmap">{ "imports": { "a": "./a.js", "b/": "../b/", "c": "../node_modules/c.js" } }</script>`,
        'css/a.css': '\n@import "missing.css";\na { background: url(/img/a%20b.png#c) }',
        ...Object.fromEntries(found.map((path) => [path, ''])),
      };
      const expected = [
        ['missing-file', 'talk/lib.js', 'talk/index.html:2'],
        ['missing-file', 'talk/big.png', 'talk/index.html:3'],
        ['missing-file', 'talk/a.js', 'talk/index.html:4'],
        ['ignored-file', 'node_modules/c.js', 'talk/index.html:4'],
        ['missing-file', 'css/missing.css', 'css/a.css:2'],
      ];
      expect(await brief(files)).toEqual(expected);
      const { folder, warnings } = await aDeck(files);
      expect(warnings[3]).toMatchObject({ nextAction: words('.deckignore') });
      expect(await push(folder)).toMatchObject({ status: 'unchanged', warnings });
    });

    test('says that the folder of the sources was pushed in place of the built one', async () => {
      const page = '<link rel="icon" href="/vite.svg">\n<script type="module" src="/src/main.tsx"></script>';
      const files = { 'index.html': page, 'src/main.tsx': '', 'public/vite.svg': '' };
      const nextAction = 'Push the folder that the build made, such as dist.';
      const message = 'index.html:2 asks for /src/main.tsx. Browsers run it only after a build.';
      const place = { path: 'src/main.tsx', address: '/src/main.tsx', source: 'index.html:2' };
      expect((await aDeck(files)).warnings).toEqual([{ code: 'not-built', message, ...place, nextAction }]);
      const { stderr } = await pushShown(files);
      const shown =
        '! The deck asks for 1 file that browsers run only after a build:\n    /src/main.tsx (index.html:2)\n';
      expect(stderr).toBe(`${shown}  → ${nextAction}\n`);
    });

    test('names the files with rules of another host', async () => {
      const { warnings } = await aDeck({
        'index.html': '',
        _redirects: '/a /b',
        'talk/_headers': '',
        'netlify.toml': '',
      });
      const rules = ['_redirects', 'netlify.toml'].map((path) => ({ code: 'unused-rules', path }));
      expect(warnings).toMatchObject(rules);
      const { stderr } = await pushShown({ 'index.html': '', _headers: '/*' });
      const title = '! The deck has 1 file with rules of another host, which the service does not apply:\n';
      expect(stderr).toContain(`${title}    _headers\n  → `);
    });

    test('names the files at addresses of the service', async () => {
      const reserved = { '_deck/a.js': '', '_open/b/c.css': '' };
      const files = { 'index.html': '', ...reserved, 'talk/_open/d.js': '', '_opened/e.js': '' };
      const nextAction = 'Rename the folder, and the addresses that lead to it.';
      const message = 'The service does not serve _deck/a.js: it keeps /_open/ and /_deck/ for itself.';
      expect((await aDeck(files)).warnings).toEqual([
        { code: 'reserved-path', path: '_deck/a.js', message, nextAction },
        expect.objectContaining({ code: 'reserved-path', path: '_open/b/c.css' }),
      ]);
      const { stderr } = await pushShown(files);
      const shown = '! The deck has 2 files at addresses that the service keeps for itself:\n';
      expect(stderr).toBe(`${shown}    _deck/a.js\n    _open/b/c.css\n  → ${nextAction}\n`);
    });
  });

  /** Pushes a folder with a program in the place of the browser. */
  async function pushDrawn(folder: string, script: string): Promise<Pushed> {
    return pushWith(folder, await bed.aProgram(script));
  }

  async function pushWith(folder: string, CHROME_PATH: string): Promise<Pushed> {
    return (await computer.deck(['push', folder, '--json'], { CHROME_PATH })).json<Pushed>();
  }

  test('a browser that does not start leaves decks without a picture, which the first push tells', async () => {
    const program = await bed.aProgram('exit 1');
    const told = { code: 'no-picture', message: words('does not start') };
    for (const expected of [[expect.objectContaining(told)], []]) {
      const { status, picture, warnings } = await pushWith(await testbed.aFolder({ 'index.html': 'x' }), program);
      expect([status, picture, warnings]).toEqual(['pushed', undefined, expected]);
    }
  });

  describeInBrowser('a push with a browser', () => {
    test('draws the first slide, 1200 × 630, which the share page shows, and no folder holds it', async () => {
      const folder = await testbed.aFolder({ 'index.html': '<title>Drawn</title><h1>Drawn' });
      // Containers run tests as root, for whom Chromium needs the option.
      const drawn = await pushDrawn(folder, `exec '${executablePath}' --no-sandbox "$@"`);
      expect(drawn.picture).toBe('drawn');
      // A schedule makes the shown picture of the drawn one each minute.
      expect((await fetch(`${testbed.baseUrl}/makePictures`, { method: 'POST' })).status).toBe(200);
      expect(await done('info', folder)).toMatchObject({ slides: { count: 1, pictures: 1 } });
      const page = await (await fetch(drawn.shareUrl)).text();
      const answer = await fetch(/property="og:image" content="([^"]+)"/.exec(page)?.[1] ?? '');
      expect(answer.headers.get('content-type')).toBe('image/jpeg');
      const size = sizeOfPicture(new Uint8Array(await answer.arrayBuffer()));
      expect(size).toMatchObject({ width: 1200, height: 630 });

      const pulled = join(testbed.folder, 'pulled');
      await done('pull', drawn.presentationId, pulled);
      for (const each of [folder, pulled]) expect((await readdir(each)).sort()).toEqual(['.deck.json', 'index.html']);
      expect(await push(pulled)).toMatchObject({ status: 'unchanged' });
    });
  });

  describe('deck push --watch', () => {
    const watch = (folder: string) => computer.inTerminal(['push', folder, '--watch'], { NO_COLOR: '1' });

    inTerminal('pushes each change once, keeps the link, and Ctrl-C ends it', async () => {
      const folder = await testbed.aFolder({ 'index.html': '<title>Watched</title>' });
      const screen = watch(folder);
      await screen.shows('Pushed version 1');
      await screen.shows('token=');
      const token = await screen.next(64);
      await screen.shows('Watching the files');
      await fill(folder, { 'index.html': '<title>Two</title>', 'a.css': 'a{}', 'b/c.js': '1' });
      await screen.shows('Pushed version 2');
      await screen.shows('token=');
      expect(await screen.next(64)).toBe(token);
      // A push writes .deck.json, which makes no other one.
      const commits = testbed.proxy.calls['commitPresentationVersion'];
      await fill(folder, { '.notes': 'ignored', 'node_modules/x.js': '1' });
      await fill(folder, { 'a.css': 'b{}' });
      await screen.shows('Pushed version 3');
      // A dry run and a commit.
      expect(testbed.proxy.calls['commitPresentationVersion']).toBe(commits! + 2);
      screen.type('\x03');
      expect(await screen.exitCode()).toBe(130);
    });

    inTerminal('tells of a conflict and of a lost connection, and goes on', async () => {
      const { folder, presentationId } = await aDeck();
      const screen = watch(folder);
      await screen.shows('Watching the files');
      const other = await testbed.aFolder({ 'index.html': '<title>By another</title>' });
      await push(other, '--deck', presentationId);
      await fill(folder, { 'index.html': '<title>Mine</title>' });
      await screen.shows('The deck is at version');
      await screen.shows('Still watching');
      await testbed.proxy.close();
      await fill(folder, { 'index.html': '<title>Mine again</title>' });
      await screen.shows('No answer from');
      await screen.shows('Still watching');
      await testbed.proxy.open();
      await push(folder, '--force');
      await fill(folder, { 'index.html': '<title>Mine at last</title>' });
      await screen.shows('Pushed version 4');
      screen.type('\x03');
      expect(await screen.exitCode()).toBe(130);
    });

    test('ends with the failure of the first push, and excludes --json and --dry-run', async () => {
      const empty = await testbed.aFolder({ 'a.txt': 'x' });
      const stderr = words('has no HTML file');
      expect(await computer.deck(['push', empty, '--watch'])).toMatchObject({ code: 1, stderr });
      for (const option of ['--json', '--dry-run'])
        expect(await computer.deck(['push', empty, '--watch', option])).toMatchObject({ code: 2 });
    });
  });
}
