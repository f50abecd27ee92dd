import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sizeOfPicture } from '../../functions/src/values/picture-size';
import { describeInBrowser, executablePath } from '../browser/browser';
import * as bed from './testbed';
import { computer, done, fill, inTerminal, push, testbed, words, type Pushed } from './testbed';

/** What a push tells about a folder, draws of it, and sees while it watches the folder. */
export function proveInspection(): void {
  describe('the warnings of a push', () => {
    const broken = { 'index.html': '<link rel="icon" href="/a.svg">\n<img src="node_modules/b.js">', 'a.svg': '' };

    test('are those of its dry run, also of an unchanged deck, and say what to do', async () => {
      const folder = await testbed.aFolder({ ...broken, 'node_modules/b.js': '' });
      const { warnings } = await push(folder, '--dry-run');
      const place = { path: 'node_modules/b.js', address: 'node_modules/b.js', source: 'index.html:2' };
      expect(warnings).toEqual([
        { code: 'ignored-file', ...place, message: words('A push ignores it.'), nextAction: words('.deckignore') },
      ]);
      for (const status of ['pushed', 'unchanged']) expect(await push(folder)).toMatchObject({ status, warnings });
    });

    test('name how to build a deck for a service without deck origins', async () => {
      const { data } = (await (await fetch(`${testbed.baseUrl}/getServiceInfo`)).json()) as { data: object };
      testbed.proxy.answer('getServiceInfo', 200, { success: true, data: { ...data, deckOrigins: false } });
      const { stderr } = await computer.deck(['push', await testbed.aFolder({ ...broken, 'node_modules/b.js': '' })]);
      expect(stderr).toContain(
        'This service does not find them, and the deck may stay blank:\n    /a.svg (index.html:1)\n',
      );
      expect(stderr).toMatch(/vite build --base \.\/.*slidev build --base \.\/` with `routerMode: hash`/);
    });

    test('are shown by group, the first ones of many, in about ten lines in all', async () => {
      const missing = Array.from({ length: 14 }, (_, index) => `<img src="${index}.png">`).join('\n');
      const page = `${missing}<img src="a.png">`;
      const folder = await testbed.aFolder({
        'index.html': page,
        'A.png': '',
        _headers: '/*\n  X-A: b',
        '_deck/a.js': '',
      });
      const { stderr } = await computer.deck(['push', folder, '--dry-run']);
      for (const shown of [
        '! The deck asks for 14 files that are not in the folder:\n    0.png (index.html:1)\n    … and 13 more\n',
        '    a.png (index.html:14), the file is A.png\n',
        'at addresses that the service keeps for itself:\n    _deck/a.js\n  → Rename the folder',
        'The deck has rules of another host, which the service does not apply:\n    /* X-A: b (_headers:2)\n  → ',
      ])
        expect(stderr).toContain(shown);
      expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(15);
    });

    test('are none of a deck without problems, and without a terminal there are no bars and colours', async () => {
      const { stdout, stderr } = await computer.deck(['push', await testbed.aFolder({ 'index.html': 'x' })]);
      const lines = /^Read 1 file .*\nUploaded 1 file .*\n✓ Pushed version 1 of \S+\n\n {2}http\S+\n\n$/;
      expect([stdout, stderr]).toEqual([expect.stringMatching(lines), '']);
    });
  });

  /** Pushes a folder with a program in the place of the browser. */
  const pushWith = async (folder: string, CHROME_PATH: string) =>
    (await computer.deck(['push', folder, '--json'], { CHROME_PATH })).json<Pushed>();

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
      const drawn = await pushWith(folder, await bed.aProgram(`exec '${executablePath}' --no-sandbox "$@"`));
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

    inTerminal(
      'pushes each change once, tells of a conflict and of a lost connection, goes on, and Ctrl-C ends it',
      async () => {
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
        const { presentationId } = await bed.deckFileOf(folder);
        await push(await testbed.aFolder({ 'index.html': '<title>By another</title>' }), '--deck', presentationId);
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
        await screen.shows('Pushed version 6');
        screen.type('\x03');
        expect(await screen.exitCode()).toBe(130);
      },
    );

    test('ends with the failure of the first push, and excludes --json and --dry-run', async () => {
      const empty = await testbed.aFolder({ 'a.txt': 'x' });
      const stderr = words('has no HTML file');
      expect(await computer.deck(['push', empty, '--watch'])).toMatchObject({ code: 1, stderr });
      for (const option of ['--json', '--dry-run'])
        expect(await computer.deck(['push', empty, '--watch', option])).toMatchObject({ code: 2 });
    });
  });
}
