import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The files of a deck: path → content. */
export type DeckFolder = Record<string, string | Buffer>;

export const MB = 1024 * 1024;
/** The size of the film of the hand-written deck, and the bytes of one second of it. */
export const FILM = 16 * MB;
export const SECOND = 44_100 * 4;

/** A silent WAV file. */
function film(): Buffer {
  const bytes = Buffer.alloc(FILM);
  bytes.write('RIFF----WAVEfmt ');
  bytes.writeUInt32LE(FILM - 8, 4);
  // PCM with 2 channels, 44 100 samples a second and 16 bits a sample.
  bytes.write('100000000100020044ac000010b1020004001000', 16, 'hex');
  bytes.write('data', 36);
  bytes.writeUInt32LE(FILM - 44, 40);
  return bytes;
}

const svg = (color: string, script = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10" width="20" height="10"><rect width="20" height="10" fill="${color}"/>${script}</svg>`;

/** File names that must be encoded in an address, each with other characters. */
const oddNames = {
  picture: 'assets/Grün & blau #1.svg',
  data: 'assets/100% sure?.json',
  script: 'assets/a+b = c.mjs',
  text: 'assets/日本語/Übergröße (neu)%20[2].txt',
};

const address = (path: string) => `../${path.split('/').map(encodeURIComponent).join('/')}`;

const page = `<!doctype html>
<title>Von Hand</title>
<link rel="icon" href="../assets/frame.svg">
<link rel="stylesheet" href="slides.css">
<script type="module" src="deck.mjs"></script>
<p id="styled">In a font of its own</p>
<img id="image" alt="" src="${address(oddNames.picture)}">
<object id="object" data="../assets/object.svg" type="image/svg+xml"></object>
<iframe id="frame" title="SVG" src="../assets/frame.svg"></iframe>
<svg id="inline" width="20" height="10"><use href="#shape"/><defs><rect id="shape" width="20" height="10"/></defs></svg>
<div id="background"></div>
<video id="film" src="../assets/film.wav" preload="metadata" muted></video>`;

const script = `import { next } from './slides.mjs';
const outcome = { slide: 0 };
window.outcome = outcome;
addEventListener('keydown', ({ key }) => { if (key === 'ArrowRight') outcome.slide = next(outcome.slide); });
const json = (url) => fetch(url).then((response) => response.json());
const work = (worker) => new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = (event) => reject(new Error(event.message));
});
const part = async (range) => {
  const response = await fetch('../assets/film.wav', { headers: { range } });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, contentRange: response.headers.get('content-range'), length: bytes.length };
};
const steps = {
  imported: async () => (await import('./later.mjs')).default,
  odd: async () => (await import(${JSON.stringify(address(oddNames.script))})).default,
  data: () => json(${JSON.stringify(address(oddNames.data))}),
  text: async () => (await fetch(${JSON.stringify(address(oddNames.text))})).text(),
  font: async () => (await document.fonts.load('20px Handmade')).map(({ status }) => status).join(),
  worker: () => work(new Worker(URL.createObjectURL(new Blob(['postMessage(6 * 7)'])))),
  lastBytes: () => part('bytes=-10'),
  middleBytes: () => part('bytes=8000000-8999999'),
  image: async () => { const image = document.querySelector('#image'); await image.decode(); return image.naturalWidth; },
};
for (const [name, step] of Object.entries(steps)) outcome[name] = await step().catch((error) => String(error));
outcome.done = true;`;

/**
 * A hand-written deck whose entry is in a folder: modules, a font, SVG in four ways, data, a worker and a film. The
 * results of all steps are in `window.outcome`.
 */
export async function handmadeDeck(): Promise<DeckFolder> {
  const font = join(dirname(require.resolve('reveal.js')), '../css/theme/fonts/league-gothic/league-gothic.woff');
  return {
    'slides/index.html': page,
    'slides/slides.css': `@import url("../assets/more.css");
@font-face { font-family: "Handmade"; src: url("../assets/league-gothic.woff") format("woff"); }
#styled { font-family: "Handmade"; }`,
    'slides/deck.mjs': script,
    'slides/slides.mjs': 'export const next = (slide) => slide + 1;',
    'slides/later.mjs': `export default new URL('../assets/more.css', import.meta.url).pathname.endsWith('/assets/more.css');`,
    'assets/league-gothic.woff': await readFile(font),
    'assets/more.css': '#background { width: 20px; height: 10px; background: url("background.svg"); }',
    'assets/background.svg': svg('olive'),
    'assets/object.svg': svg('green'),
    'assets/frame.svg': svg('blue', '<script>document.documentElement.dataset.ran = self.origin</script>'),
    'assets/film.wav': film(),
    [oddNames.picture]: svg('red'),
    [oddNames.data]: '{"sure": true}',
    [oddNames.script]: 'export default "a+b";',
    [oddNames.text]: 'Grüße',
  };
}
