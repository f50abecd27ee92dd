import { answerJson, count, header, media, type Call } from './call';
import type { Digest } from './digest';
import { invalid, noSuchBucket, required } from './errors';
import { parseRelated } from './multipart';
import { assertPreconditions, preconditionsOf } from './preconditions';
import { assertObjectName, fieldsOf, objectOf, resourceOf } from './resource';
import { startSession } from './resumable';
import type { NewObject, Session, StoredObject } from './store';

/** Hashes that the client vouches for, in its metadata or in `X-Goog-Hash`. */
export type ExpectedHashes = Session['expected'];

/** `POST /upload/storage/v1/b/<bucket>/o`: simple, multipart and the start of a resumable upload. */
export async function insert(call: Call, bucket: string): Promise<void> {
  if (!call.cloud.buckets.has(bucket)) throw noSuchBucket();
  const type = call.query.get('uploadType');
  if (type === 'resumable') return startSession(call, bucket);
  if (type !== 'media' && type !== 'multipart') throw invalid(`Invalid upload type: ${type}`);
  count(call.cloud, 'objects.insert');
  answerJson(call, resourceOf(await (type === 'media' ? simple(call, bucket) : multipart(call, bucket)), call.base));
}

function simple(call: Call, bucket: string): Promise<StoredObject> {
  const contentType = header(call, 'content-type') ?? 'application/octet-stream';
  const contentEncoding = call.query.get('contentEncoding') ?? undefined;
  return store(call, { bucket, name: nameOf(call.query.get('name')), contentType, contentEncoding }, {}, media(call));
}

async function multipart(call: Call, bucket: string): Promise<StoredObject> {
  const body = media(call);
  try {
    const related = await parseRelated(body, header(call, 'content-type') ?? '');
    const metadata = parseMetadata(related.metadata);
    const name = nameOf(call.query.get('name') ?? metadata.name);
    const encoding = call.query.get('contentEncoding');
    const fields = { contentType: related.contentType, ...metadata, ...(encoding && { contentEncoding: encoding }) };
    return await store(call, { bucket, name, ...fieldsOf(fields) }, expectedIn(metadata), related.media);
  } finally {
    // Lets go of the request, so that what is left of it can be read away.
    await body.return(undefined);
  }
}

/** Writes the bytes, checks them and makes the object live; whatever fails, no file stays behind. */
export async function store(
  call: Call,
  target: Omit<NewObject, 'file' | 'size' | 'crc32c'>,
  expected: ExpectedHashes,
  bytes: AsyncIterable<Uint8Array>,
  conditions = preconditionsOf(call.query),
): Promise<StoredObject> {
  const { store, blobs } = call.cloud;
  assertPreconditions(conditions, store.find(target.bucket, target.name));
  const { file, digest } = await blobs.write(bytes);
  try {
    assertHashes(digest, { ...expected, ...hashesInHeaders(call) });
    const { object, orphans } = await store.create(
      { ...target, file, size: digest.size, ...digest.hashes() },
      conditions,
    );
    await blobs.remove(orphans);
    return object;
  } catch (error) {
    await blobs.remove([file]);
    throw error;
  }
}

/** The object's name from the query or the metadata. */
export function nameOf(name: unknown): string {
  if (typeof name !== 'string' || name === '') throw required('name');
  assertObjectName(name);
  return name;
}

/** Metadata as a JSON object; nothing at all counts as an empty one. */
export function parseMetadata(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    return objectOf(JSON.parse(text));
  } catch {
    throw invalid('Parse Error');
  }
}

export function expectedIn(metadata: Record<string, unknown>): ExpectedHashes {
  const { md5Hash, crc32c } = metadata;
  return {
    ...(typeof md5Hash === 'string' && { md5Hash }),
    ...(typeof crc32c === 'string' && { crc32c }),
  };
}

/** `X-Goog-Hash: crc32c=…,md5=…` and `Content-MD5`. */
export function hashesInHeaders(call: Call): ExpectedHashes {
  const expected: ExpectedHashes = {};
  const contentMd5 = header(call, 'content-md5');
  if (contentMd5) expected.md5Hash = contentMd5;
  for (const pair of (header(call, 'x-goog-hash') ?? '').split(',')) {
    const [, kind, value] = /^\s*(crc32c|md5)=(\S+)\s*$/i.exec(pair) ?? [];
    if (kind) expected[kind.toLowerCase() === 'md5' ? 'md5Hash' : 'crc32c'] = value!;
  }
  return expected;
}

/** 400 when the bytes are not those that the client meant. */
export function assertHashes(digest: Digest, expected: ExpectedHashes): void {
  const { md5Hash, crc32c } = digest.hashes();
  if (expected.crc32c !== undefined && expected.crc32c !== crc32c) {
    throw invalid(`Provided CRC32C "${expected.crc32c}" doesn't match calculated CRC32C "${crc32c}".`);
  }
  if (expected.md5Hash !== undefined && expected.md5Hash !== md5Hash) {
    throw invalid(`Provided MD5 hash "${expected.md5Hash}" doesn't match calculated MD5 hash "${md5Hash}".`);
  }
}
