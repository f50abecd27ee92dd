import { gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import { words } from '../../support/words';
import type { Known } from './values';
import type { WireRequest } from './wire';

/** Changes of the request as a whole. */
export function strange(wire: WireRequest, known: Known): Arbitrary<WireRequest> {
  const header = (name: string, ...values: string[]): Arbitrary<WireRequest> =>
    fc
      .constantFrom(...values)
      .map((value) => ({ ...wire, headers: [...wire.headers.filter(([each]) => each !== name), [name, value]] }));
  const { body: sent = Buffer.from('{}') } = wire;
  const [path] = wire.url.split('?');
  const bodies = [
    Buffer.alloc(0),
    sent.subarray(0, sent.length - 1),
    Buffer.concat([Buffer.from('\uFEFF'), sent]),
    Buffer.concat([sent, sent]),
    ...['[]', '"x"', '['.repeat(5000), '{"a":"\\ud800"}', 'x'.repeat(100_000)].map((text) => Buffer.from(text)),
    Buffer.from([0xff, 0xfe, 0x00]),
  ];
  const methods = words('GET POST PUT DELETE PATCH HEAD OPTIONS TRACE PROPFIND PURGE');
  const endings = words('/ // /../ /%2e%2e/ /%00 /%zz /% /;a=b /? ?a ?= ?%zz=% /.well-known/x /é');
  const long = 'x'.repeat(3000);
  return fc.oneof(
    fc.constantFrom(...methods).map((method) => ({ ...wire, method })),
    fc.constantFrom(...(known['wrongKey'] as string[])).map((key) => withKey(wire, key)),
    header('content-type', ...words('text/plain application/xml multipart/form-data ; application/json;charset="')),
    header('content-type', 'application/json; charset=latin1', 'multipart/form-data; boundary=', 'x'.repeat(4000)),
    header('content-encoding', 'gzip', 'br', 'deflate', 'zstd', 'identity', 'gzip, gzip', ''),
    // More than every limit: below it, the function would wait for the rest of the body.
    header('content-length', '999999999999'),
    header('range', ...words('bytes=0-0 bytes=-1 bytes=-0 bytes=5- bytes=99999999999999999999- bytes=3-1')),
    header('range', ...words('bytes=0-1,4-5 bytes=a-b lines=1-2 bytes='), '-'.repeat(3000)),
    header('if-none-match', '*', 'W/"x"', '""', '"a", "b"', '"', ','.repeat(3000)),
    header('if-range', '"x"', 'W/"x"', 'Wed, 21 Oct 2015 07:28:00 GMT', '*'),
    header('idempotency-key', '', 'a', 'a'.repeat(300), 'é', 'a b', 'same', 'same'),
    header('x-forwarded-for', '', ...words('unknown ::1%lo ,,, 999.1.1.1 [::1]:80'), '1.2.3.4, 5.6.7.8', long),
    header('host', 'evil.example', '', '[::1', 'a.decks.localhost', long),
    header('accept', 'text/html', '*/*', '', ';q=', 'application/json;q=0'),
    header('cookie', '__Host-deck=', '__Host-deck=a.b.c.d', '='.repeat(2000), '__Host-deck="x'),
    header('traceparent', '00-0-0-0', '00-00000000000000000000000000000000-0000000000000000-00', 'x'),
    header('service-worker', 'script'),
    header('sec-fetch-mode', 'navigate', 'cors', ''),
    header('origin', 'null', 'https://evil.example'),
    header('expect', '100-continue'),
    fc.constantFrom(...endings).map((end) => ({ ...wire, url: Buffer.from(path + end).toString('latin1') })),
    fc.constantFrom(...bodies).map((body) => ({ ...wire, body })),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ ...wire, body: Buffer.from(bytes) })),
    fc.constant({ ...wire, body: gzipSync(sent), headers: [...wire.headers, ['content-encoding', 'gzip'] as const] }),
    fc.constant({ ...wire, body: sent, isCutOff: true }),
  );
}

const withKey = (wire: WireRequest, key: string): WireRequest => ({
  ...wire,
  headers: [
    ...wire.headers.filter(([name]) => name !== 'authorization'),
    ...(key ? [['authorization', key] as const] : []),
  ],
});
