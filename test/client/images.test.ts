import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openSource } from '../../client/src/push/open-source';
import { imageDeck } from '../../client/src/images/image-deck';
import { buildClient } from '../support/build-client';

let root: string;
beforeAll(buildClient);
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'image-deck-')));
});
afterAll(() => rm(root, { recursive: true }));

async function aFolder(name: string, paths: string[]): Promise<string> {
  for (const path of paths) {
    const file = join(root, name, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, path);
  }
  return join(root, name);
}

/** The deck of the path: its title, its entry page, and the paths of its files. */
async function deckOf(path: string) {
  const { source, close } = await openSource(path);
  try {
    const { files, entryPath } = await source.read({ chosen: undefined, remembered: undefined }, {});
    const entry = files.find((file) => file.path === entryPath)!;
    const html = await readFile(entry.absolutePath, 'utf8');
    return { title: await source.title(entry), html, paths: files.map((file) => file.path) };
  } finally {
    await close();
  }
}

const addressesIn = (html: string) => [...html.matchAll(/<img src="(.*?)"/g)].map(([, address]) => address);

test('a folder of pictures becomes a deck with a slide for each, in the order that people see', async () => {
  const names = ['10 End.JPG', '2_the-plan.png', 'b/Größe & <more>.svg', 'Thumbs.db', '.DS_Store'];
  const { title, html, paths } = await deckOf(await aFolder('Trip to Rome', names));
  expect(title).toBe('Trip to Rome');
  expect([...paths].sort()).toEqual([
    ...['10 End.JPG', '2_the-plan.png', 'b/Größe & <more>.svg', 'index.html', 'viewer/images.mjs', 'viewer/viewer.css'],
  ]);
  expect(addressesIn(html)).toEqual(['2_the-plan.png', '10%20End.JPG', 'b/Gr%C3%B6%C3%9Fe%20%26%20%3Cmore%3E.svg']);
  expect(html).toContain('alt="the plan"');
  expect(html).toContain('<h2>Größe &amp; &lt;more&gt;</h2>');
});

test('a single picture is a deck of one slide', async () => {
  const folder = await aFolder('one', ['My photo.webp']);
  const { title, html } = await deckOf(join(folder, 'My photo.webp'));
  expect([title, addressesIn(html)]).toEqual(['My photo', ['My%20photo.webp']]);
});

test.each([
  ['a page', ['a.png', 'talk.html'], 'talk.html'],
  ['other files', ['a.png', 'notes.md'], undefined],
  ['nothing', ['.hidden'], undefined],
])('a folder with %s is no deck of pictures', async (name, names, entry) => {
  const { source } = await openSource(await aFolder(name, names));
  const read = source.read({ chosen: undefined, remembered: undefined }, {});
  if (entry) expect(await read).toMatchObject({ entryPath: entry });
  else await expect(read).rejects.toMatchObject({ code: 'no-entry' });
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
