import fc from 'fast-check';
import { isActive, isContentType, isHtml, servedType } from '../../../functions/src/values/content-types';

describe('content types', () => {
  test.each(['text/html', 'text/html; charset=utf-8', 'image/svg+xml', 'application/x.y-z+json'])(
    '%s is a content type',
    (type) => expect(isContentType(type)).toBe(true),
  );
  test.each([
    '',
    'html',
    'text/html\r\nSet-Cookie: a=b',
    'text/html; charset',
    'text/ü',
    'a/b c',
    '/',
    `a/${'b'.repeat(300)}`,
  ])('%j is not a content type', (type) => expect(isContentType(type)).toBe(false));
  test.each([
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/xhtml+xml',
    'image/svg+xml',
    'text/xml',
    'application/xml',
    'application/rss+xml',
    'multipart/x-mixed-replace',
    'application/x-unknown',
  ])('%s is sandboxed', (type) => expect(isActive(type)).toBe(true));
  test.each([
    'text/css',
    'text/javascript; charset=utf-8',
    'image/png',
    'video/mp4',
    'font/woff2',
    'application/pdf',
    'application/json',
  ])('%s is not sandboxed', (type) => expect(isActive(type)).toBe(false));
  test('HTML is recognised by its type or by its extension', () => {
    expect(isHtml({ path: 'a', contentType: 'text/html' })).toBe(true);
    expect(isHtml({ path: 'a.html', contentType: 'text/plain' })).toBe(true);
    expect(isHtml({ path: 'a.htmlx', contentType: 'text/plain' })).toBe(false);
  });
});

describe('on the origin of its deck', () => {
  const unknown = 'application/octet-stream';
  test.each([
    ['a.js', unknown, 'text/javascript; charset=utf-8'],
    ['a.JS', unknown, 'text/javascript; charset=utf-8'],
    ['a.min.js', 'text/plain', 'text/javascript; charset=utf-8'],
    ['a.js', 'text/plain; charset=iso-8859-1', 'text/javascript; charset=iso-8859-1'],
    ['a.js', 'Application/Octet-Stream; x=y', 'text/javascript; charset=utf-8'],
    ['a.mjs', unknown, 'text/javascript; charset=utf-8'],
    ['a.mjs', 'application/node', 'text/javascript; charset=utf-8'],
    ['a.cjs', 'application/node', 'text/javascript; charset=utf-8'],
    ['a.cjs', 'text/plain', 'text/javascript; charset=utf-8'],
    ['a.css', 'text/plain', 'text/css; charset=utf-8'],
    ['a.css', 'binary/octet-stream', 'text/css; charset=utf-8'],
    ['a.wasm', unknown, 'application/wasm'],
    ['a.wasm', 'text/plain; charset=utf-8', 'application/wasm'],
    ['a.json', 'text/plain', 'application/json'],
    ['a.webmanifest', unknown, 'application/manifest+json'],
    ['a.svg', unknown, 'image/svg+xml'],
    ['a.html', unknown, 'text/html'],
    ['a.htm', unknown, 'text/html'],
    ['a.xhtml', unknown, 'application/xhtml+xml'],
    ['a.pdf', unknown, 'application/pdf'],
    ['a.txt', unknown, 'text/plain; charset=utf-8'],
  ])('%s as %s is served as %s', (path, contentType, served) => {
    expect(servedType({ path, contentType })).toBe(served);
  });

  test.each([
    ['a.css', 'text/css', 'text/css; charset=utf-8'],
    ['a.js', 'text/javascript', 'text/javascript; charset=utf-8'],
    ['a.js', 'application/javascript', 'application/javascript; charset=utf-8'],
    ['a.txt', 'text/plain', 'text/plain; charset=utf-8'],
    ['a.md', 'text/markdown', 'text/markdown; charset=utf-8'],
    ['a.vtt', 'text/vtt', 'text/vtt; charset=utf-8'],
  ])('%s as %s gets a charset', (path, contentType, served) => {
    expect(servedType({ path, contentType })).toBe(served);
  });

  test.each([
    // The type of the manifest is kept: its author may want the text to be shown.
    ['a.html', 'text/plain; charset=utf-8'],
    ['a.svg', 'text/plain; charset=utf-8'],
    ['a.js', 'text/javascript; charset=iso-8859-1'],
    ['a.js', 'application/json'],
    ['a.css', 'text/css; charset=utf-8'],
    // HTML and XML declare their charset themselves.
    ['a.html', 'text/html'],
    ['a.html', 'text/html; charset=utf-8'],
    ['a.xml', 'text/xml'],
    ['a.svg', 'image/svg+xml'],
    ['a.json', 'application/json'],
    ['a.ts', 'video/mp2t'],
    ['a.png', unknown],
    ['a.mp4', unknown],
    ['a.woff2', unknown],
    ['a.constructor', unknown],
    ['a', unknown],
    ['js', unknown],
    ['a.js/b', unknown],
    ['a.js.', unknown],
  ])('%s as %s stays as it is', (path, contentType) => {
    expect(servedType({ path, contentType })).toBe(contentType);
  });

  test('every type is one that a header can carry, and is settled after one step', () => {
    const types = ['text/plain', 'text/html', unknown, 'application/node', 'text/css; charset=x', 'a/b', 'TEXT/PLAIN'];
    const path = fc.tuple(fc.string(), fc.constantFrom('', '.js', '.css', '.HTML', '.wasm', '.json', '.x'));
    fc.assert(
      fc.property(path, fc.constantFrom(...types), ([name, ending], contentType) => {
        const served = servedType({ path: name + ending, contentType });
        expect(isContentType(served)).toBe(true);
        expect(servedType({ path: name + ending, contentType: served })).toBe(served);
      }),
    );
  });
});
