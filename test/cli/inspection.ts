import { describeInBrowser } from '../browser/browser';
import { browserIn } from '../browser/program';
import { revealFile } from '../browser/small-decks';
import * as bed from './testbed';
import { computer, fill, inTerminal, push, testbed, words, type Pushed } from './testbed';

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
    test('draws a picture of the deck and of its slides', async () => {
      // Reveal.js tells its slides, so that a push does not wait until the page is likely to have none.
      const folder = await testbed.aFolder({
        'index.html': `<div class="reveal"><div class="slides"><section>One</section></div></div>
          <script src="reveal.js"></script><script>Reveal.initialize()</script>`,
        'reveal.js': await revealFile('reveal.js'),
      });
      expect(await pushWith(folder, await browserIn(testbed.folder))).toMatchObject({
        status: 'pushed',
        picture: 'drawn',
        slides: 1,
        warnings: [],
      });
    });
  });

  describe('deck push --watch', () => {
    inTerminal('pushes a change, and Ctrl-C ends it', async () => {
      const folder = await testbed.aFolder({ 'index.html': '<title>Watched</title>' });
      const screen = computer.inTerminal(['push', folder, '--watch'], { NO_COLOR: '1' });
      await screen.shows('Watching the files');
      await fill(folder, { 'a.css': 'a{}' });
      await screen.shows('Pushed version 2');
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
