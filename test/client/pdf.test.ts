import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPdf } from '../../client/src/pdf/open-pdf';
import { aLockedPdf, aPdf, type PdfContent } from '../support/pdf-file';
import { buildClient } from '../support/build-client';

let root: string;
beforeAll(buildClient);
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'pdf-deck-')));
});
afterAll(() => rm(root, { recursive: true }));

/** The deck of the bytes: its title, its entry page, and the hashes of its files by their paths. */
async function deckOf(bytes: Buffer, name = 'talk.pdf') {
  const path = join(root, name);
  await writeFile(path, bytes);
  const { source, close } = await openPdf(path);
  try {
    const { files, entryPath } = await source.read({ chosen: undefined, remembered: undefined }, {});
    const entry = files.find((file) => file.path === entryPath)!;
    const html = await readFile(entry.absolutePath, 'utf8');
    const hashes = Object.fromEntries(files.map((file) => [file.path, file.sha256]));
    return { title: await source.title(entry), html, hashes };
  } finally {
    await close();
  }
}
const deckWith = async (content: PdfContent, name?: string) => deckOf(await aPdf(content), name);
const titlesIn = (html: string) => [...html.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title);

const pages = [
  { heading: 'Opening', lines: ['Welcome'] },
  { heading: 'Numbers', lines: ['12 345 678'] },
];

test('a PDF becomes its pages with their text, the PDF, and what shows it with its licences', async () => {
  const { hashes, html } = await deckWith({ pages });
  expect(Object.keys(hashes)).toEqual([
    'index.html',
    'pdf/LICENSE.txt',
    'pdf/pdf.min.mjs',
    'pdf/pdf.worker.min.mjs',
    // The font of the text is not in the PDF.
    'pdf/standard_fonts/LiberationSans-Regular.ttf',
    'pdf/viewer.css',
    'pdf/viewer.mjs',
    'pdf/wasm/qcms_bg.wasm',
    'slides.pdf',
  ]);
  expect(html).toContain(
    'data-width="960" data-height="540"><div class="text"><h2>Opening</h2><p>Opening</p><p>Welcome</p>',
  );
});

test('equal PDFs make equal files, and of another PDF two files differ', async () => {
  const [one, same, other] = [await deckWith({ pages }), await deckWith({ pages }), await deckWith({ pages: [{}] })];
  expect(same.hashes).toEqual(one.hashes);
  const differing = Object.keys(other.hashes).filter((path) => other.hashes[path] !== one.hashes[path]);
  expect(differing).toEqual(['index.html', 'slides.pdf']);
});

test.each([
  ['A talk <b>', 'talk.pdf', 'A talk <b>'],
  ['Microsoft PowerPoint - Final.pptx', 'talk.pdf', 'Final'],
  ['PowerPoint Presentation', 'Talk of May.pdf', 'Talk of May'],
  [undefined, 'My talk.PDF', 'My talk'],
])('the title %p of %s makes the title %s', async (title, name, expected) => {
  expect((await deckWith({ pages, ...(title !== undefined && { title }) }, name)).title).toBe(expected);
});

test('a page is named by its first bookmark, else by its largest text with letters', async () => {
  const { html } = await deckWith({
    pages: [...pages, { heading: '42 %', lines: ['is the answer'] }, {}],
    bookmarks: [
      { title: 'Start & more', page: 1 },
      { title: 'Later', page: 1 },
    ],
  });
  expect(titlesIn(html)).toEqual(['Start &amp; more', 'Numbers', 'is the answer']);
});

test.each([
  ['de-CH', '<html lang="de-CH">', '<main class="pdf-pages" lang="de-CH"'],
  [undefined, '<html lang="en">', '<main class="pdf-pages" lang=""'],
])(
  'the language of a PDF in %p is that of its pages, and that of the controls is English',
  async (language, ...said) => {
    const { html } = await deckWith({ pages, ...(language !== undefined && { language }) });
    for (const each of [...said, '<nav class="controls" aria-label="Slides" lang="en"']) expect(html).toContain(each);
  },
);

test('text of a PDF is never markup of the page', async () => {
  const nasty = '</main><script>"\'&';
  const { html } = await deckWith({
    title: nasty,
    language: '"><script>',
    pages: [{ heading: nasty, lines: [nasty], link: `https://example.org/"><script>` }],
    bookmarks: [{ title: nasty, page: 1 }],
  });
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html.match(/<\/main>/g)).toHaveLength(1);
});

test.each([
  ['https://example.org/a?b=c&d', 'https://example.org/a?b=c&amp;d'],
  ['mailto:a@example.org', 'mailto:a@example.org'],
  ['javascript:alert(1)', undefined],
  ['file:///etc/passwd', undefined],
  // pdf.js leaves the others out already.
  ['ftp://example.org/a', undefined],
  ['data:text/html,x', undefined],
  [2, '#2'],
])('a link to %p has the address %p', async (link, expected) => {
  const { html } = await deckWith({ pages: [{ lines: ['here'], link }, {}] });
  expect(/<a href="([^"]*)"[^>]* aria-label="here"/.exec(html)?.[1]).toBe(expected);
});

test.each([
  ['locked.pdf', aLockedPdf, { code: 'locked-file', message: 'locked.pdf is protected with a password.' }],
  ['empty.pdf', async () => Buffer.alloc(0), { code: 'damaged-file' }],
  ['text.pdf', async () => Buffer.from('not a PDF'), { code: 'damaged-file' }],
  ['cut.pdf', async () => (await aPdf({ pages })).subarray(0, 300), { code: 'damaged-file' }],
])('%s is refused', async (name, bytes, expected) => {
  await expect(deckOf(await bytes(), name)).rejects.toMatchObject(expected);
});
