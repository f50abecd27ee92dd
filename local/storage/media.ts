import { closeSync, fstatSync, readSync } from 'node:fs';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { DamagedData } from '../data/errors';
import { header, type Call } from './call';
import { notModified, preconditionFailed, rangeNotSatisfiable } from './errors';
import { assertPreconditions, numberOf, preconditionsOf } from './preconditions';
import { parseRange, type ByteRange } from './ranges';
import { etagOf } from './resource';
import type { StoredObject } from './stored-object';

/** The response headers that a signed URL may override, and the disposition of an object that has none. */
export interface ResponseOverrides {
  contentType?: string | null;
  contentDisposition?: string | null;
  /** The JSON API sends objects as attachments; the XML API adds nothing. */
  defaultDisposition?: 'attachment';
}

/** Streams the live object, whole or one range. */
export async function answerMedia(
  call: Call,
  bucket: string,
  name: string,
  overrides: ResponseOverrides = {},
): Promise<void> {
  const conditions = preconditionsOf(call.query);
  const { object, descriptor } = openLive(call, bucket, name);
  try {
    assertPreconditions(conditions, object, true);
    assertConditionalHeaders(call, object);
    await send(call, object, descriptor, overrides);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Opens the live object's file. A later replacement of the object does not affect the open file. The file is read
 * synchronously: a step in another thread costs more than the read of bytes that the system has in memory.
 */
function openLive(call: Call, bucket: string, name: string): { object: StoredObject; descriptor: number } {
  const generation = numberOf(call.query, 'generation');
  for (let previous: StoredObject | undefined; ;) {
    const object = call.state.store.get(bucket, name, generation);
    const descriptor = call.state.blobs.descriptor(object.file);
    if (descriptor !== undefined) {
      if (fstatSync(descriptor).size === object.size) return { object, descriptor };
      closeSync(descriptor);
      throw new DamagedData(`The bytes of the object ${bucket}/${name} are incomplete.`);
    }
    // The object was replaced between the two lines above. The same file missing twice is an error.
    if (previous?.file === object.file) throw new DamagedData(`The bytes of the object ${bucket}/${name} are missing.`);
    previous = object;
  }
}

async function send(call: Call, object: StoredObject, descriptor: number, overrides: ResponseOverrides): Promise<void> {
  const { res } = call;
  const range = parseRange(header(call, 'range'), object.size);
  if (range === 'unsatisfiable') {
    res.setHeader('content-range', `bytes */${object.size}`);
    throw rangeNotSatisfiable();
  }
  const headers = headersOf(object, overrides);
  if (range) headers['content-range'] = `bytes ${range.start}-${range.end}/${object.size}`;
  headers['content-length'] = range ? range.end - range.start + 1 : object.size;
  res.writeHead(range ? 206 : 200, headers);
  if (call.method === 'HEAD' || object.size === 0) {
    res.end();
    return;
  }
  await sendBytes(call, descriptor, range ?? { start: 0, end: object.size - 1 });
}

/** The size of the pieces in which a file is read. */
const PIECE_BYTES = 256 * 1024;

/** Sends bytes of a file and ends the answer. Reads the next piece when the client has taken this one. */
async function sendBytes({ res, state }: Call, descriptor: number, { start, end }: ByteRange): Promise<void> {
  let piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, end + 1 - start));
  for (let at = start; at <= end && !res.destroyed;) {
    const bytesRead = readSync(descriptor, piece, 0, Math.min(piece.length, end + 1 - at), at);
    if (bytesRead === 0) throw new DamagedData('The bytes of an object are incomplete.');
    at += bytesRead;
    state.stats.bytesOut += bytesRead;
    if (at > end) return void res.end(piece.subarray(0, bytesRead));
    const isRoomLeft = res.write(piece.subarray(0, bytesRead));
    if (res.destroyed) return;
    // The connection still refers to the bytes of a small piece, so the next piece gets a buffer of its own.
    if (isRoomLeft) piece = Buffer.allocUnsafeSlow(piece.length);
    else await isTaken(res);
  }
  res.end();
}

/** Resolves when the client has taken the bytes that were written, or has closed the connection. */
function isTaken(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.on('drain', done).on('close', done);
  });
}

function headersOf(object: StoredObject, overrides: ResponseOverrides): OutgoingHttpHeaders {
  const headers: Record<string, string | number | null | undefined> = {
    'content-type': overrides.contentType ?? object.contentType ?? 'application/octet-stream',
    'content-disposition': overrides.contentDisposition ?? object.contentDisposition ?? overrides.defaultDisposition,
    'content-encoding': object.contentEncoding,
    'content-language': object.contentLanguage,
    'cache-control': object.cacheControl ?? 'private, max-age=0, must-revalidate, no-transform',
    etag: `"${etagOf(object)}"`,
    'last-modified': new Date(object.updated).toUTCString(),
    'accept-ranges': 'bytes',
    'x-goog-generation': object.generation,
    'x-goog-metageneration': object.metageneration,
    'x-goog-hash': `crc32c=${object.crc32c},md5=${object.md5Hash}`,
    'x-goog-stored-content-encoding': object.contentEncoding ?? 'identity',
    'x-goog-stored-content-length': object.size,
    'x-goog-storage-class': 'STANDARD',
    // An uploaded page must not run in this server's origin.
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
  };
  for (const [key, value] of Object.entries(object.metadata ?? {})) {
    if (/^[\w-]+$/.test(key)) headers[`x-goog-meta-${key.toLowerCase()}`] = encodeHeader(value);
  }
  const given = Object.entries(headers).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given) as OutgoingHttpHeaders;
}

/** Percent-encodes a value that is not printable ASCII. */
function encodeHeader(value: string): string {
  return /^[\x20-\x7e]*$/.test(value) ? value : encodeURIComponent(value);
}

function assertConditionalHeaders(call: Call, object: StoredObject): void {
  const etag = `"${etagOf(object)}"`;
  const includesEtag = (text: string) =>
    text.trim() === '*' || text.split(',').some((item) => item.trim().replace(/^W\//, '') === etag);
  const ifMatch = header(call, 'if-match');
  const ifNoneMatch = header(call, 'if-none-match');
  if (ifMatch !== undefined && !includesEtag(ifMatch)) throw preconditionFailed();
  if (ifNoneMatch !== undefined && includesEtag(ifNoneMatch)) throw notModified();
}
