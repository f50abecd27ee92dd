import fc from 'fast-check';
import { parse, serialize } from 'parse5';
import { insertionOf, INSERTION_VERSION } from '../../../functions/src/values/html-insertion';
import { metadataOf } from '../../../functions/src/values/html-metadata';

const plain = 'text/html';
const utf8 = 'text/html; charset=utf-8';
const comment = `<!--${' comment'.repeat(128)}-->`;

/** The document, with `|` where the element goes. */
const marked = (html: string | Buffer, contentType = utf8, isWhole = true) => {
  const bytes = Buffer.from(html as string, 'latin1');
  const found = insertionOf(bytes, isWhole, contentType);
  return found && `${bytes.toString('latin1', 0, found.at)}|${bytes.toString('latin1', found.at)}`;
};

test.each([
  ['a usual document', '<!doctype html>\n<html lang="en">\n<head>|\n<meta charset="utf-8">'],
  ['capital letters', '<!DOCTYPE HTML>\r\n<HTML>\r\n<HEAD>|\r\n<TITLE>'],
  ['attributes with > and quotes', `<!doctype html><html title='>"' lang=en><head prefix="og: >" data-x>|<title>`],
  ['an old doctype', '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://x/y.dtd"><html><head>|<meta>'],
  ['no doctype', '<html><head>|<title>'],
  ['no html element', '<!doctype html>\n<head>|<title>'],
  ['no head', '<!doctype html>|\n<title>Title</title>'],
  ['no head in html', '<!doctype html><html lang="en">|\n<body>'],
  ['a body only', '|<body>'],
  ['text only', '|Hello'],
  ['text after the doctype', '<!doctype html>| Hello'],
  ['a template first', '<!doctype html>|<template><head></template>'],
  ['a second head', '<html><head>|<head>'],
  ['a second html element', '<html><html lang="en"><head>|'],
  ['the end tag of a head that was not opened', '<html>|</head><body>'],
  ['a frameset', '<html><head>|</head><frameset>'],
  ['a byte order mark', '\xef\xbb\xbf<!doctype html><head>|<title>'],
  ['comments before and between', `${comment}<!doctype html>\n${comment}<html><!-- a --><head>|<!-- b --><meta>`],
  ['a comment and no head', '<!doctype html><!-- saved from a > b -->|\n<title>'],
  ['tags in a comment', '<!-- <head> --><!doctype html><html><head>|'],
  ['a comment that ends at once', '<!--><html><head>|'],
  ['a comment with a dash too many', '<!doctype html><!-- a --!><html><head>|-->'],
  ['a conditional comment', '<!doctype html><!--[if IE]><html class="ie"><![endif]--><html><head>|'],
  ['a revealed conditional comment', '<!doctype html><!--[if !IE]><!--><html><!--<![endif]--><head>|'],
  ['a processing instruction', '<?xml version="1.0"?>\n<!doctype html><html xmlns="x"><head>|'],
  ['self-closing start tags', '<html/><head/>|<title>'],
  ['other letters before the head', '<!-- gr\xc3\xbc\xc3\x9fe \xff --><html data-x="\x81\x40"><head>|'],
  ['white space only', '| \n'],
  ['a null character', '|\0<html>'],
  ['a tag that does not end', '<!doctype html>|<html lang="'],
  ['a head far behind', `<!doctype html>${comment.repeat(50)}<html><head>|`],
])('the place of the element in a document: %s', (_name, html) => {
  expect(marked(html.replace('|', ''))).toBe(html);
});

test.each([
  ['UTF-16, little endian', '\xff\xfe<\0h\0t\0m\0l\0>\0', plain],
  ['UTF-16, big endian', '\xfe\xff\0<\0h\0t\0m\0l\0>', plain],
  ['UTF-16 that the header names', '<\0h\0t\0m\0l\0>\0', 'text/html; charset=UTF-16LE'],
  ['UTF-16 by its old label', '<html>', 'text/html; charset=unicode'],
  ['an encoding with modes that the header names', '<html><head>', 'text/html; charset=ISO-2022-JP'],
  ['an encoding with modes that the page declares', '<html><head><meta charset=iso-2022-jp>', plain],
  ['a comment that does not end within the search', `<!--${'-'.repeat(1024 * 1024)}--><html><head>`, utf8],
  ['a comment without an end', '<!doctype html><!-- <html><head>', utf8],
  ['a doctype only', '<!doctype html>', utf8],
  ['nothing', '', utf8],
  ['a head behind the search', `<!doctype html>${comment.repeat(70)}<html><head>`, utf8],
])('a document without a place for the element: %s', (_name, html, contentType) => {
  expect(marked(html, contentType)).toBeUndefined();
});

test('a document of which only the first bytes are known has a place only where these tell it', () => {
  expect(marked('<!doctype html>', utf8, false)).toBeUndefined();
  expect(marked('<!doctype html><html><hea', utf8, false)).toBeUndefined();
  expect(marked('<!doctype html><html><head>', utf8, false)).toBe('<!doctype html><html><head>|');
});

test.each([
  ['the header names it', '<meta charset=latin1>', utf8, utf8],
  ['a byte order mark names it', '\xef\xbb\xbf<meta charset=latin1>', plain, plain],
  ['nothing names it', '<title>Title</title>', plain, plain],
  ['a declaration', '<meta charset="UTF-8">', plain, utf8],
  ['a declaration without quotes', '<head><title>T</title><META CharSet=utf8 />', plain, utf8],
  ['a declaration in a pragma', '<meta content="text/html; charset=Shift_JIS" http-equiv=Content-Type>', plain, 'sjis'],
  ['another pragma', '<meta content="text/html; charset=sjis" http-equiv=refresh>', plain, plain],
  ['an alias', '<meta charset=latin1>', plain, 'text/html; charset=windows-1252'],
  ['UTF-16, which a declaration cannot name', '<meta charset=utf-16>', plain, utf8],
  ['an unknown declaration, then a known one', '<meta charset=odd><meta charset=utf-8>', plain, utf8],
  ['an unknown one in the header', '<meta charset=utf-8>', 'text/html; charset=odd', utf8],
  ['another parameter in the header', '<meta charset=utf-8>', 'text/html; a=b', 'text/html; a=b; charset=utf-8'],
  ['a declaration in a comment', '<!-- <meta charset=sjis> --><meta charset=utf-8>', plain, utf8],
  ['a declaration near the end of the first 1024 bytes', `${' '.repeat(1000)}<meta charset=utf-8>`, plain, utf8],
  ['a declaration that browsers need not find', `${' '.repeat(1024)}<meta charset=utf-8>`, plain, plain],
])('the encoding in the Content-Type: %s', (_name, html, contentType, expected) => {
  const answered = insertionOf(Buffer.from(html, 'latin1'), true, contentType)?.contentType;
  expect(answered).toBe(expected === 'sjis' ? 'text/html; charset=shift_jis' : expected);
});

test('any document is the same with the element as without it, but for the element in its head', () => {
  const tags =
    '<!doctype html>|<!doctype x>|<html lang="a>b">|<HTML class=x>|</html>|<head>|<head data-x=|</head>|<body>|</body>|' +
    '<title>|<meta charset=utf-8>|<script>|<p>|<frameset>|<template>|</template>';
  const others = '<!--|-->|<|>|"|text| |\n|\xef\xbb\xbf|\0|<?|<!|</|é|&amp;';
  const piece = fc.constantFrom(...`${tags}|${others}`.split('|'));
  const element = '<script src="x"></script>';
  // White space before the head is not part of the document, and white space in the head is.
  const treeOf = (html: string) => serialize(parse(html)).replaceAll(/\s+/g, '');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const html = pieces.join('');
      const at = insertionOf(Buffer.from(html, 'latin1'), true, 'text/html; charset=windows-1252')?.at;
      fc.pre(at !== undefined);
      const text = html.replace(/^\xef\xbb\xbf/, '');
      const position = at - (html.length - text.length);
      const tree = treeOf(text.slice(0, position) + element + text.slice(position));
      expect(tree).toMatch(/<head[^>]*>(<!--.*-->)?<scriptsrc="x"><\/script>/);
      expect(tree.replace('<scriptsrc="x"></script>', '')).toBe(treeOf(text));
    }),
    { numRuns: 500 },
  );
});

test('the version of the rule is raised when the place or the type of a document changes', () => {
  expect(INSERTION_VERSION).toBe(1);
  for (const [html, ...expected] of [
    ['<!doctype html>\n<html lang="en">\n<head>\n<title>', 39, 'text/html'],
    ['<!-- a --><html><!-- b --><head><meta charset=windows-1252>', 32, 'text/html; charset=windows-1252'],
    ['\xef\xbb\xbf<p>', 3, 'text/html'],
    ['<meta http-equiv=content-type content="text/html; charset=utf-16">', 0, 'text/html; charset=utf-8'],
    ['<meta charset=iso-2022-jp>'],
    ['</p><body>', 0, 'text/html'],
  ] as const) {
    const found = insertionOf(Buffer.from(html, 'latin1'), true, plain);
    expect([html, found ? [found.at, found.contentType] : []]).toEqual([html, expected]);
  }
});

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
