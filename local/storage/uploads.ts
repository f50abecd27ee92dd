import { answerJson, count, header, requestBody, type Call } from './call';
import {
  assertHashes,
  expectedIn,
  hashesInHeaders,
  nameOf,
  parseMetadata,
  type ExpectedHashes,
} from './upload-metadata';
import { invalid } from './errors';
import { parseRelated } from './multipart';
import { assertPreconditions, preconditionsOf } from './preconditions';
import { fieldsOf, resourceOf } from './resource';
import { startSession } from './resumable';
import type { NewObject, StoredObject } from './stored-object';

/** `POST /upload/storage/v1/b/<bucket>/o`: a simple or multipart upload, or the start of a resumable one. */
export async function insertObject(call: Call, bucket: string): Promise<void> {
  const type = call.query.get('uploadType') || protocolIn(header(call, 'x-goog-upload-protocol'));
  if (type === 'resumable') return startSession(call, bucket);
  if (type !== 'media' && type !== 'multipart') throw invalid(`Invalid upload type: ${type}`);
  count(call.state, 'objects.insert');
  answerJson(
    call,
    resourceOf(await (type === 'media' ? simpleUpload(call, bucket) : multipartUpload(call, bucket)), call.base),
  );
}

/** The upload type that the header `X-Goog-Upload-Protocol` names. Without the header, the body is the media. */
function protocolIn(protocol: string | undefined): string {
  return protocol === undefined || protocol.toLowerCase() === 'raw' ? 'media' : protocol.toLowerCase();
}

function simpleUpload(call: Call, bucket: string): Promise<StoredObject> {
  const contentType = header(call, 'content-type') ?? 'application/octet-stream';
  const contentEncoding = call.query.get('contentEncoding') ?? undefined;
  return storeUpload(
    call,
    { bucket, name: nameOf(call.query.get('name')), contentType, contentEncoding },
    {},
    requestBody(call),
  );
}

async function multipartUpload(call: Call, bucket: string): Promise<StoredObject> {
  const body = requestBody(call);
  try {
    const related = await parseRelated(body, header(call, 'content-type') ?? '');
    const metadata = parseMetadata(related.metadata);
    const name = nameOf(call.query.get('name') ?? metadata.name);
    const encoding = call.query.get('contentEncoding');
    const contentType = header(call, 'x-upload-content-type') ?? related.contentType;
    const fields = { contentType, ...metadata, ...(encoding && { contentEncoding: encoding }) };
    return await storeUpload(call, { bucket, name, ...fieldsOf(fields) }, expectedIn(metadata), related.media);
  } finally {
    // Releases the request, so that the rest of its body can be drained.
    await body.return(undefined);
  }
}

/** Writes the bytes, checks their hashes and makes the object live. Deletes the file when any step fails. */
async function storeUpload(
  call: Call,
  target: Omit<NewObject, 'file' | 'size' | 'crc32c' | 'md5Hash'>,
  expected: ExpectedHashes,
  bytes: AsyncIterable<Uint8Array>,
): Promise<StoredObject> {
  const { store, blobs } = call.state;
  const conditions = preconditionsOf(call.query);
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
