import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { imageSize } from 'image-size';
import { withDeckPage, type DeckPage } from '../../cli/src/drawing/deck-page';
import { findTool, slidesOf } from '../../cli/src/drawing/slides';
import { hashFiles } from '../../client/src/folder/hash';
import { scanFolder } from '../../client/src/folder/read-folder';
import { projectRoot } from '../../local/project';
import { describeInBrowser } from '../browser/browser';
import { browserIn } from '../browser/program';
import { revealDeck, revealFile } from '../browser/small-decks';
import { pdfTexts } from '../support/pdf-texts';
import { fill } from './files';

const run = promisify(execFile);

let root: string;
let program: string;
let decks = 0;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'drawing-')));
  program = await browserIn(root);
  await run(process.execPath, [join(projectRoot, 'scripts/build.mjs'), 'cli']);
});
afterAll(() => rm(root, { recursive: true }));

async function aFolder(html: string, files: Record<string, string> = {}): Promise<string> {
  const folder = join(root, `deck-${++decks}`);
  await fill(folder, { 'index.html': `<!doctype html><meta charset="utf-8">${html}`, ...files });
  return folder;
}
async function aRevealDeck(): Promise<string> {
  const [script, style] = await Promise.all([revealFile('reveal.js'), revealFile('reveal.css')]);
  return aFolder(`<link rel="stylesheet" href="reveal.css">${revealDeck}`, {
    'reveal.js': script,
    'reveal.css': style,
  });
}

interface Drawn {
  key: string;
  title: string;
  picture: Buffer;
  /** What `see` evaluated to while the page showed the slide. */
  seen: unknown;
}

/** Draws the deck of a folder as a push does. */
async function draw(folder: string, see = '0'): Promise<Drawn[]> {
  const files = await hashFiles(await scanFolder(folder), {});
  const look = async (page: DeckPage) => {
    await page.load({ width: 1280, height: 720, scale: 0.5 });
    await findTool(page);
    const drawn: Drawn[] = [];
    for await (const slide of slidesOf(page, 5)) drawn.push({ ...slide, seen: await page.evaluate(see) });
    return drawn;
  };
  return withDeckPage(program, { files, entryPath: 'index.html' }, AbortSignal.timeout(200_000), look);
}

describeInBrowser('the slides that a push draws', () => {
  test('are those of reveal.js with the keys of its insights, columns included, each at its last step', async () => {
    const drawn = await draw(await aRevealDeck(), `document.querySelectorAll('.present > .present > .visible').length`);
    const rows = drawn.map(({ key, title, seen, picture }) => ({ key, title, seen, ...imageSize(picture) }));
    const size = { width: 640, height: 360, type: 'webp' };
    expect(rows).toEqual([
      { key: '#start', title: 'One', seen: 0, ...size },
      { key: 'Down', title: 'Down', seen: 0, ...size },
      { key: 'Down #2', title: 'Down', seen: 2, ...size },
      { key: '#4', title: '', seen: 0, ...size },
    ]);
  });

  test('of a deck that asks to be isolated have shared memory', async () => {
    const headers = ['Cross-Origin-Opener-Policy: same-origin', 'Cross-Origin-Embedder-Policy: require-corp'];
    const script = '<script>document.title = new SharedArrayBuffer(8).byteLength</script><h1>One</h1>';
    const drawn = await draw(await aFolder(script, { _headers: `/*\n${headers.join('\n')}` }), 'document.title');
    expect(drawn.map(({ seen }) => seen)).toEqual(['8']);
  });

  /** A script that changes the slide, `n` of three, at each arrow. */
  const onArrows = (show: string) => `<script>
    let n = 0;
    const show = () => { ${show} };
    addEventListener('keydown', ({ key }) => { n = Math.max(0, Math.min(2, n + ({ ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0))); show(); });
    show();
  </script>`;
  const hidden = `<style>section:not(.on) { display: none }</style>
    <section class="on">One</section><section>Two</section><section>Three</section>`;
  const toggle = `document.querySelectorAll('section').forEach((each, i) => each.classList.toggle('on', i === n));`;
  const tell = `dispatchEvent(new CustomEvent('deck:slide', { detail: { key: 'k' + n, title: 'T' + n, index: n, count: 3 } }));`;

  test.each([
    [
      'sections in a page that scrolls',
      '<style>section { height: 100vh }</style>' +
        '<section>One</section><section id="two">Two</section><section>Three</section>',
      ['One', '#two', 'Three'],
    ],
    ['sections that keys show', hidden + onArrows(toggle), ['One', 'Two', 'Three']],
    [
      'sections that the hash shows',
      `${hidden}<script>onhashchange = () => { const n = location.hash.slice(2) - 1; ${toggle} }; location.hash = '#/1'</script>`,
      ['One', 'Two', 'Three'],
    ],
    ['slides that the deck tells, and that keys show', `<h1>Deck</h1>${onArrows(tell)}`, ['k0', 'k1', 'k2']],
    ['a page without slides', '<title>Page</title><p>Text', ['#1']],
  ])('are %s', async (_name, html, keys) => {
    expect((await draw(await aFolder(html))).map(({ key }) => key)).toEqual(keys);
  });

  test('show the end of an animation', async () => {
    const html = `<style>@keyframes fade { from { opacity: 0 } } p { animation: fade 1000s }</style><p>Text`;
    const [slide] = await draw(await aFolder(html), `getComputedStyle(document.querySelector('p')).opacity`);
    expect(slide?.seen).toBe('1');
  });
});

describeInBrowser('deck pdf', () => {
  const deck = async (...args: string[]) => {
    const env = { ...process.env, CHROME_PATH: program, XDG_CONFIG_HOME: root };
    const { stdout } = await run(process.execPath, [join(projectRoot, 'cli/dist/deck.js'), ...args, '--json'], {
      env,
    }).catch((error: unknown) => error as { stdout: string });
    return JSON.parse(stdout) as { pages?: number; file?: string; error?: { code: string } };
  };

  test('prints a page for each slide at its last step, whose text can be selected, over a file only with --force', async () => {
    const file = join(root, 'talk.pdf');
    await writeFile(file, 'mine');
    const folder = await aRevealDeck();
    expect((await deck('pdf', folder, '--out', file)).error?.code).toBe('file-exists');
    expect(await readFile(file, 'utf8')).toBe('mine');
    expect(await deck('pdf', folder, '--out', file, '--force')).toMatchObject({ status: 'printed', pages: 4, file });
    expect(pdfTexts(await readFile(file))).toEqual(['One', 'Down', 'Down a b', '']);
    program = join(root, 'none');
    expect((await deck('pdf', folder, '--out', file, '--force')).error?.code).toBe('no-browser');
  });
});
