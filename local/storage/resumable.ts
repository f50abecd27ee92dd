import type { IncomingMessage } from 'node:http';
import { randomBytes } from 'node:crypto';
import { readBody } from '../http/body';
import { answerJson, count, header, media, type Call } from './call';
import type { Digest } from './digest';
import { CloudError, invalid, noSuchUpload } from './errors';
import { assertPreconditions, preconditionsOf, type Preconditions } from './preconditions';
import { fieldsOf, resourceOf, type ObjectFields } from './resource';
import type { Session } from './store';
import { assertHashes, expectedIn, hashesInHeaders, nameOf, parseMetadata } from './declared';

const METADATA_LIMIT_BYTES = 4 * 1024 * 1024;
const WEEK_MS = 7 * 24 * 3600 * 1000;

/** Bytes are kept in multiples of this until the object is complete. */
const QUANTUM_BYTES = 256 * 1024;

/** Hashes of what the files of open sessions hold, so that a chunk is hashed once; after a restart they are taken anew. */
const digests = new Map<string, Digest>();

/** The request that is filling a session: a later one takes over from it. */
const writing = new Map<string, { req: IncomingMessage; done: Promise<void> }>();

/** Starts a session and answers its address, which needs no further permission. */
export async function startSession(call: Call, bucket: string): Promise<void> {
  count(call.cloud, 'objects.insert:resumable');
  const metadata = parseMetadata((await readBody(call.req, METADATA_LIMIT_BYTES)).toString('utf8'));
  const contentType = header(call, 'x-upload-content-type');
  const name = nameOf(call.query.get('name') ?? metadata.name);
  const fields = fieldsOf({ ...(contentType && { contentType }), ...metadata });
  await openSession(call, bucket, name, fields, preconditionsOf(call.query), expectedIn(metadata));
  call.res.writeHead(200, { 'content-length': 0 }).end();
}

/** Makes a session and sets `Location`; the caller ends the answer. */
export async function openSession(
  call: Call,
  bucket: string,
  name: string,
  fields: ObjectFields,
  preconditions: Preconditions,
  expected: Session['expected'] = {},
): Promise<void> {
  const { store, blobs } = call.cloud;
  assertPreconditions(preconditions, store.find(bucket, name));
  const announced = header(call, 'x-upload-content-length');
  const session: Session = {
    id: randomBytes(32).toString('base64url'),
    ...{ bucket, name, preconditions, expected },
    fields: { contentType: 'application/octet-stream', ...fields },
    file: blobs.newId(),
    ...(announced !== undefined && { totalBytes: Number(announced) }),
    expiresAt: Date.now() + WEEK_MS,
  };
  await store.putSession(session);
  const query = new URLSearchParams({ uploadType: 'resumable', name, upload_id: session.id });
  call.res.setHeader('location', `${call.base}/upload/storage/v1/b/${bucket}/o?${query.toString()}`);
  call.res.setHeader('x-guploader-uploadid', session.id);
}

/** `PUT` or `DELETE` on a session's address. */
export async function useSession(call: Call, id: string): Promise<void> {
  const session = call.cloud.store.findSession(id);
  if (!session) throw noSuchUpload();
  if (call.method === 'DELETE') return cancel(call, session);
  const range = parseContentRange(header(call, 'content-range'));
  const isStatus = range.from === undefined && range.total === undefined;
  count(call.cloud, isStatus ? 'objects.insert:status' : 'objects.insert:chunk');
  if (session.made) return answerJson(call, resourceOf(session.made, call.base));
  if (isStatus) return answerIncomplete(call, await keptBytes(call, session));
  return alone(call, session, () => receive(call, session, range));
}

interface ContentRange {
  /** Absent in `bytes * / total`. */
  from?: number;
  /** Inclusive; absent in `bytes 0-* / total`. */
  to?: number;
  total?: number;
}

async function receive(call: Call, session: Session, range: ContentRange): Promise<void> {
  const { blobs } = call.cloud;
  const { totalBytes: announced } = session;
  if (announced !== undefined && range.total !== undefined && range.total !== announced) {
    throw invalid(`Invalid request. X-Upload-Content-Length announced ${announced} bytes, not ${range.total}.`);
  }
  const kept = await keptBytes(call, session);
  const from = range.from ?? (range.total === undefined ? 0 : kept);
  if (from > kept) {
    throw new CloudError(
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
    const source = skip(media(call), kept - from);
    await blobs.append(session.file, announced === undefined ? source : atMost(source, announced - kept), digest);
  } catch (error) {
    if (error instanceof CloudError) await forget(call, session);
    throw error;
  }
  const sent = digest.size - from;
  if (range.to !== undefined && sent !== range.to - from + 1) {
    throw invalid(`Invalid request. The Content-Range announces ${range.to - from + 1} bytes; ${sent} arrived.`);
  }
  const total = range.total ?? (range.to === undefined ? digest.size : announced);
  if (total !== undefined && digest.size > total) throw invalid(`Invalid request. There are more than ${total} bytes.`);
  if (total === digest.size) return complete(call, session, digest);

  if (sent < QUANTUM_BYTES && range.from !== undefined) {
    await blobs.truncate(session.file, kept);
    throw invalid(
      `Invalid request.  The number of bytes uploaded is required to be equal or greater than ${QUANTUM_BYTES}, except for the final request (it's recommended to be the exact multiple of ${QUANTUM_BYTES}).  The received request contained ${sent} bytes, which does not meet this requirement.`,
    );
  }
  digests.set(session.id, digest);
  answerIncomplete(call, await keptBytes(call, session));
}

async function complete(call: Call, session: Session, digest: Digest): Promise<void> {
  const { store, blobs } = call.cloud;
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
    // The bytes are wrong or the place is taken: nothing that could still be sent would change that.
    if (error instanceof CloudError) await forget(call, session);
    throw error;
  }
}

async function forget({ cloud: { store, blobs } }: Call, session: Session): Promise<void> {
  await store.removeSession(session.id);
  await blobs.remove([session.file]);
}

async function cancel(call: Call, session: Session): Promise<void> {
  count(call.cloud, 'objects.insert:cancel');
  await alone(call, session, async () => {
    await call.cloud.store.removeSession(session.id);
    digests.delete(session.id);
    if (!session.made) await call.cloud.blobs.remove([session.file]);
  });
  call.res.writeHead(499, 'Client Closed Request', { 'content-length': 0 }).end();
}

/** One writer at a time: a client that sends again has given up on its earlier request, however stuck that one is. */
async function alone(call: Call, session: Session, work: () => Promise<void>): Promise<void> {
  for (let earlier; (earlier = writing.get(session.id));) {
    earlier.req.destroy();
    await earlier.done;
  }
  let finish = () => {};
  writing.set(session.id, { req: call.req, done: new Promise((resolve) => (finish = resolve)) });
  try {
    const current = call.cloud.store.findSession(session.id);
    if (!current) throw noSuchUpload();
    if (current.made && call.method === 'PUT') answerJson(call, resourceOf(current.made, call.base));
    else await work();
  } finally {
    writing.delete(session.id);
    finish();
  }
}

/** 308: bytes 0 to `kept` - 1 are safe. */
function answerIncomplete(call: Call, kept: number): void {
  if (kept > 0) call.res.setHeader('range', `bytes=0-${kept - 1}`);
  call.res.writeHead(308, 'Resume Incomplete', { 'content-length': 0 }).end();
}

async function keptBytes(call: Call, session: Session): Promise<number> {
  const size = await call.cloud.blobs.size(session.file);
  return size - (size % QUANTUM_BYTES);
}

/** Leaves out the first bytes: those that an earlier request has brought already. */
async function* skip(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let left = size;
  for await (const chunk of source) {
    if (left < chunk.length) yield left > 0 ? chunk.subarray(left) : chunk;
    left = Math.max(0, left - chunk.length);
  }
}

/** Refuses the first byte beyond what was announced. */
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
