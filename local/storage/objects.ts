import { readBody } from '../http/body';
import { answerJson, count, type Call } from './call';
import { invalid, noSuchBucket, noSuchObject } from './errors';
import { listPage } from './listing';
import { answerMedia } from './media';
import { assertPreconditions, numberOf, preconditionsOf } from './preconditions';
import { assertObjectName, changedFields, fieldsOf, objectOf, resourceOf, type ObjectFields } from './resource';
import type { StoredObject } from './store';
import { parseMetadata } from './declared';

/** Above what an object's metadata may be, so that its own error is told. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;
const COMPOSE_LIMIT = 32;

/** `GET …/o`. */
export async function list(call: Call, bucket: string): Promise<void> {
  assertBucket(call, bucket);
  count(call.cloud, 'objects.list');
  const { items, prefixes, nextPageToken } = listPage(call.cloud.store, bucket, call.query);
  answerJson(call, {
    kind: 'storage#objects',
    nextPageToken,
    prefixes: prefixes.length > 0 ? prefixes : undefined,
    items: items.length > 0 ? items.map((object) => resourceOf(object, call.base)) : undefined,
  });
}

/** `GET`, `PATCH`, `PUT` and `DELETE` on one object. */
export async function one(call: Call, bucket: string, name: string): Promise<void> {
  assertBucket(call, bucket);
  const { store, blobs } = call.cloud;
  const generation = numberOf(call.query, 'generation');
  const conditions = preconditionsOf(call.query);
  switch (call.method) {
    case 'GET':
    case 'HEAD': {
      if (call.query.get('alt') === 'media') {
        count(call.cloud, 'objects.get:media');
        return answerMedia(call, bucket, name);
      }
      count(call.cloud, 'objects.get');
      const object = store.get(bucket, name, generation);
      assertPreconditions(conditions, object, true);
      return answerJson(call, resourceOf(object, call.base));
    }
    case 'PATCH':
    case 'PUT': {
      count(call.cloud, call.method === 'PUT' ? 'objects.update' : 'objects.patch');
      const body = await metadataOf(call);
      const change = (live: ObjectFields) => (call.method === 'PUT' ? fieldsOf(body) : changedFields(live, body));
      return answerJson(call, resourceOf(await store.update(bucket, name, generation, conditions, change), call.base));
    }
    case 'DELETE': {
      count(call.cloud, 'objects.delete');
      const { orphans } = await store.remove(bucket, name, generation, conditions);
      await blobs.remove(orphans);
      call.res.writeHead(204).end();
      return;
    }
    default:
      throw invalid(`Method ${call.method} is not allowed here.`);
  }
}

/** `rewriteTo` (always done in one step) and the older `copyTo`. */
export async function copy(
  call: Call,
  from: { bucket: string; name: string },
  to: { bucket: string; name: string },
  isRewrite: boolean,
): Promise<void> {
  assertBucket(call, from.bucket);
  assertBucket(call, to.bucket);
  assertObjectName(to.name);
  count(call.cloud, isRewrite ? 'objects.rewrite' : 'objects.copy');
  const { store, blobs } = call.cloud;
  const body = await metadataOf(call);
  const destination = preconditionsOf(call.query);
  const source = store.get(from.bucket, from.name, numberOf(call.query, 'sourceGeneration'));
  assertPreconditions(preconditionsOf(call.query, 'ifSource'), source);
  assertPreconditions(destination, store.find(to.bucket, to.name));
  // Fields in the body replace the source's; without any they are copied.
  const hasFields = Object.keys(fieldsOf(body)).length > 0;
  const fields = hasFields ? { contentType: source.contentType, ...fieldsOf(body) } : settable(source);

  const file = await blobs.duplicate(source.file);
  if (!file) throw noSuchObject(from.bucket, from.name);
  const { size, md5Hash, crc32c, componentCount } = source;
  const object = await place(call, { ...to, ...fields, file, size, md5Hash, crc32c, componentCount });
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

/** `moveTo`: renames within a bucket, atomically. */
export async function move(call: Call, bucket: string, from: string, to: string): Promise<void> {
  assertBucket(call, bucket);
  assertObjectName(to);
  count(call.cloud, 'objects.move');
  await readBody(call.req, BODY_LIMIT_BYTES);
  const { store, blobs } = call.cloud;
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

/** `compose`: one new object out of up to 32 of the same bucket. */
export async function compose(call: Call, bucket: string, name: string): Promise<void> {
  assertBucket(call, bucket);
  assertObjectName(name);
  count(call.cloud, 'objects.compose');
  const { store, blobs } = call.cloud;
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
  const object = await place(call, { bucket, name, ...fields, file, size: digest.size, crc32c, componentCount });
  answerJson(call, resourceOf(object, call.base));
}

async function* concatenate(call: Call, sources: StoredObject[]): AsyncGenerator<Buffer> {
  for (const source of sources) {
    const handle = await call.cloud.blobs.read(source.file);
    if (!handle) throw noSuchObject(source.bucket, source.name);
    for await (const chunk of handle.createReadStream()) yield chunk as Buffer;
  }
}

/** Makes an object of a finished file; when its conditions fail, the file goes. */
async function place(call: Call, whole: Parameters<Call['cloud']['store']['create']>[0]): Promise<StoredObject> {
  const { store, blobs } = call.cloud;
  try {
    const { object, orphans } = await store.create(whole, preconditionsOf(call.query));
    await blobs.remove(orphans);
    return object;
  } catch (error) {
    await blobs.remove([whole.file]);
    throw error;
  }
}

/** What a copy has of its source; a hold is not among it. */
function settable(object: StoredObject): ObjectFields {
  return changedFields(object, { temporaryHold: null });
}

async function metadataOf(call: Call): Promise<Record<string, unknown>> {
  return parseMetadata((await readBody(call.req, BODY_LIMIT_BYTES)).toString('utf8'));
}

export function assertBucket(call: Call, bucket: string): void {
  if (!call.cloud.buckets.has(bucket)) throw noSuchBucket();
}
