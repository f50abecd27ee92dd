import { isPublicAddress } from '../../../functions/src/values/networks';
import { webhookUrlProblem } from '../../../functions/src/values/webhook-addresses';
import { each } from '../../support/each';
import { words } from '../../support/words';

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
