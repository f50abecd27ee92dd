import { isIPv6 } from 'node:net';
import fc from 'fast-check';
import { networkOf, withoutPort, isPublicAddress } from '../../../functions/src/values/networks';
import { webhookUrlProblem } from '../../../functions/src/values/webhook-addresses';
import { each } from '../../support/each';
import { words } from '../../support/words';

test.each([
  [
    '203.0.113.7',
    `203.0.113.7 ::ffff:203.0.113.7 ::FFFF:203.0.113.7 ::ffff:cb00:7107 0:0:0:0:0:ffff:203.0.113.7
      ::ffff:203.0.113.7%eth0`,
  ],
  ['64:ff9b:0:0::/64', '64:ff9b::203.0.113.7'],
  ['2001:db8:1:2::/64', '2001:db8:1:2:3:4:5:6 2001:0db8:0001:0002::1 2001:DB8:1:2::'],
  ['2001:db8:1:0::/64', '2001:db8:1::2:3:4:5'],
  ['2001:db8:0:0::/64', '2001:db8::1'],
  ['0:0:0:0::/64', '::1 :: ::203.0.113.7'],
  ['fe80:0:0:0::/64', 'fe80::1%eth0 fe80::1%en-0.1%x'],
])('the network %s has the addresses %s', (network, addresses) => {
  for (const address of each(words(addresses))) expect([address, networkOf(address)]).toEqual([address, network]);
});

test('a text that is not an IPv6 address counts as itself', () => {
  // Some programs read the first ones as other IPv4 addresses. No proxy writes these spellings.
  const others = words(`203.0.113.007 0x7f.1 127.1 2130706433 203.0.113.256 203.0.113.7%eth0 203.0.113.7:443
    ::ffff:203.0.113.256 ::ffff:0x7f.0.0.1 ::ffff:203.0.113.010 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 1::2::3 12345::1
    [2001:db8::1] 2001:db8::1/64 : %eth0 unknown`);
  for (const text of [...others, '', 'not an address']) expect(networkOf(text)).toBe(text);
});

/** Eight groups of 16 bits; half of them are zero, so that `::` has runs to stand for. */
const groups = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), { minLength: 8, maxLength: 8 });
const mapped = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 2, maxLength: 2 });

/** A spelling of an address: leading zeros, letter case, `::` for a run of zeros, dotted last groups, a zone id. */
const spellingOf = (address: readonly number[]) =>
  fc
    .record({
      widths: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 8, maxLength: 8 }),
      isUpper: fc.boolean(),
      isDotted: fc.boolean(),
      start: fc.nat(7),
      length: fc.nat(8),
      zone: fc.constantFrom('', '%eth0', '%1', '%en-0.1'),
    })
    .map(({ widths, isUpper, isDotted, start, length, zone }) => {
      const words = address.map((group, i) => group.toString(16).padStart(widths[i]!, '0'));
      const bytes = address.slice(6).flatMap((group) => [group >> 8, group & 255]);
      const all = isDotted ? [...words.slice(0, 6), bytes.join('.')] : words;
      const end = Math.min(start + length, isDotted ? 6 : 8);
      const canShorten = end > start && address.slice(start, end).every((group) => group === 0);
      const text = canShorten ? `${all.slice(0, start).join(':')}::${all.slice(end).join(':')}` : all.join(':');
      return (isUpper ? text.toUpperCase() : text) + zone;
    });
const twoSpellings = (address: readonly number[]) => fc.tuple(spellingOf(address), spellingOf(address));

test('every spelling of one IPv6 address gives one network, and only the first 64 bits count', () => {
  const pair = groups.filter(([a, b, c, d, e, f]) => a! + b! + c! + d! + e! > 0 || f !== 0xffff);
  fc.assert(
    fc.property(
      pair.chain((address) => fc.tuple(fc.constant(address), twoSpellings(address))),
      ([address, [one, other]]) => {
        expect(isIPv6(one.replace(/%.*/, ''))).toBe(true);
        const start = address.slice(0, 4).map((group) => group.toString(16));
        expect([networkOf(one), networkOf(other)]).toEqual(Array(2).fill(`${start.join(':')}::/64`));
      },
    ),
    { numRuns: 500 },
  );
});

test('every spelling of an IPv4-mapped address gives the IPv4 address', () => {
  fc.assert(
    fc.property(
      mapped.chain(([a, b]) => fc.tuple(fc.constant([a!, b!]), spellingOf([0, 0, 0, 0, 0, 0xffff, a!, b!]))),
      ([[a, b], spelling]) => expect(networkOf(spelling)).toBe([a >> 8, a & 255, b >> 8, b & 255].join('.')),
    ),
    { numRuns: 300 },
  );
});

test('any text gives a network and nothing throws', () => {
  const fragment = fc.constantFrom(...words(': :: . % ffff 0 1 203.0.113.7 0x7f g /64 00001'));
  const joined = fc.array(fragment).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string(), joined), (text) => {
      const network = networkOf(text);
      expect(isIPv6(text.replace(/%.*$/, '')) ? network !== text : network === text).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:49152', '203.0.113.7'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['unknown', 'unknown'],
  ['', ''],
])('the forwarded entry %j is the address %j', (entry, address) => expect(withoutPort(entry)).toBe(address));

/** Which addresses events may be sent to. */

test('an address of the internet is public', () => {
  const addresses = words('8.8.8.8 93.184.216.34 172.32.0.1 100.63.255.255 100.128.0.1 2606:4700::1111 2a00:1450::1');
  for (const address of each(addresses)) expect([address, isPublicAddress(address)]).toEqual([address, true]);
});

test.each([
  ['this machine', '127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 ::1 :: ::127.0.0.1 ::7f00:1'],
  ['a private network', '10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 fc00::1 fd00:ec2::254 fec0::1'],
  ['a link, with the metadata of clouds', '169.254.169.254 169.254.0.1 fe80::1 fe80::1%eth0'],
  ['a carrier', '100.64.0.1 100.100.100.200 100.127.255.255'],
  ['many receivers', '224.0.0.1 239.255.255.255 255.255.255.255 ff02::1'],
  ['an IPv4 address in IPv6', '::ffff:8.8.8.8 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 64:ff9b:1::a9fe:a9fe'],
  ['another network through a tunnel', '2002:a9fe:a9fe:: 2001:0:1::1'],
  ['documents and tests', '192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 240.0.0.1 192.0.0.192 2001:db8::1 4000::1'],
  ['no address', 'localhost 300.1.1.1 1:2 x'],
])('the address of %s is not', (_of, addresses) => {
  for (const address of each(words(addresses))) expect([address, isPublicAddress(address)]).toEqual([address, false]);
});

test('a webhook has an address of the internet, with TLS', () => {
  const accepted = words(`https://hooks.example.com/in?key=1 https://example.com:443 https://example.com:8443/x
    https://8.8.8.8/ https://[2606:4700::1111]/ https://b\u00fccher.example/`);
  for (const url of each(accepted)) expect([url, webhookUrlProblem(url, false)]).toEqual([url, undefined]);
});

test.each([
  ['is not a URL', 'hooks.example.com https:// /path'],
  ['https://', 'http://example.com ftp://example.com javascript:alert(1) data:text/html,x file:///etc/passwd'],
  ['a name or a password', 'https://name@example.com https://:password@example.com https://name:p@example.com'],
  ['fragment', 'https://example.com/#x'],
  ['port', 'https://example.com:22 https://example.com:80 https://example.com:8080'],
  [
    'internet',
    `https://127.0.0.1 https://127.1 https://0x7f.1 https://2130706433 https://017700000001 https://10.0.0.1:8443
    https://169.254.169.254/latest https://[::1] https://[::ffff:127.0.0.1] https://[64:ff9b::7f00:1] https://localhost
    https://localhost. https://a.localhost https://printer https://metadata.google.internal https://nas.local`,
  ],
])('an address is refused: %s', (reason, urls) => {
  for (const url of each(words(urls)))
    expect([url, webhookUrlProblem(url, false)]).toEqual([url, expect.stringContaining(reason)]);
});

test('a machine of a developer may send to itself, and to no other scheme', () => {
  const accepted = words('http://127.0.0.1:3000/hook http://localhost:8080 https://[::1]:22');
  for (const url of each(accepted)) expect([url, webhookUrlProblem(url, true)]).toEqual([url, undefined]);
  for (const url of each(words('ftp://localhost file:///etc/passwd http://a@localhost x')))
    expect([url, webhookUrlProblem(url, true)]).not.toEqual([url, undefined]);
});
