import { isUtf8 } from 'node:buffer';
import { config } from '../config';
import { fail } from '../errors';
import { detailsOf } from './envelope';
import { header, type Request } from './request';

const MB = 1024 * 1024;

/** The largest JSON body, in bytes. A manifest of 10 000 files fits. */
export const JSON_BODY_LIMIT = 16 * MB;

/**
 * Throws payload-too-large when Content-Length exceeds `limit` (bytes) or the limit of the platform. Runs before the
 * body is read.
 */
export function assertDeclaredLength(request: Request, limit: number): void {
  const declared = Number(header(request, 'content-length') ?? 0);
  const platformLimit = config.maxRequestBytes();
  if (declared > platformLimit) {
    fail(
      'payload-too-large',
      { limit: platformLimit, actual: declared },
      {
        message: 'The request is larger than the platform allows.',
        nextAction: 'Upload files of this size with createAssetUploads and completeAssetUploads.',
      },
    );
  }
  if (declared > limit) fail('payload-too-large', { limit, actual: declared }, { nextAction: 'Send a smaller body.' });
}

/**
 * Reads the body as a JSON object. An absent body is an empty object. Throws payload-too-large above `limit` bytes, and
 * invalid-argument for a body that is not a JSON object in UTF-8.
 */
export async function readJsonBody(request: Request, limit: number): Promise<object> {
  // The platform reads a body with a Content-Type into `rawBody`. It leaves a body without one unread.
  const bytes = request.rawBody ?? (await readAll(request, limit));
  if (bytes.length > limit)
    fail('payload-too-large', { limit, actual: bytes.length }, { nextAction: 'Send a smaller body.' });
  if (bytes.length === 0) return {};
  const body: unknown = parsedByPlatform(request) ?? parse(bytes);
  if (typeof body !== 'object' || body === null || Array.isArray(body) || !isUtf8(bytes)) return notAnObject();
  assertUnicode(body);
  return body;
}

/**
 * Throws invalid-argument when a string holds half of a surrogate pair, which a JSON escape can spell. The database
 * would store other characters than the caller sent.
 */
function assertUnicode(body: object): void {
  const problems: { location: string; message: string }[] = [];
  const check = (value: unknown, location: string): void => {
    if (typeof value === 'string' && !value.isWellFormed())
      problems.push({ location, message: 'This text is not valid Unicode.' });
    else if (Array.isArray(value)) value.forEach((each, i) => check(each, `${location}[${i}]`));
    else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) check(each, `${location}.${name}`);
    }
  };
  check(body, 'body');
  if (problems.length > 0) fail('invalid-argument', detailsOf(problems));
}

function parsedByPlatform(request: Request): unknown {
  const isJson = /^application\/json\b/i.test(header(request, 'content-type') ?? '');
  return isJson && typeof request.body === 'object' ? request.body : undefined;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    return notAnObject(cause);
  }
}

function notAnObject(cause?: unknown): never {
  return fail(
    'invalid-argument',
    { errors: [{ location: 'body', message: 'The body must be a JSON object in UTF-8.' }] },
    { cause },
  );
}

async function readAll(request: Request, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) fail('payload-too-large', { limit }, { nextAction: 'Send a smaller body.' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
