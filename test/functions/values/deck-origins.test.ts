import fc from 'fast-check';
import {
  isDeckOrigin,
  labelOfHost,
  labelOfListing,
  labelOfToken,
  originOf,
} from '../../../functions/src/values/deck-origins';
import { words } from '../../support/words';

const label = labelOfToken('a-token');

test('a label is the base32 of 160 bits of a hash of the token id or the slug', () => {
  // Computed with another implementation of SHA-256 and RFC 4648.
  expect(label).toBe('glaaddwhvgyduswfzjtt23f3vhmhajuc');
  expect(labelOfListing('a-slug')).toBe('hwzw35g3ejhjnas34yfnk5sufk73uyg4');
  expect(labelOfToken('x')).not.toBe(labelOfListing('x'));
  expect(labelOfToken('x')).not.toBe(labelOfToken('X'));
});

test('a deck origin has a scheme, a star for the label, a domain below it, and at most a port', () => {
  const origins = words(`https://*.decks.example.com http://*.decks.localhost:5002 https://*.example
    https://*.a-b.example.com:8443`);
  const others = words(`*.decks.example.com https://decks.example.com https://*decks.example.com
    https://*.decks.example.com/ https://*.decks.example.com/a https://*.*.example.com https://a.*.example.com
    https://*.Decks.example.com https://*.-a.example.com https://*..example.com https://* ftp://*.decks.example.com
    https://user@*.example.com https://*.example.com:`);
  expect([...origins, ...others, '', 'https://*.a b'].filter(isDeckOrigin)).toEqual(origins);
});

describe('the label of a host', () => {
  const cloud = 'https://*.decks.example.com';
  const local = 'http://*.decks.localhost:5002';
  const host = `${label}.decks.example.com`;
  const localHost = `${label}.decks.localhost`;

  test('is found in the hosts of the origin, in any letter case, with any port of a domain without one', () => {
    const hosts = [host, `${host}:443`, `${host}:8443`, `${label.toUpperCase()}.DECKS.Example.COM`];
    expect(hosts.map((each) => labelOfHost(cloud, each))).toEqual(hosts.map(() => label));
    expect(labelOfHost(local, `${localHost}:5002`)).toBe(label);
  });

  test('is not found in other hosts', () => {
    const others = words(`${label} ${label}. decks.example.com .decks.example.com *.decks.example.com ${host}.
      ${host}.evil.example ${label}.decksxexample.com a.${host} ${label}.a.decks.example.com
      ${label}a.decks.example.com ${host.slice(1)} ${label.slice(1)}1.decks.example.com
      ${label.slice(1)}ä.decks.example.com user@${host} ${host}@evil.example ${host}/ ${host}: ${host}:a
      192.0.2.1 [::1]:443`);
    expect([...others, '', `${host}, evil.example`, ` ${host}`].filter((each) => labelOfHost(cloud, each))).toEqual([]);
    const ports = [localHost, `${localHost}:5003`, `${localHost}:05002`];
    expect(ports.filter((each) => labelOfHost(local, each))).toEqual([]);
  });

  test('is that of the origin, for every token and every listing', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(cloud, local), (id, origin) => {
        for (const each of [labelOfToken(id), labelOfListing(id)])
          expect(labelOfHost(origin, new URL(originOf(origin, each)).host)).toBe(each);
      }),
    );
  });
});
