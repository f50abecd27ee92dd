import { readBody } from '../http/body';
import { answerJson, count, type Call } from './call';
import { invalid, noSuchObject } from './errors';
import { listPage } from './listing';
import { answerMedia } from './media';
import { assertPreconditions, numberOf, preconditionsOf } from './preconditions';
import { assertObjectName, changedFields, fieldsOf, resourceOf } from './resource';
import type { NewObject, ObjectFields, StoredObject } from './stored-object';
import { parseMetadata } from './upload-metadata';

/** Larger than the limit for metadata, so that too large metadata gets its own error. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

/** `GET /b/<bucket>`. */
export function getBucket(call: Call, bucket: string): void {
  count(call.state, 'buckets.get');
  answerJson(call, { kind: 'storage#bucket', id: bucket, name: bucket });
}

/** `GET …/o`. */
export async function listObjects(call: Call, bucket: string): Promise<void> {
  count(call.state, 'objects.list');
  const { items, prefixes, nextPageToken } = listPage(call.state.store, bucket, call.query);
  answerJson(call, {
    kind: 'storage#objects',
    nextPageToken,
    prefixes: prefixes.length > 0 ? prefixes : undefined,
    items: items.length > 0 ? items.map((object) => resourceOf(object, call.base)) : undefined,
  });
}

/** `GET`, `PATCH` and `DELETE` on one object. */
export async function handleObject(call: Call, bucket: string, name: string): Promise<void> {
  if (call.method === 'GET' || call.method === 'HEAD') return readObject(call, bucket, name);
  const { store, blobs } = call.state;
  const generation = numberOf(call.query, 'generation');
  const conditions = preconditionsOf(call.query);
  switch (call.method) {
    case 'PATCH': {
      count(call.state, 'objects.patch');
      const body = await metadataOf(call);
      const change = (live: ObjectFields) => changedFields(live, body);
      return answerJson(call, resourceOf(await store.update(bucket, name, generation, conditions, change), call.base));
    }
    case 'DELETE': {
      count(call.state, 'objects.delete');
      const { orphans } = await store.remove(bucket, name, generation, conditions);
      await blobs.remove(orphans);
      call.res.writeHead(204).end();
      return;
    }
    default:
      throw invalid(`Method ${call.method} is not allowed here.`);
  }
}

/** `rewriteTo`, which always completes in one step. */
export async function copyObject(
  call: Call,
  from: { bucket: string; name: string },
  to: { bucket: string; name: string },
): Promise<void> {
  assertObjectName(to.name);
  count(call.state, 'objects.rewrite');
  const { store, blobs } = call.state;
  const body = await metadataOf(call);
  const destination = preconditionsOf(call.query);
  const source = store.get(from.bucket, from.name, numberOf(call.query, 'sourceGeneration'));
  assertPreconditions(preconditionsOf(call.query, 'ifSource'), source);
  assertPreconditions(destination, store.find(to.bucket, to.name));
  // Fields in the body replace all fields of the source. Without fields in the body, the source's fields are copied.
  const hasFields = Object.keys(fieldsOf(body)).length > 0;
  const fields = hasFields ? { contentType: source.contentType, ...fieldsOf(body) } : copiedFields(source);

  const file = await blobs.duplicate(source.file);
  if (!file) throw noSuchObject(from.bucket, from.name);
  const { size, md5Hash, crc32c } = source;
  const object = await createObject(call, { ...to, ...fields, file, size, md5Hash, crc32c });
  answerJson(call, {
    kind: 'storage#rewriteResponse',
    totalBytesRewritten: String(size),
    objectSize: String(size),
    done: true,
    resource: resourceOf(object, call.base),
  });
}

/** Makes an object of a finished file. Deletes the file when the preconditions fail. */
async function createObject(call: Call, whole: NewObject): Promise<StoredObject> {
  const { store, blobs } = call.state;
  try {
    const { object, orphans } = await store.create(whole, preconditionsOf(call.query));
    await blobs.remove(orphans);
    return object;
  } catch (error) {
    await blobs.remove([whole.file]);
    throw error;
  }
}

/** The fields that a copy takes from its source: all except a hold. */
function copiedFields(object: StoredObject): ObjectFields {
  return changedFields(object, { temporaryHold: null });
}

/** Answers the bytes of an object with `alt=media`, else its metadata. */
async function readObject(call: Call, bucket: string, name: string): Promise<void> {
  if (call.query.get('alt') === 'media') {
    count(call.state, 'objects.get:media');
    return answerMedia(call, bucket, name, { defaultDisposition: 'attachment' });
  }
  count(call.state, 'objects.get');
  const conditions = preconditionsOf(call.query);
  const object = call.state.store.get(bucket, name, numberOf(call.query, 'generation'));
  assertPreconditions(conditions, object, true);
  answerJson(call, resourceOf(object, call.base));
}

async function metadataOf(call: Call): Promise<Record<string, unknown>> {
  return parseMetadata((await readBody(call.req, BODY_LIMIT_BYTES)).toString('utf8'));
}
