import { createHash, createVerify } from 'node:crypto';
import { header, type Call } from './call';
import { StorageError } from './errors';

const WEEK_SECONDS = 7 * 24 * 3600;

/** Throws 403 for a signature that does not match the request, 400 for one that has expired or lacks a parameter. */
export function assertSigned(call: Call): void {
  const { query } = call;
  const [date, scope] = [
    parameter(query, 'X-Goog-Date'),
    /^([^/]+)\/(.+)$/.exec(parameter(query, 'X-Goog-Credential')),
  ];
  const expiresSeconds = Number(parameter(query, 'X-Goog-Expires'));
  const signedHeaders = parameter(query, 'X-Goog-SignedHeaders');
  if (parameter(query, 'X-Goog-Algorithm') !== 'GOOG4-RSA-SHA256') throw malformed('Unsupported X-Goog-Algorithm.');
  if (!/^\d{8}T\d{6}Z$/.test(date)) throw malformed('Invalid X-Goog-Date.');
  if (!(expiresSeconds >= 0 && expiresSeconds <= WEEK_SECONDS)) throw malformed('Invalid X-Goog-Expires.');

  const canonicalQuery = [...query]
    .filter(([key]) => key !== 'X-Goog-Signature')
    .map(([key, value]) => [encode(key), encode(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join('&');
  const payload = header(call, 'x-goog-content-sha256') ?? 'UNSIGNED-PAYLOAD';
  const fits = hostsOf(call).some((host) => {
    const headers = signedHeaders
      .split(';')
      .map((name) => `${name}:${canonical(name === 'host' ? host : header(call, name))}\n`);
    const request = [call.method, call.path, canonicalQuery, headers.join(''), signedHeaders, payload].join('\n');
    const hash = createHash('sha256').update(request).digest('hex');
    const text = ['GOOG4-RSA-SHA256', date, scope?.[2], hash].join('\n');
    return verify(call, scope?.[1], text, Buffer.from(parameter(query, 'X-Goog-Signature'), 'hex'));
  });
  if (!fits) throw doesNotMatch();

  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date)!.map(Number);
  const startMs = Date.UTC(y!, mo! - 1, d, h, mi, s);
  if (startMs > Date.now() + 15 * 60 * 1000)
    throw new StorageError(403, 'AccessDenied', 'The signature is not valid yet.');
  if (startMs + expiresSeconds * 1000 <= Date.now()) throw expired();
}

function verify(call: Call, signer: string | undefined, text: string, signature: Buffer): boolean {
  const key = call.state.signingKey;
  if (!key || signer !== key.clientEmail) return false;
  return createVerify('RSA-SHA256').update(text).verify(key.publicKeyPem, signature);
}

/** The Node client signs the host without the port, other clients sign it with the port. */
function hostsOf(call: Call): string[] {
  const host = header(call, 'host') ?? '';
  return [...new Set([host, host.replace(/:\d+$/, '')])];
}

function canonical(value: string | undefined): string {
  return (value ?? '').trim().replace(/\s{2,}/g, ' ');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function parameter(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (value === null) throw malformed(`The signed URL lacks ${name}.`);
  return value;
}

const malformed = (message: string) => new StorageError(400, 'AuthenticationRequired', message);
const expired = () => new StorageError(400, 'ExpiredToken', 'The provided token has expired.');
const doesNotMatch = () =>
  new StorageError(
    403,
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your Google secret key and signing method.',
  );
