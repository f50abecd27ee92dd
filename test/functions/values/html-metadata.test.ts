import { metadataOf } from '../../../functions/src/values/html-metadata';

test.each([
  ['the description, on one line', '<meta name=description content=" Two\n words ">', 'Two words'],
  ['og:description without one', '<meta property="og:description" content="A &amp; B">', 'A & B'],
  ['the first of several', '<meta name="Description" content=One><meta name=description content=Two>', 'One'],
  ['text from right to left', '<meta name=description content="שלום \u202eevil">', 'שלום \u202eevil'],
  ['300 characters', `<meta name=description content="${'😀'.repeat(301)}">`, `${'😀'.repeat(299)}…`],
  ['nothing of another encoding', '<meta name=description content="\ufffd">', undefined],
  ['nothing of a comment', '<!-- <meta name=description content=A> -->', undefined],
  ['nothing of a script', `<script>'<meta name=description content=A>'</script>`, undefined],
  ['nothing of a title', `<title><meta name=description content=A></title>`, undefined],
  ['nothing of the body', '<body><meta name=description content=A>', undefined],
  ['nothing of an empty document', '', undefined],
])('a document describes itself with %s', (_what, html, description) => {
  expect(metadataOf(html)).toEqual(description === undefined ? {} : { description });
});

test.each([
  ['in either attribute', '<meta name="og:image" content="/a.gif?v=2#x">', '/a.gif?v=2#x'],
  ['not at an endless address', `<meta property="og:image" content="a.gif?${'x'.repeat(3000)}">`, undefined],
])('a document names its picture, %s', (_what, html, picture) => {
  expect(metadataOf(html).picture).toBe(picture);
});
