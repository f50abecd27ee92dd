import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc, { type Arbitrary } from 'fast-check';
import { document } from '../../support/documented';
import type { Operation } from '../../support/operations';
import { signedByResend } from '../../support/signed-mail-event';
import { words } from '../../support/words';
import { changedOnce, hostileValue, Values, type Known } from './values';

/** A request as bytes: nothing in it is normalised on its way. */
export interface WireRequest {
  method: string;
  /** The path and query below the function's name. */
  url: string;
  headers: readonly (readonly [string, string])[];
  body?: Buffer | undefined;
  /** Whether the client leaves after a half of the body. */
  isCutOff?: boolean;
}

/** The parts of a request before it is written to the wire. */
type Parts = { method: string; path: string[]; query: [string, string][]; headers: [string, string][]; body: unknown };

/** Requests of an operation: a third of them valid, the others with one thing wrong, or several. */
export function requestsOf(operation: Operation, known: Known): Arbitrary<WireRequest> {
  const valid = validParts(operation, known);
  return fc.oneof(
    { weight: 4, arbitrary: valid.map((parts) => write(operation, parts)) },
    { weight: 4, arbitrary: valid.chain((parts) => changed(operation, parts)) },
    { weight: 2, arbitrary: valid.chain((parts) => strange(write(operation, parts), known)) },
    { weight: 1, arbitrary: valid.chain((parts) => changed(operation, parts)).chain((wire) => strange(wire, known)) },
  );
}

/** Valid requests only. */
export const validRequestsOf = (operation: Operation, known: Known): Arbitrary<WireRequest> =>
  validParts(operation, known).map((parts) => write(operation, parts));

function validParts(operation: Operation, known: Known): Arbitrary<Parts> {
  const values = new Values(document, known);
  const fields = operation.parameters.map(({ name, in: place, required, schema }) => {
    const value = values.of(schema, name).map((each) => ({ name, place, value: String(each) }));
    return required ? value : fc.option(value, { nil: undefined });
  });
  return fc
    .record({
      fields: fc.tuple(...fields),
      body: operation.body ? values.of(operation.body.schema) : fc.constant(undefined),
      key: fc.constantFrom(...(known[keyOf(operation)] as string[])),
      client: fc.ipV4(),
    })
    .map(({ fields: chosen, body, key, client }) => {
      const present = chosen.filter((each) => each !== undefined);
      const valueOf = (template: string) =>
        template.replace(/\{(\w+)\}/, (whole, named) => present.find(({ name }) => name === named)?.value ?? whole);
      return {
        method: operation.method,
        path: operation.segments.map((segment) => encodePath(valueOf(segment), segment === '{assetPath}')),
        query: present.flatMap(({ name, place, value }): [string, string][] =>
          place === 'query' ? [[name, value]] : [],
        ),
        headers: [
          ['authorization', `Bearer ${key}`],
          ['x-forwarded-for', client],
          ...present.flatMap(({ name, place, value }): [string, string][] =>
            place === 'header' ? [[name.toLowerCase(), toHeader(value)]] : [],
          ),
        ],
        body,
      };
    });
}

/** Which keys pass the endpoint. */
const keyOf = ({ endpoint }: Operation) =>
  /createApiKey|listApiKeys|revokeApiKey|DashboardSession|updateProfile|updateOrganization|AccessRequest|forgetReader|AccountExport|exportAccount|requestAccountCode|changeEmail|deleteAccount/.test(
    endpoint,
  )
    ? 'session'
    : 'apiKey';

const encodePath = (value: string, keepsSlashes: boolean) =>
  keepsSlashes ? encode(value).replaceAll('%2F', '/') : encode(value);
const encode = (value: string) => encodeURIComponent(value.toWellFormed());

/** Header values hold bytes. Control characters would end the header. */
const toHeader = (value: string) =>
  Buffer.from(value)
    .toString('latin1')
    .replaceAll(/\p{Cc}/gu, '?');

/** The request with one field changed: in the path, the query, a header or the body. */
function changed(operation: Operation, parts: Parts): Arbitrary<WireRequest> {
  const text = hostileValue.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const change: Arbitrary<Parts>[] = [
    fc.tuple(fc.nat(), text).map(([at, value]) => ({
      ...parts,
      query: parts.query.map(([name, old], i) => [name, i === at % parts.query.length ? value : old]),
    })),
    fc
      .tuple(fc.constantFrom('limit', 'cursor', 'token', 'presentationId', 'slug', 'tags', 'x'), text)
      .map(([name, value]): Parts => ({ ...parts, query: [...parts.query, [name, value], [name, 'again']] })),
    fc.tuple(fc.nat(), text).map(([at, value]) => ({
      ...parts,
      path: parts.path.map((old, i) => (i === at % parts.path.length ? encode(value) : old)),
    })),
    fc
      .array(text, { minLength: 1, maxLength: 3 })
      .map((more) => ({ ...parts, path: parts.path.concat(more.map(encode)) })),
  ];
  const inBody = changedOnce(parts.body).map((body) => ({ ...parts, body }));
  const weights = operation.body ? [inBody, inBody, inBody, ...change] : change;
  return fc.oneof(...weights).map((each) => write(operation, each));
}

function write(operation: Operation, { method, path, query, headers, body }: Parts): WireRequest {
  const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  // A target longer than 16 KB is answered by the server of Node, before the function.
  const url = `${path.length > 0 ? `/${path.join('/')}` : ''}${search ? `?${search}` : ''}`.slice(0, 12_000);
  const written = operation.body && bodyOf(operation.body.type, body);
  // Without a signature, the provider's calls would all be refused before their bodies are read.
  const signature = operation.endpoint === 'receiveMailEvents' ? signedByResend(String(written?.bytes)) : {};
  const more = [...(written ? [['content-type', written.type] as const] : []), ...Object.entries(signature)];
  return {
    method,
    url: url.replace(/%[0-9A-F]?$/, ''),
    headers: [...headers, ...more],
    body: written?.bytes,
  };
}

function bodyOf(type: string, value: unknown): { type: string; bytes: Buffer } {
  if (type === 'multipart/form-data') return formOf(value);
  if (type === 'application/json') return { type, bytes: Buffer.from(JSON.stringify(value) ?? '') };
  const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const text = fields.map(([name, each]) => `${encode(name)}=${encode(String(each))}`).join('&');
  return { type, bytes: Buffer.from(text) };
}

/** Changes of the request as a whole. */
function strange(wire: WireRequest, known: Known): Arbitrary<WireRequest> {
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

const withKey = (wire: WireRequest, key: string): WireRequest => {
  const others = wire.headers.filter(([name]) => name !== 'authorization');
  return { ...wire, headers: key ? [...others, ['authorization', key]] : others };
};

const BOUNDARY = 'fuzz-boundary';

/**
 * A multipart form of an input: the field `file`, and fields whose name is a hash, are files. A name or value that
 * starts with `raw:` would not survive a client that escapes it, so the form is written by hand.
 */
function formOf(input: unknown): { type: string; bytes: Buffer } {
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : [];
  const bytes = Buffer.from(JSON.stringify(input) ?? '').subarray(0, 5000);
  const hash = createHash('sha256').update(bytes).digest('hex');
  const isGroup = !fields.some(([name]) => name === 'sha256' || name === 'file');
  const parts = fields.filter(([name, value]) => name !== 'file' && value !== undefined && value !== null);
  const hashed = parts.map(([name, value]) => part(name, name === 'sha256' && isHash(value) ? hash : text(value)));
  const type = fields.some(([name]) => name === 'version') ? 'image/png' : 'text/css';
  const file = part(isGroup ? hash : 'file', bytes, type);
  const end = Buffer.from(`--${BOUNDARY}--\r\n`);
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, bytes: Buffer.concat([...hashed, file, end]) };
}

const isHash = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function part(name: string, value: string | Buffer, type?: string): Buffer {
  const disposition = `form-data; name="${name}"${type ? '; filename="file.bin"' : ''}`;
  const head = `--${BOUNDARY}\r\ncontent-disposition: ${disposition}\r\n${type ? `content-type: ${type}\r\n` : ''}\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')]);
}
