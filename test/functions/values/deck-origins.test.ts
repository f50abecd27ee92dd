import fc from 'fast-check';
import {
  isDeckOrigin,
  labelOfHost,
  labelOfListing,
  labelOfToken,
  originOf,
} from '../../../functions/src/values/deck-origins';

const label = labelOfToken('a-token');

test('a label is the base32 of 160 bits of a hash of the token id or the slug', () => {
  // Computed with another implementation of SHA-256 and RFC 4648.
  expect(label).toBe('glaaddwhvgyduswfzjtt23f3vhmhajuc');
  expect(labelOfListing('a-slug')).toBe('hwzw35g3ejhjnas34yfnk5sufk73uyg4');
  expect(labelOfToken('x')).not.toBe(labelOfListing('x'));
  expect(labelOfToken('x')).not.toBe(labelOfToken('X'));
});

test.each([
  'https://*.decks.example.com',
  'http://*.decks.localhost:5002',
  'https://*.example',
  'https://*.a-b.example.com:8443',
])('%s is a deck origin', (text) => expect(isDeckOrigin(text)).toBe(true));

test.each([
  '',
  '*.decks.example.com',
  'https://decks.example.com',
  'https://*decks.example.com',
  'https://*.decks.example.com/',
  'https://*.decks.example.com/a',
  'https://*.*.example.com',
  'https://a.*.example.com',
  'https://*.Decks.example.com',
  'https://*.-a.example.com',
  'https://*..example.com',
  'https://*',
  'https://*.a b',
  'ftp://*.decks.example.com',
  'https://user@*.example.com',
  'https://*.example.com:',
])('%j is not a deck origin', (text) => expect(isDeckOrigin(text)).toBe(false));

describe('the label of a host', () => {
  const cloud = 'https://*.decks.example.com';
  const local = 'http://*.decks.localhost:5002';
  test.each([
    [cloud, `${label}.decks.example.com`],
    [cloud, `${label}.decks.example.com:443`],
    [cloud, `${label}.decks.example.com:8443`],
    [cloud, `${label.toUpperCase()}.DECKS.Example.COM`],
    [local, `${label}.decks.localhost:5002`],
  ])('of %s is in %s', (origin, host) => expect(labelOfHost(origin, host)).toBe(label));

  test.each([
    [cloud, ''],
    [cloud, label],
    [cloud, `${label}.`],
    [cloud, 'decks.example.com'],
    [cloud, '.decks.example.com'],
    [cloud, '*.decks.example.com'],
    [cloud, `${label}.decks.example.com.`],
    [cloud, `${label}.decks.example.com.evil.example`],
    [cloud, `${label}.decksxexample.com`],
    [cloud, `a.${label}.decks.example.com`],
    [cloud, `${label}.a.decks.example.com`],
    [cloud, `${label}a.decks.example.com`],
    [cloud, `${label.slice(1)}.decks.example.com`],
    [cloud, `${label.slice(1)}1.decks.example.com`],
    [cloud, `${label.slice(1)}ä.decks.example.com`],
    [cloud, `user@${label}.decks.example.com`],
    [cloud, `${label}.decks.example.com@evil.example`],
    [cloud, `${label}.decks.example.com/`],
    [cloud, `${label}.decks.example.com, evil.example`],
    [cloud, ` ${label}.decks.example.com`],
    [cloud, `${label}.decks.example.com:`],
    [cloud, `${label}.decks.example.com:a`],
    [cloud, '192.0.2.1'],
    [cloud, '[::1]:443'],
    [local, `${label}.decks.localhost`],
    [local, `${label}.decks.localhost:5003`],
    [local, `${label}.decks.localhost:05002`],
  ])('of %s is not in %j', (origin, host) => expect(labelOfHost(origin, host)).toBeUndefined());

  test('is that of the origin, for every token and every listing', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(cloud, local), (id, origin) => {
        for (const each of [labelOfToken(id), labelOfListing(id)]) {
          expect(labelOfHost(origin, new URL(originOf(origin, each)).host)).toBe(each);
        }
      }),
    );
  });
});
