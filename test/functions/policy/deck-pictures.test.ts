import { hasMetadata, pictureOf } from '../../../functions/src/policy/deck-pictures';
import { MB } from '../../../functions/src/values/units';

const file = (path: string, contentType = 'image/png', size = 100) => ({ path, contentType, size, sha256: path });
const thumbnail = file('thumbnail.jpg', 'image/jpeg');

test.each([
  ['the picture that its entry names', file('a.gif', 'image/gif'), 'a.gif'],
  ['the thumbnail when the entry names none, or a missing one', undefined, 'thumbnail.jpg'],
  ['the thumbnail in place of HTML', file('page.html', 'text/html'), 'thumbnail.jpg'],
  ['the thumbnail in place of SVG', file('a.svg', 'image/svg+xml'), 'thumbnail.jpg'],
  ['the thumbnail in place of an empty file', file('a.png', 'image/png', 0), 'thumbnail.jpg'],
  ['a picture of 5 MB', file('a.png', 'image/png', 5 * MB), 'a.png'],
  ['the thumbnail in place of a larger one', file('a.png', 'image/png', 5 * MB + 1), 'thumbnail.jpg'],
])('a deck has %s', (_what, named, path) => {
  const files = [thumbnail, file('thumbnail.webp', 'image/webp')].map((one) => [one.path, one] as const);
  expect(pictureOf(named, new Map(files))?.path).toBe(path);
});

test('a thumbnail that is not a picture is not that of its deck, which then has none', () => {
  const asPage = file('thumbnail.png', 'text/html');
  expect(pictureOf(undefined, new Map([[asPage.path, asPage]]))).toBeUndefined();
});

test('an entry is searched for metadata when it is HTML with content', () => {
  const entries = [file('a', 'text/html'), file('a', 'text/html', 0), file('a', 'text/plain')];
  expect(entries.map(hasMetadata)).toEqual([true, false, false]);
});
