import type { IncomingMessage } from 'node:http';
import { randomBytes } from 'node:crypto';
import { BodyTooLarge, readBody } from '../http/body';
import { answerJson, count, header, requestBody, type Call } from './call';
import type { Digest } from './digest';
import { StorageError, invalid, metadataTooLarge, noSuchUpload } from './errors';
import { METADATA_PART_LIMIT_BYTES } from './multipart';
import { assertPreconditions, preconditionsOf } from './preconditions';
import { fieldsOf, resourceOf } from './resource';
import type { Session } from './store';
import { assertHashes, expectedIn, hashesInHeaders, nameOf, parseMetadata } from './upload-metadata';

const WEEK_MS = 7 * 24 * 3600 * 1000;

/** Until the upload is complete, the server keeps a multiple of this many bytes. */
const QUANTUM_BYTES = 256 * 1024;

/**
 * The digests of the files of open sessions, so that each chunk is hashed once. After a restart the whole file is
 * hashed again.
 */
const digests = new Map<string, Digest>();

/** The request that is writing to each session. A later request for the same session interrupts it. */
const writing = new Map<string, { req: IncomingMessage; done: Promise<void> }>();

/** Starts a session and answers with its address. The address is the permission to use the session. */
export async function startSession(call: Call, bucket: string): Promise<void> {
  count(call.state, 'objects.insert:resumable');
  const metadata = parseMetadata((await readMetadata(call)).toString('utf8'));
  const contentType = header(call, 'x-upload-content-type');
  const contentEncoding = call.query.get('contentEncoding');
  const name = nameOf(call.query.get('name') ?? metadata.name);
  const fields = fieldsOf({
    ...(contentType && { contentType }),
    ...metadata,
    ...(contentEncoding && { contentEncoding }),
  });
  const { store, blobs } = call.state;
  const preconditions = preconditionsOf(call.query);
  assertPreconditions(preconditions, store.find(bucket, name));
  const announced = header(call, 'x-upload-content-length');
  const origin = header(call, 'origin');
  const session: Session = {
    id: randomBytes(32).toString('base64url'),
    bucket,
    name,
    preconditions,
    expected: expectedIn(metadata),
    fields: { contentType: 'application/octet-stream', ...fields },
    file: blobs.newId(),
    ...(announced !== undefined && { totalBytes: Number(announced) }),
    ...(origin !== undefined && { origin }),
    expiresAt: Date.now() + WEEK_MS,
  };
  await store.putSession(session);
  const query = new URLSearchParams({ uploadType: 'resumable', name, upload_id: session.id });
  call.res.setHeader('location', `${call.base}/upload/storage/v1/b/${bucket}/o?${query.toString()}`);
  call.res.setHeader('x-guploader-uploadid', session.id);
  call.res.writeHead(200, { 'content-length': 0 }).end();
}

async function readMetadata(call: Call): Promise<Buffer> {
  try {
    return await readBody(call.req, METADATA_PART_LIMIT_BYTES);
  } catch (error) {
    throw error instanceof BodyTooLarge ? metadataTooLarge() : error;
  }
}

/** `PUT` or `DELETE` on a session's address. */
export async function useSession(call: Call, id: string): Promise<void> {
  const session = call.state.store.findSession(id);
  if (!session) throw noSuchUpload();
  if (call.method === 'DELETE') return cancelSession(call, session);
  const range = parseContentRange(header(call, 'content-range'));
  const isStatus = range.from === undefined && range.total === undefined;
  count(call.state, isStatus ? 'objects.insert:status' : 'objects.insert:chunk');
  if (session.made) return answerJson(call, resourceOf(session.made, call.base));
  if (isStatus) return answerIncomplete(call, await persistedBytes(call, session));
  return withExclusiveSession(call, session, () => receiveChunk(call, session, range));
}

interface ContentRange {
  /** Absent in `bytes * / total`. */
  from?: number;
  /** Inclusive; absent in `bytes 0-* / total`. */
  to?: number;
  total?: number;
}

async function receiveChunk(call: Call, session: Session, range: ContentRange): Promise<void> {
  const { blobs } = call.state;
  const { totalBytes: announced } = session;
  if (announced !== undefined && range.total !== undefined && range.total !== announced) {
    throw invalid(`Invalid request. X-Upload-Content-Length announced ${announced} bytes, not ${range.total}.`);
  }
  const kept = await persistedBytes(call, session);
  const from = range.from ?? (range.total === undefined ? 0 : kept);
  if (from > kept) {
    throw new StorageError(
      503,
      'backendError',
      `Invalid request. According to the Content-Range header, the upload offset is ${from} byte(s), which exceeds already uploaded size of ${kept} byte(s).`,
    );
  }
  await blobs.truncate(session.file, kept);
  const known = digests.get(session.id);
  const digest = known?.size === kept ? known : await blobs.digest(session.file);
  digests.delete(session.id);

  try {
    const source = skip(requestBody(call), kept - from);
    await blobs.append(session.file, announced === undefined ? source : atMost(source, announced - kept), digest);
  } catch (error) {
    if (error instanceof StorageError) await discardSession(call, session);
    throw error;
  }
  const sent = digest.size - from;
  if (range.to !== undefined && sent !== range.to - from + 1) {
    throw invalid(`Invalid request. The Content-Range announces ${range.to - from + 1} bytes; ${sent} arrived.`);
  }
  const total = range.total ?? (range.to === undefined ? digest.size : announced);
  if (total !== undefined && digest.size > total) throw invalid(`Invalid request. There are more than ${total} bytes.`);
  if (total === digest.size) return completeSession(call, session, digest);

  if (sent < QUANTUM_BYTES && range.from !== undefined) {
    await blobs.truncate(session.file, kept);
    throw invalid(
      `Invalid request.  The number of bytes uploaded is required to be equal or greater than ${QUANTUM_BYTES}, except for the final request (it's recommended to be the exact multiple of ${QUANTUM_BYTES}).  The received request contained ${sent} bytes, which does not meet this requirement.`,
    );
  }
  digests.set(session.id, digest);
  answerIncomplete(call, await persistedBytes(call, session));
}

async function completeSession(call: Call, session: Session, digest: Digest): Promise<void> {
  const { store, blobs } = call.state;
  const { bucket, name, file, fields, preconditions, totalBytes } = session;
  try {
    if (totalBytes !== undefined && totalBytes !== digest.size) {
      throw invalid(
        `Invalid request. X-Upload-Content-Length announced ${totalBytes} bytes; there are ${digest.size}.`,
      );
    }
    assertHashes(digest, { ...session.expected, ...hashesInHeaders(call) });
    const whole = { bucket, name, ...fields, file, size: digest.size, ...digest.hashes() };
    const { object, orphans } = await store.create(whole, preconditions, session);
    await blobs.remove(orphans);
    answerJson(call, resourceOf(object, call.base));
  } catch (error) {
    // The bytes are wrong or a precondition failed: further requests for the session cannot succeed.
    if (error instanceof StorageError) await discardSession(call, session);
    throw error;
  }
}

async function discardSession({ state: { store, blobs } }: Call, session: Session): Promise<void> {
  await store.removeSession(session.id);
  await blobs.remove([session.file]);
}

async function cancelSession(call: Call, session: Session): Promise<void> {
  count(call.state, 'objects.insert:cancel');
  await withExclusiveSession(call, session, async () => {
    await call.state.store.removeSession(session.id);
    digests.delete(session.id);
    if (!session.made) await call.state.blobs.remove([session.file]);
  });
  call.res.writeHead(499, 'Client Closed Request', { 'content-length': 0 }).end();
}

/** Runs one request for a session at a time. A new request interrupts the earlier one: the client has given that up. */
async function withExclusiveSession(call: Call, session: Session, work: () => Promise<void>): Promise<void> {
  for (let earlier; (earlier = writing.get(session.id));) {
    earlier.req.destroy();
    await earlier.done;
  }
  let finish = () => {};
  writing.set(session.id, { req: call.req, done: new Promise((resolve) => (finish = resolve)) });
  try {
    const current = call.state.store.findSession(session.id);
    if (!current) throw noSuchUpload();
    if (current.made && call.method === 'PUT') answerJson(call, resourceOf(current.made, call.base));
    else await work();
  } finally {
    writing.delete(session.id);
    finish();
  }
}

/** Answers 308: the server has the bytes 0 to `kept` - 1. */
function answerIncomplete(call: Call, kept: number): void {
  if (kept > 0) call.res.setHeader('range', `bytes=0-${kept - 1}`);
  call.res.writeHead(308, 'Resume Incomplete', { 'content-length': 0 }).end();
}

async function persistedBytes(call: Call, session: Session): Promise<number> {
  const size = await call.state.blobs.size(session.file);
  return size - (size % QUANTUM_BYTES);
}

/** Skips the first `size` bytes, which an earlier request has sent already. */
async function* skip(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let left = size;
  for await (const chunk of source) {
    if (left < chunk.length) yield left > 0 ? chunk.subarray(left) : chunk;
    left = Math.max(0, left - chunk.length);
  }
}

/** Throws 400 at the first byte beyond the announced size. */
async function* atMost(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let left = size;
  for await (const chunk of source) {
    left -= chunk.length;
    if (left < 0) throw invalid('Invalid request. There are more bytes than X-Upload-Content-Length announced.');
    yield chunk;
  }
}

function parseContentRange(text: string | undefined): ContentRange {
  if (text === undefined) return { from: 0 };
  const [, from, to, total] = /^bytes (?:\*|(\d+)-(-?\d+|\*))\/(\d+|\*)$/.exec(text.trim()) ?? [];
  if (total === undefined) throw invalid(`Failed to parse Content-Range header: ${text}`);
  return {
    ...(from !== undefined && { from: Number(from) }),
    ...(to !== undefined && to !== '*' && { to: Number(to) }),
    ...(total !== '*' && { total: Number(total) }),
  };
}
