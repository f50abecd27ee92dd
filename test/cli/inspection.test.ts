import { withTestbed, type Computer, type Testbed } from './testbed';

interface Warning {
  code: string;
  message: string;
  path?: string;
  address?: string;
  source?: string;
  nextAction?: string;
}

interface Answer {
  status: string;
  warnings: Warning[];
}

let testbed: Testbed;
let computer: Computer;

const pushed = async (files: Record<string, string>, ...options: string[]) =>
  computer.done<Answer>('push', await testbed.aFolder(files), ...options);

/** Code, path and place of each warning. */
const brief = ({ warnings }: Answer) => warnings.map(({ code, path, source }) => [code, path, source]);

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
  withTestbed((made) => ({ testbed, computer } = made), '--no-deck-origin');

  test.each([[[]], [['--dry-run']]])(
    '%j names addresses that lead out of the deck, and how to build it',
    async (options) => {
      const answer = await pushed(viteBuild, ...options);
      expect(brief(answer)).toEqual([
        ['leaves-deck', 'vite.svg', 'index.html:2'],
        ['leaves-deck', 'assets/index-1a2b.js', 'index.html:3'],
        ['leaves-deck', 'assets/index-3c4d.css', 'index.html:4'],
        ['leaves-deck', 'assets/a.woff2', 'assets/index-3c4d.css:1'],
      ]);
      expect(answer.warnings[0]).toMatchObject({
        message: 'index.html:2 asks for /vite.svg. This service looks for it outside of the deck.',
        address: '/vite.svg',
        nextAction: expect.stringMatching(
          /vite build --base \.\/.*slidev build --base \.\/` with `routerMode: hash`/,
        ) as string,
      });
    },
  );

  test('shows them in a group on standard error, and makes the deck', async () => {
    const ended = await computer.deck(['push', await testbed.aFolder(viteBuild)]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/^Read 6 files .*\nUploaded .*\n✓ Pushed version 1 .*\n\n {2}http\S+\n\n$/);
    const lines = ended.stderr.trimEnd().split('\n');
    expect(lines).toEqual([
      '! The deck asks for 4 files at the root of the site, not in its own folder. This service does not find them:',
      '    /vite.svg (index.html:2)',
      '    /assets/index-1a2b.js (index.html:3)',
      '    /assets/index-3c4d.css (index.html:4)',
      '    /assets/a.woff2 (assets/index-3c4d.css:1)',
      expect.stringContaining('slidev build --base ./') as string,
    ]);
  });

  test('says nothing about files below _open and _deck', async () => {
    const { warnings } = await pushed({ 'index.html': '', '_deck/a.js': '', '_open/b.js': '' });
    expect(warnings).toEqual([]);
  });

  test('says nothing about them when the service does not tell its settings', async () => {
    testbed.proxy.watch = ({ name }, response) => {
      if (name !== 'getServiceInfo') return 'forward';
      response.writeHead(404).end();
      return 'answered';
    };
    expect(await pushed(viteBuild)).toMatchObject({ status: 'pushed', warnings: [] });
    expect(testbed.proxy.calls['getServiceInfo']).toBe(1);
  });

  test('shows the first ones of many, about ten lines in all', async () => {
    const missing = Array.from({ length: 14 }, (_, index) => `<img src="${index}.png">`).join('\n');
    const page = `${missing}<img src="a.png"><script src="/a.js"></script>`;
    const folder = await testbed.aFolder({ 'index.html': page, 'A.png': '', 'a.js': '' });
    const { stderr } = await computer.deck(['push', folder, '--dry-run']);
    expect(stderr).toContain('14 files that the folder does not hold:\n    0.png (index.html:1)\n    … and 13 more\n');
    expect(stderr).toContain('    a.png (index.html:14), the file is A.png\n');
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
  });
});

describe('a push to a service with deck origins', () => {
  withTestbed((made) => ({ testbed, computer } = made));

  test('says nothing about a deck that is built as its tool builds it', async () => {
    expect((await pushed(viteBuild)).warnings).toEqual([]);
    const ended = await computer.deck(['push', await testbed.aFolder(viteBuild)]);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
  });

  test.each([[[]], [['--dry-run']]])('%j names the files that the deck lacks', async (options) => {
    const answer = await pushed(
      {
        'talk/index.html': `<link rel=stylesheet href="../css/a.css">
<link rel=modulepreload href=lib.js><img src="https://example.com/a.png"><img src="data:image/png,">
<img srcset="small.png 1x, big.png 2x"><iframe src="demo/"></iframe><iframe src="notes"></iframe>
<script type="importmap">{ "imports": { "a": "./a.js", "b/": "../b/" } }</script>`,
        'css/a.css': '\n@import "missing.css";\na { background: url(/img/a%20b.png#c) }',
        'img/a b.png': '',
        'talk/small.png': '',
        'talk/demo/index.html': '',
        'talk/notes.html': '',
        'b/c.js': '',
      },
      ...options,
    );
    expect(brief(answer)).toEqual([
      ['missing-file', 'talk/lib.js', 'talk/index.html:2'],
      ['missing-file', 'talk/big.png', 'talk/index.html:3'],
      ['missing-file', 'talk/a.js', 'talk/index.html:4'],
      ['missing-file', 'css/missing.css', 'css/a.css:2'],
    ]);
  });

  test('says that the folder of the sources was pushed in place of the built one', async () => {
    const page = '<link rel="icon" href="/vite.svg">\n<script type="module" src="/src/main.tsx"></script>';
    const folder = { 'index.html': page, 'src/main.tsx': '', 'public/vite.svg': '' };
    expect((await pushed(folder)).warnings).toEqual([
      {
        code: 'not-built',
        message: 'index.html:2 asks for /src/main.tsx. Browsers run it only after a build.',
        path: 'src/main.tsx',
        address: '/src/main.tsx',
        source: 'index.html:2',
        nextAction: 'Push the folder that the build made, such as dist.',
      },
    ]);
    const { code, stderr } = await computer.deck(['push', await testbed.aFolder(folder)]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `! The deck asks for 1 file that browsers run only after a build:
    /src/main.tsx (index.html:2)
  → Push the folder that the build made, such as dist.
`,
    });
  });

  test('tells a file that a push ignores from one that the folder lacks', async () => {
    const page = '<script src="node_modules/reveal.js/reveal.js"></script><script src="node_modules/x.js"></script>';
    const answer = await pushed({ 'index.html': page, 'node_modules/reveal.js/reveal.js': '' });
    expect(brief(answer)).toEqual([
      ['ignored-file', 'node_modules/reveal.js/reveal.js', 'index.html:1'],
      ['missing-file', 'node_modules/x.js', 'index.html:1'],
    ]);
    expect(answer.warnings[0]?.nextAction).toContain('.deckignore');
  });

  test('names the files at addresses of the service', async () => {
    const files = {
      'index.html': '',
      '_deck/a.js': '',
      '_open/b/c.css': '',
      'talk/_open/d.js': '',
      '_opened/e.js': '',
    };
    const { warnings } = await pushed(files);
    expect(warnings).toEqual([
      {
        code: 'reserved-path',
        path: '_deck/a.js',
        message: 'The service does not serve _deck/a.js: it keeps /_open/ and /_deck/ for itself.',
        nextAction: 'Rename the folder, and the addresses that lead to it.',
      },
      expect.objectContaining({ code: 'reserved-path', path: '_open/b/c.css' }),
    ]);
    const { stderr } = await computer.deck(['push', await testbed.aFolder(files)]);
    expect(stderr).toBe(
      '! The deck has 2 files at addresses that the service keeps for itself:\n    _deck/a.js\n    _open/b/c.css\n' +
        '  → Rename the folder, and the addresses that lead to it.\n',
    );
  });

  test('of an unchanged deck warns again', async () => {
    const folder = await testbed.aFolder({ 'index.html': '<img src=a.png>' });
    await computer.deck(['push', folder]);
    const ended = await computer.deck(['push', folder, '--json']);
    expect(ended.json()).toMatchObject({ status: 'unchanged', warnings: [{ code: 'missing-file', path: 'a.png' }] });
  });

  test('of a page that is broken goes on', async () => {
    const page =
      '<script type=importmap>{</script><style>}}url(</style><base href="http://["><img src="%zz"><img srcset=",,"><a';
    expect(await pushed({ 'index.html': page })).toMatchObject({ status: 'pushed', warnings: [] });
  });
});
