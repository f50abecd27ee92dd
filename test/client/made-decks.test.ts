import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageDeck } from '../../client/src/images/image-deck';
import { openPdf } from '../../client/src/pdf/open-pdf';
import type { OpenSource } from '../../client/src/push/disk-source';
import { openSource } from '../../client/src/push/open-source';
import { fill } from '../cli/files';
import { buildClient } from '../support/bundles';
import { aLockedPdf, aPdf, type PdfContent } from '../support/pdf-file';

/** Decks that the client makes of a PDF, and of pictures. */

let root: string;
beforeAll(buildClient);
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'made-deck-')));
});
afterAll(() => rm(root, { recursive: true }));

/** A folder with files that contain their names. */
async function aFolder(name: string, paths: string[]): Promise<string> {
  await fill(join(root, name), Object.fromEntries(paths.map((path) => [path, path])));
  return join(root, name);
}

/** A deck: its title, its entry page, and the hashes of its files by their paths. */
async function deckOf(opened: Promise<OpenSource>) {
  const { source, close } = await opened;
  try {
    const { files, entryPath } = await source.read({ chosen: undefined, remembered: undefined }, {});
    const entry = files.find((file) => file.path === entryPath)!;
    const html = await readFile(entry.absolutePath, 'utf8');
    const hashes = Object.fromEntries(files.map((file) => [file.path, file.sha256]));
    return { entryPath, title: await source.title(entry), html, hashes };
  } finally {
    await close();
  }
}

async function pdfDeckOf(bytes: Buffer, name = 'talk.pdf') {
  await writeFile(join(root, name), bytes);
  return deckOf(openPdf(join(root, name)));
}
const deckWith = async (content: PdfContent, name?: string) => pdfDeckOf(await aPdf(content), name);
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

test('a PDF that is written again while its deck is made is read again', async () => {
  const path = join(root, 'written.pdf');
  await writeFile(path, await aPdf({ pages }));
  const opened = await openPdf(path);
  await writeFile(path, await aPdf({ pages: [{}] }));
  await expect(deckOf(Promise.resolve(opened))).rejects.toMatchObject({ code: 'file-changed' });
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
])('the pages have the language %p of their PDF; that of the controls is English', async (language, ...said) => {
  const { html } = await deckWith({ pages, ...(language !== undefined && { language }) });
  for (const each of [...said, '<nav class="controls" aria-label="Slides" lang="en"']) expect(html).toContain(each);
});

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
  await expect(pdfDeckOf(await bytes(), name)).rejects.toMatchObject(expected);
});

const addressesIn = (html: string) => [...html.matchAll(/<img src="(.*?)"/g)].map(([, address]) => address);

test('a folder of pictures becomes a deck with a slide for each, in the order that people see', async () => {
  const names = ['10 End.JPG', '2_the-plan.png', 'b/Größe & <more>.svg', 'Thumbs.db', '.DS_Store'];
  const { title, html, hashes } = await deckOf(openSource(await aFolder('Trip to Rome', names)));
  expect(title).toBe('Trip to Rome');
  const paths = ['10 End.JPG', '2_the-plan.png', 'b/Größe & <more>.svg'];
  expect(Object.keys(hashes).sort()).toEqual([...paths, 'index.html', 'viewer/images.mjs', 'viewer/viewer.css']);
  expect(addressesIn(html)).toEqual(['2_the-plan.png', '10%20End.JPG', 'b/Gr%C3%B6%C3%9Fe%20%26%20%3Cmore%3E.svg']);
  expect(html).toContain('alt="the plan"');
  expect(html).toContain('<h2>Größe &amp; &lt;more&gt;</h2>');
});

test('a single picture is a deck of one slide', async () => {
  const folder = await aFolder('one', ['My photo.webp']);
  const { title, html } = await deckOf(openSource(join(folder, 'My photo.webp')));
  expect([title, addressesIn(html)]).toEqual(['My photo', ['My%20photo.webp']]);
});

test.each([
  ['a page', ['a.png', 'talk.html'], 'talk.html'],
  ['other files', ['a.png', 'notes.md'], undefined],
  ['nothing', ['.hidden'], undefined],
])('a folder with %s is no deck of pictures', async (name, names, entry) => {
  const deck = deckOf(openSource(await aFolder(name, names)));
  if (entry) expect(await deck).toMatchObject({ entryPath: entry });
  else await expect(deck).rejects.toMatchObject({ code: 'no-entry' });
});

test.each([
  ['01-intro_slide.png', 'intro slide'],
  ['2024 report.png', '2024 report'],
  ['7.png', '7'],
  ['a/b/The end.jpeg', 'The end'],
  ['_.png', '_'],
])('the slide of %s is called %s', (path, title) => {
  expect(imageDeck('x', [path]).slides).toEqual([{ path, title }]);
});
