import { isActive, isContentType, isHtml } from '../../../functions/src/values/content-types';

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
