import { answerJson, count, header, media, type Call } from './call';
import { assertHashes, expectedIn, hashesInHeaders, nameOf, parseMetadata, type ExpectedHashes } from './declared';
import { invalid, noSuchBucket } from './errors';
import { parseRelated } from './multipart';
import { assertPreconditions, preconditionsOf } from './preconditions';
import { fieldsOf, resourceOf } from './resource';
import { startSession } from './resumable';
import type { NewObject, StoredObject } from './store';

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
