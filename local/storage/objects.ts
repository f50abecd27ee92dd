import { readBody } from '../http/body';
import { answerJson, count, type Call } from './call';
import { invalid, noSuchBucket, noSuchObject } from './errors';
import { listPage } from './listing';
import { answerMedia } from './media';
import { assertPreconditions, numberOf, preconditionsOf } from './preconditions';
import { assertObjectName, changedFields, fieldsOf, objectOf, resourceOf } from './resource';
import type { NewObject, ObjectFields, StoredObject } from './stored-object';
import { parseMetadata } from './upload-metadata';

/** Larger than the limit for metadata, so that too large metadata gets its own error. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;
const COMPOSE_LIMIT = 32;

/** `GET …/o`. */
export async function listObjects(call: Call, bucket: string): Promise<void> {
  assertBucket(call, bucket);
  count(call.state, 'objects.list');
  const { items, prefixes, nextPageToken } = listPage(call.state.store, bucket, call.query);
  answerJson(call, {
    kind: 'storage#objects',
    nextPageToken,
    prefixes: prefixes.length > 0 ? prefixes : undefined,
    items: items.length > 0 ? items.map((object) => resourceOf(object, call.base)) : undefined,
  });
}

/** `GET`, `PATCH`, `PUT` and `DELETE` on one object. */
export async function handleObject(call: Call, bucket: string, name: string): Promise<void> {
  if (call.method === 'GET' || call.method === 'HEAD') return readObject(call, bucket, name);
  assertBucket(call, bucket);
  const { store, blobs } = call.state;
  const generation = numberOf(call.query, 'generation');
  const conditions = preconditionsOf(call.query);
  switch (call.method) {
    case 'PATCH':
    case 'PUT': {
      count(call.state, call.method === 'PUT' ? 'objects.update' : 'objects.patch');
      const body = await metadataOf(call);
      const change = (live: ObjectFields) => (call.method === 'PUT' ? fieldsOf(body) : changedFields(live, body));
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

/** `rewriteTo`, which always completes in one step, and the older `copyTo`. */
export async function copyObject(
  call: Call,
  from: { bucket: string; name: string },
  to: { bucket: string; name: string },
  isRewrite: boolean,
): Promise<void> {
  assertBucket(call, from.bucket);
  assertBucket(call, to.bucket);
  assertObjectName(to.name);
  count(call.state, isRewrite ? 'objects.rewrite' : 'objects.copy');
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
  const { size, md5Hash, crc32c, componentCount } = source;
  const object = await createObject(call, { ...to, ...fields, file, size, md5Hash, crc32c, componentCount });
  const resource = resourceOf(object, call.base);
  const rewritten = {
    kind: 'storage#rewriteResponse',
    totalBytesRewritten: String(size),
    objectSize: String(size),
    done: true,
    resource,
  };
  answerJson(call, isRewrite ? rewritten : resource);
}

/** `moveTo`: renames an object within a bucket, atomically. */
export async function moveObject(call: Call, bucket: string, from: string, to: string): Promise<void> {
  assertBucket(call, bucket);
  assertObjectName(to);
  count(call.state, 'objects.move');
  await readBody(call.req, BODY_LIMIT_BYTES);
  const { store, blobs } = call.state;
  const { query } = call;
  const { object, orphans } = await store.move(
    bucket,
    from,
    to,
    preconditionsOf(query, 'ifSource'),
    preconditionsOf(query),
  );
  await blobs.remove(orphans);
  answerJson(call, resourceOf(object, call.base));
}

/** `compose`: makes one object from up to 32 objects of the same bucket. */
export async function composeObjects(call: Call, bucket: string, name: string): Promise<void> {
  assertBucket(call, bucket);
  assertObjectName(name);
  count(call.state, 'objects.compose');
  const { store, blobs } = call.state;
  const body = await metadataOf(call);
  assertPreconditions(preconditionsOf(call.query), store.find(bucket, name));
  const sources = (Array.isArray(body.sourceObjects) ? (body.sourceObjects as unknown[]) : []).map((entry) => {
    const { name: sourceName, generation, objectPreconditions } = objectOf(entry);
    if (typeof sourceName !== 'string') throw invalid('Every source object needs a name.');
    const source = store.get(bucket, sourceName, generation === undefined ? undefined : Number(generation));
    const { ifGenerationMatch } = objectOf(objectPreconditions);
    if (ifGenerationMatch !== undefined) assertPreconditions({ generationMatch: Number(ifGenerationMatch) }, source);
    return source;
  });
  if (sources.length === 0) throw invalid('You must provide at least one source component.');
  if (sources.length > COMPOSE_LIMIT) {
    throw invalid(
      `The number of source components provided (${sources.length}) exceeds the maximum (${COMPOSE_LIMIT})`,
    );
  }
  const { file, digest } = await blobs.write(concatenate(call, sources));
  const fields = fieldsOf(objectOf(body.destination));
  const componentCount = sources.reduce((total, source) => total + (source.componentCount ?? 1), 0);
  const { crc32c } = digest.hashes();
  const object = await createObject(call, { bucket, name, ...fields, file, size: digest.size, crc32c, componentCount });
  answerJson(call, resourceOf(object, call.base));
}

async function* concatenate(call: Call, sources: StoredObject[]): AsyncGenerator<Buffer> {
  for (const source of sources) {
    const handle = await call.state.blobs.read(source.file);
    if (!handle) throw noSuchObject(source.bucket, source.name);
    for await (const chunk of handle.createReadStream()) yield chunk as Buffer;
  }
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

export function assertBucket(call: Call, bucket: string): void {
  if (!call.state.buckets.has(bucket)) throw noSuchBucket();
}
