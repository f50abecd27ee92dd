import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { imageSize } from 'image-size';
import { projectRoot } from '../../local/project';
import { describeInBrowser } from '../browser/browser';
import { revealDeck, revealFile } from '../browser/small-decks';
import { pdfTexts } from '../support/pdf-texts';
import { buildBundles } from '../support/bundles';
import { aFolder, draw, program, root, withBrowserProgram } from './drawn-decks';

/** The slides that Chromium draws for a push, and the pages of `deck pdf`. */

const run = promisify(execFile);

withBrowserProgram();
beforeAll(() => buildBundles('cli'));

async function aRevealDeck(): Promise<string> {
  const [script, style] = await Promise.all([revealFile('reveal.js'), revealFile('reveal.css')]);
  return aFolder(`<link rel="stylesheet" href="reveal.css">${revealDeck}`, {
    'reveal.js': script,
    'reveal.css': style,
  });
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
});

describeInBrowser('deck pdf', () => {
  const deck = async (browser: string, ...args: string[]) => {
    const env = { ...process.env, CHROME_PATH: browser, XDG_CONFIG_HOME: root };
    const { stdout } = await run(process.execPath, [join(projectRoot, 'cli/dist/deck.js'), ...args, '--json'], {
      env,
    }).catch((error: unknown) => error as { stdout: string });
    return JSON.parse(stdout) as { pages?: number; file?: string; error?: { code: string } };
  };

  test('prints a page for each slide at its last step, whose text can be selected, over a file only with --force', async () => {
    const file = join(root, 'talk.pdf');
    await writeFile(file, 'mine');
    const folder = await aRevealDeck();
    expect((await deck(program, 'pdf', folder, '--out', file)).error?.code).toBe('file-exists');
    expect(await readFile(file, 'utf8')).toBe('mine');
    const printed = { status: 'printed', pages: 4, file };
    expect(await deck(program, 'pdf', folder, '--out', file, '--force')).toMatchObject(printed);
    expect(pdfTexts(await readFile(file))).toEqual(['One', 'Down', 'Down a b', '']);
    const absent = join(root, 'absent', 'talk.pdf');
    expect((await deck(program, 'pdf', folder, '--out', absent)).error?.code).toBe('usage');
    expect((await deck(program, 'pdf', folder, '--out', root, '--force')).error?.code).toBe('cannot-write');
    expect((await deck(join(root, 'none'), 'pdf', folder, '--out', file, '--force')).error?.code).toBe('no-browser');
  });
});
