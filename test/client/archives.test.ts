import { browserSource } from '../../client/src/browser/browser-source';
import { readDropped } from '../../client/src/browser/read-dropped';
import { zipArchive } from '../support/zip-archive';

const MB = 1024 * 1024;

/** Reads an archive as a page reads what somebody chose. */
const read = (archive: Buffer, maxFiles = 100, maxBytes = 1e9) =>
  readDropped([new File([new Uint8Array(archive)], 'talk.zip')], { maxFiles, maxBytes });

const page = { name: 'index.html', content: '<p>' };
const link = { content: '/etc/passwd', mode: 0o120777 };

test('a zip archive is the folder that it holds, whatever its names are encoded in', async () => {
  const latin = Buffer.concat([Buffer.from('deck/caf'), Buffer.from([0x82]), Buffer.from('.txt')]);
  const { name, files, refused } = await read(
    zipArchive([
      { name: 'deck/index.html', content: '<p>' },
      { name: 'deck\\js\\a.js', content: 'a()' },
      { name: latin, content: 'é of code page 437' },
      { name: 'deck/re\u0301sume\u0301.txt', content: 'decomposed' },
      { name: 'deck/.DS_Store', content: 'x' },
      { name: 'deck/node_modules/y.js', content: 'y' },
      { name: '__MACOSX/deck/._index.html', content: 'x' },
    ]),
  );
  expect([name, refused]).toEqual(['talk', []]);
  expect(await Promise.all(files.map(async ({ path, blob }) => [path, await blob.text()]))).toEqual([
    ['café.txt', 'é of code page 437'],
    ['index.html', '<p>'],
    ['js/a.js', 'a()'],
    ['résumé.txt', 'decomposed'],
  ]);
});

test('every file that a deck cannot hold is named, and a push goes on without them only when the page leaves out the refused', async () => {
  const outside = ['../evil.html', '/etc/x', 'C:\\x.html', 'a/../../x', 'a//b'];
  const dropped = await read(
    zipArchive([
      { name: 'deck/index.html', content: '<p>' },
      ...outside.map((name) => ({ name })),
      { ...link, name: 'deck/link' },
      { ...link, name: 'deck/.hidden' },
      { name: 'deck/a\nb.css' },
      { name: 'deck/é.txt' },
      { name: 'deck/e\u0301.txt' },
    ]),
  );
  expect([dropped.name, dropped.files.map(({ path }) => path)]).toEqual(['talk', ['index.html']]);
  const noName = outside.map((name) => `"${name.replaceAll('\\', '/')}" in the archive does not have a file name.`);
  expect(dropped.refused.map(({ code, message }) => [code, message]).toSorted()).toEqual(
    [
      ...noName.map((message) => ['bad-path', message]),
      ['bad-link', '"deck/link" in the archive is a link.'],
      ['bad-path', '"a\\u000ab.css" cannot be part of a deck: its name contains a control character.'],
      ['path-collision', '"\\u00e9.txt" and "e\\u0301.txt" are the same path in a deck.'],
    ].toSorted(),
  );
  const makeWorker = () => {
    throw new Error('No file is hashed.');
  };
  const source = (refused = dropped.refused) => browserSource({ ...dropped, refused, makeWorker }, undefined);
  const entry = { chosen: undefined, remembered: undefined };
  await expect(source().read(entry, {})).rejects.toThrow(/^A deck cannot hold 8 of the files:/);
  await expect(source([]).read(entry, {})).rejects.toThrow('No file is hashed.');
});

const content = Buffer.alloc(2 * MB);
test.each([
  ['lies about sizes', zipArchive([page, { name: 'bomb.bin', content, declared: 10 }]), 'damaged-file'],
  ['has two files of one path', zipArchive([page, page]), 'path-collision'],
  ['has too many bytes', zipArchive([page, { name: 'large.bin', content }]), 'payload-too-large'],
  ['has too many files', zipArchive(['0', '1', '2', '3'].map((name) => ({ name }))), 'payload-too-large'],
  ['holds nothing for a deck', zipArchive([{ name: '.hidden' }]), 'no-entry'],
  ['holds no HTML file', zipArchive([{ name: 'deck/a.png' }, { name: 'deck/slides.md' }]), 'no-entry'],
  ['holds an HTML file that is refused', zipArchive([{ name: 'a.png' }, { name: '../index.html' }]), 'bad-path'],
  ['has a link as its .deckignore', zipArchive([page, { ...link, name: '.deckignore' }]), 'bad-link'],
  ['is not an archive', Buffer.from('no archive'), 'damaged-file'],
])('an archive that %s is refused', async (_, archive, code) => {
  await expect(read(archive, 3, MB)).rejects.toMatchObject({ code });
});

test.each([
  ['photo.png', ['photo.png'], 'photo.png', true],
  ['slides', ['slides/a.md', 'slides/b.png'], 'slides', false],
  ['two files', ['a.md', 'b.png'], '', false],
])('without an HTML file, the failure names what was given: %s', async (_, paths, given, isSingle) => {
  const files = paths.map((path) => {
    const file = new File(['x'], path.split('/').at(-1)!);
    return path.includes('/') ? Object.defineProperty(file, 'webkitRelativePath', { value: path }) : file;
  });
  await expect(readDropped(files)).rejects.toMatchObject({ code: 'no-entry', details: { given, isSingle } });
});
