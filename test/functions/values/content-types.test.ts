import fc from 'fast-check';
import { isActive, isContentType, isHtml, servedType, withUtf8 } from '../../../functions/src/values/content-types';
import { each } from '../../support/each';
import { words } from '../../support/words';

describe('content types', () => {
  test('have a type, a subtype and parameters with values', () => {
    const types = ['text/html', 'text/html; charset=utf-8', 'image/svg+xml', 'application/x.y-z+json'];
    const others = ['', 'html', 'text/html\r\nSet-Cookie: a=b', 'text/html; charset', 'text/ü', 'a/b c', '/'];
    expect([...types, ...others, `a/${'b'.repeat(300)}`].filter(isContentType)).toEqual(types);
  });

  test('of which browsers show HTML or XML are sandboxed', () => {
    const active = words(`text/html application/xhtml+xml image/svg+xml text/xml application/xml application/rss+xml
      multipart/x-mixed-replace application/x-unknown`);
    const passive = words('text/css image/png video/mp4 font/woff2 application/pdf application/json');
    const withCharset = ['TEXT/HTML; charset=utf-8', 'text/javascript; charset=utf-8'];
    expect([...active, ...passive, ...withCharset].filter(isActive)).toEqual([...active, withCharset[0]]);
  });

  test('HTML is recognised by its type or by its extension', () => {
    expect(isHtml({ path: 'a', contentType: 'text/html' })).toBe(true);
    expect(isHtml({ path: 'a.html', contentType: 'text/plain' })).toBe(true);
    expect(isHtml({ path: 'a.htmlx', contentType: 'text/plain' })).toBe(false);
  });
});

describe('on the origin of its deck', () => {
  const typeOf = (file: { path: string; contentType: string }) => withUtf8(servedType(file), Buffer.from('é'), true);
  const unknown = 'application/octet-stream';
  test.each([
    ['text/javascript; charset=utf-8', unknown, 'a.js a.JS a.mjs'],
    ['text/javascript; charset=utf-8', 'text/plain', 'a.min.js a.cjs'],
    ['text/javascript; charset=utf-8', 'application/node', 'a.mjs a.cjs'],
    ['text/javascript; charset=utf-8', 'Application/Octet-Stream; x=y', 'a.js'],
    ['text/javascript; charset=iso-8859-1', 'text/plain; charset=iso-8859-1', 'a.js'],
    ['text/css; charset=utf-8', 'text/plain', 'a.css'],
    ['text/css; charset=utf-8', 'binary/octet-stream', 'a.css'],
    ['application/wasm', unknown, 'a.wasm'],
    ['application/wasm', 'text/plain; charset=utf-8', 'a.wasm'],
    ['application/json', 'text/plain', 'a.json'],
    ['application/manifest+json', unknown, 'a.webmanifest'],
    ['image/svg+xml', unknown, 'a.svg'],
    ['text/html', unknown, 'a.html a.htm'],
    ['application/xhtml+xml', unknown, 'a.xhtml'],
    ['application/pdf', unknown, 'a.pdf'],
    ['text/plain; charset=utf-8', unknown, 'a.txt'],
    // These types get a charset.
    ['text/css; charset=utf-8', 'text/css', 'a.css'],
    ['text/javascript; charset=utf-8', 'text/javascript', 'a.js'],
    ['application/javascript; charset=utf-8', 'application/javascript', 'a.js'],
    ['text/plain; charset=utf-8', 'text/plain', 'a.txt'],
    ['text/markdown; charset=utf-8', 'text/markdown', 'a.md'],
    ['text/vtt; charset=utf-8', 'text/vtt', 'a.vtt'],
    // The type of the manifest is kept: its author may want the text to be shown.
    ['text/plain; charset=utf-8', 'text/plain; charset=utf-8', 'a.html a.svg'],
    ['text/javascript; charset=iso-8859-1', 'text/javascript; charset=iso-8859-1', 'a.js'],
    ['application/json', 'application/json', 'a.js a.json'],
    ['text/css; charset=utf-8', 'text/css; charset=utf-8', 'a.css'],
    // HTML and XML declare their charset themselves.
    ['text/html', 'text/html', 'a.html'],
    ['text/html; charset=utf-8', 'text/html; charset=utf-8', 'a.html'],
    ['text/xml', 'text/xml', 'a.xml'],
    ['image/svg+xml', 'image/svg+xml', 'a.svg'],
    ['video/mp2t', 'video/mp2t', 'a.ts'],
    [unknown, unknown, 'a.png a.mp4 a.woff2 a.constructor a js a.js/b a.js.'],
  ])('%s is the type of %s in %s', (served, contentType, paths) => {
    for (const path of each(words(paths))) expect([path, typeOf({ path, contentType })]).toEqual([path, served]);
  });

  test('text that is not UTF-8 gets no charset, and the cut of a block is in any character', () => {
    const isUtf8 = (bytes: Buffer, isWhole: boolean) => withUtf8('text/css', bytes, isWhole) !== 'text/css';
    for (const isWhole of [true, false]) {
      expect(isUtf8(Buffer.from('élan', 'latin1'), isWhole)).toBe(false);
      expect(isUtf8(Buffer.from('\ufeffa', 'utf16le'), isWhole)).toBe(false);
    }
    expect(isUtf8(Buffer.from('café', 'latin1'), true)).toBe(false);
    const bytes = Buffer.from('aé€😀');
    for (let length = 0; length <= bytes.length; length++)
      expect([length, isUtf8(bytes.subarray(0, length), false)]).toEqual([length, true]);
  });

  test('every type is one that a header can carry, and is settled after one step', () => {
    const types = ['text/plain', 'text/html', unknown, 'application/node', 'text/css; charset=x', 'a/b', 'TEXT/PLAIN'];
    const path = fc.tuple(fc.string(), fc.constantFrom('', '.js', '.css', '.HTML', '.wasm', '.json', '.x'));
    fc.assert(
      fc.property(path, fc.constantFrom(...types), ([name, ending], contentType) => {
        const served = typeOf({ path: name + ending, contentType });
        expect(isContentType(served)).toBe(true);
        expect(typeOf({ path: name + ending, contentType: served })).toBe(served);
      }),
    );
  });
});
