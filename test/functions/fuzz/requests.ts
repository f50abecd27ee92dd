import fc, { type Arbitrary } from 'fast-check';
import { formOf } from './forms';
import { document } from '../../support/documented';
import type { Operation } from '../../support/operations';
import { signedByResend } from '../../support/signed-mail-event';
import { strange } from './strange';
import { changedOnce, hostileValue, Values, type Known } from './values';
import type { WireRequest } from './wire';

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
