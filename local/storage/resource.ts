import { invalid } from './errors';
import { textFields, type ObjectFields, type StoredObject } from './stored-object';

/** The cloud's limit for all keys and values of custom metadata together. */
const CUSTOM_METADATA_LIMIT_BYTES = 8192;

type Json = Record<string, unknown>;

/** Checks that the value is a JSON object; `undefined` counts as an empty one. Throws 400. */
export function objectOf(value: unknown): Json {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('Parse Error');
  return value as Json;
}

/**
 * The settable fields in a request's whole metadata. Custom values become strings, null the empty string, as in the
 * cloud: only a patch deletes by null. A null field counts as absent.
 */
export function fieldsOf(body: Json): ObjectFields {
  const metadata =
    body.metadata === undefined || body.metadata === null
      ? undefined
      : Object.fromEntries(Object.entries(objectOf(body.metadata)).map(([key, value]) => [key, value ?? '']));
  return changedFields({}, { ...body, metadata });
}

/** Applies a patch: a named field is replaced, null removes it. The same holds for each key of the custom metadata. */
export function changedFields(current: ObjectFields, patch: Json): ObjectFields {
  const fields: ObjectFields = {};
  for (const field of textFields) {
    const value = field in patch ? patch[field] : current[field];
    if (value === null || value === undefined) continue;
    if (typeof value !== 'string') throw invalid(`Invalid value for ${field}`);
    fields[field] = value;
  }
  const temporaryHold = 'temporaryHold' in patch ? patch.temporaryHold : current.temporaryHold;
  if (typeof temporaryHold === 'boolean') fields.temporaryHold = temporaryHold;
  const metadata = patch.metadata === undefined ? current.metadata : changedMetadata(current.metadata, patch.metadata);
  if (metadata && Object.keys(metadata).length > 0) fields.metadata = metadata;
  return fields;
}

function changedMetadata(current: Record<string, string> = {}, patch: unknown): Record<string, string> | undefined {
  if (patch === null) return undefined;
  const entries = new Map(Object.entries(current));
  for (const [key, value] of Object.entries(objectOf(patch))) {
    if (value === null || value === undefined) entries.delete(key);
    else if (typeof value === 'object') throw invalid(`Invalid value for metadata.${key}`);
    else entries.set(key, typeof value === 'string' ? value : JSON.stringify(value));
  }
  let bytes = 0;
  for (const [key, value] of entries) bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  if (bytes > CUSTOM_METADATA_LIMIT_BYTES) {
    throw invalid(`The custom metadata of an object may take ${CUSTOM_METADATA_LIMIT_BYTES} bytes, not ${bytes}.`);
  }
  return Object.fromEntries(entries);
}

/** 1 to 1024 bytes of UTF-8, neither "." nor "..", without CR, LF or halves of surrogate pairs. */
export function assertObjectName(name: string): void {
  const bytes = Buffer.byteLength(name);
  const isValid = bytes >= 1 && bytes <= 1024 && name !== '.' && name !== '..' && !/[\r\n]/.test(name);
  if (!isValid || !name.isWellFormed()) throw invalid('The specified object name is not valid.');
}

/** Differs for every generation and every change of the metadata. */
export function etagOf(object: StoredObject): string {
  return Buffer.from(`${object.generation}/${object.metageneration}`).toString('base64');
}

/** The object in the format of the JSON API. `base` is the server's own address. */
export function resourceOf(object: StoredObject, base: string): Json {
  const { bucket, name, generation, metageneration, size, timeCreated, updated } = object;
  const path = `storage/v1/b/${bucket}/o/${encodeURIComponent(name)}`;
  const { cacheControl, contentDisposition, contentEncoding, contentLanguage, contentType, customTime } = object;
  return {
    kind: 'storage#object',
    id: `${bucket}/${name}/${generation}`,
    selfLink: `${base}/${path}`,
    mediaLink: `${base}/download/${path}?generation=${generation}&alt=media`,
    name,
    bucket,
    generation: String(generation),
    metageneration: String(metageneration),
    cacheControl,
    contentDisposition,
    contentEncoding,
    contentLanguage,
    contentType,
    customTime,
    metadata: object.metadata,
    temporaryHold: object.temporaryHold,
    storageClass: 'STANDARD',
    size: String(size),
    md5Hash: object.md5Hash,
    crc32c: object.crc32c,
    etag: etagOf(object),
    timeCreated,
    updated,
    timeStorageClassUpdated: timeCreated,
    timeFinalized: timeCreated,
  };
}
