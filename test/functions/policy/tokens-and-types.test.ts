import { isActive, isContentType, isHtml } from '../../../functions/src/values/content-types';
import { seal, unseal } from '../../../functions/src/values/secrets';
import {
  isToken,
  isWellFormedToken,
  mintShareToken,
  openShareToken,
  tokenIdOf,
} from '../../../functions/src/values/share-tokens';

const SECRET = 'a secret of the test, long enough';

describe('a share token', () => {
  const { token, stored } = mintShareToken(SECRET, 'deck');

  test('is 48 random bytes and is recognised', () => {
    expect(Buffer.from(token, 'base64url')).toHaveLength(48);
    expect(isWellFormedToken(token)).toBe(true);
    expect(isToken(token, stored.hash)).toBe(true);
    expect(isToken(mintShareToken(SECRET, 'deck').token, stored.hash)).toBe(false);
    expect(tokenIdOf(token)).toBe(stored.tokenId);
  });

  test('is not in what is stored, and opens only with the secret and for its deck', () => {
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(openShareToken(SECRET, 'deck', stored.sealed)).toBe(token);
    expect(() => openShareToken(SECRET, 'other deck', stored.sealed)).toThrow();
    expect(() => openShareToken('another secret of the test', 'deck', stored.sealed)).toThrow();
  });
});

test('what is sealed is refused when a byte of it differs', () => {
  const sealed = Buffer.from(seal(SECRET, 'p', 'text', 'c'), 'base64url');
  for (let i = 0; i < sealed.length; i++) {
    const broken = Buffer.from(sealed);
    broken[i]! ^= 1;
    expect(() => unseal(SECRET, 'p', broken.toString('base64url'), 'c')).toThrow();
  }
  expect(() => unseal(SECRET, 'q', sealed.toString('base64url'), 'c')).toThrow();
});

describe('content types', () => {
  test.each(['text/html', 'text/html; charset=utf-8', 'image/svg+xml', 'application/x.y-z+json'])('%s is one', (type) =>
    expect(isContentType(type)).toBe(true),
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
  ])('%j is none', (type) => expect(isContentType(type)).toBe(false));
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
  ])('%s is not', (type) => expect(isActive(type)).toBe(false));
  test('HTML is told by type or by name', () => {
    expect(isHtml({ path: 'a', contentType: 'text/html' })).toBe(true);
    expect(isHtml({ path: 'a.html', contentType: 'text/plain' })).toBe(true);
    expect(isHtml({ path: 'a.htmlx', contentType: 'text/plain' })).toBe(false);
  });
});
