import { createHash } from 'node:crypto';
import { ByteWriter } from './bytes';
import { invalidArgument } from './errors';

/**
 * The path of a document, a collection or a database. `root` is `projects/p/databases/d`, `segments` follow
 * `documents`.
 */
export interface Path {
  root: string;
  segments: string[];
}

const NUMERIC_ID = /^__id(-?(?:0|[1-9]\d*))__$/;
const MAX_KEY_BYTES = 4000;

/** Names that the cloud keeps for itself. `____` is not one of them. */
const RESERVED_NAME = /^__.+__$/s;
export const isReserved = (name: string): boolean => RESERVED_NAME.test(name);

function checkId(id: string, kind: 'Resource' | 'Collection'): void {
  const invalid = (reason: string) => invalidArgument(`${kind} id "${id}" is invalid because it is ${reason}.`);
  if (id === '') throw invalidArgument('A resource name has an empty segment.');
  if (id === '.' || id === '..') throw invalid('reserved');
  // UTF-8 needs at most three bytes for a UTF-16 unit, so ids up to 500 units are short enough.
  if (id.length > 500 && Buffer.byteLength(id) > 1500) {
    throw invalidArgument(`${kind} id "${id.slice(0, 40)}..." is invalid because it is longer than 1500 bytes.`);
  }
  if (!isReserved(id) || (kind === 'Resource' && isNumericId(id))) return;
  throw invalid(kind === 'Resource' && NUMERIC_ID.test(id) ? 'not a 64 bit integer' : 'reserved');
}

const checkSegments = (segments: string[]) =>
  segments.forEach((id, i) => checkId(id, i % 2 ? 'Resource' : 'Collection'));

function isNumericId(id: string): boolean {
  const digits = NUMERIC_ID.exec(id)?.[1];
  return digits !== undefined && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
}

/** Splits a resource name without a check of its ids: a cursor may contain ids that documents cannot have. */
export function splitName(name: string): Path {
  const parts = name.split('/');
  if (parts.length < 5 || parts[0] !== 'projects' || parts[2] !== 'databases' || parts[4] !== 'documents') {
    throw invalidArgument(`"${name}" is not a valid resource name.`);
  }
  return { root: parts.slice(0, 4).join('/'), segments: parts.slice(5) };
}

/** Parses a reference to a document. Throws INVALID_ARGUMENT. Its ids may be ids that a document cannot have. */
export function parseReference(name: string): Path {
  const path = splitName(name);
  if (path.segments.length === 0 || path.segments.length % 2) {
    throw invalidArgument(`Resource name "${name}" lacks "/" at index ${name.length}.`);
  }
  return path;
}

/** Checks a database name: `projects/p/databases/d`. Throws INVALID_ARGUMENT. */
export function parseDatabase(name: string | undefined): string {
  const parts = (name ?? '').split('/');
  if (parts.length !== 4 || parts[0] !== 'projects' || parts[2] !== 'databases' || !parts[1] || !parts[3]) {
    throw invalidArgument(`"${name ?? ''}" is not a valid database name.`);
  }
  return parts.join('/');
}

/** Parses the name of a document, in the database `root` if given. Throws INVALID_ARGUMENT. */
export function parseDocumentName(name: string | undefined, root?: string): Path {
  const path = splitName(name ?? '');
  if (path.segments.length === 0 || path.segments.length % 2) {
    throw invalidArgument(`Document name "${name ?? ''}" has invalid trailing segments or lacks a document id.`);
  }
  checkSegments(path.segments);
  if (root && path.root !== root) throw invalidArgument(`Document name "${name ?? ''}" is not in database "${root}".`);
  return path;
}

/** Parses the parent of a collection: a document or the database. Throws INVALID_ARGUMENT. */
export function parseParent(name: string | undefined): Path {
  const path = splitName(name ?? '');
  if (path.segments.length % 2) throw invalidArgument(`"${name ?? ''}" is not a document or database.`);
  checkSegments(path.segments);
  return path;
}

/** Checks a collection id. Throws INVALID_ARGUMENT. */
export function parseCollectionId(id: string): string {
  if (id.includes('/')) throw invalidArgument(`Collection id "${id}" is invalid.`);
  checkId(id, 'Collection');
  return id;
}

export const nameOf = (path: Path): string => [path.root, 'documents', ...path.segments].join('/');

/** Writes one segment. The bytes sort in the cloud's order of ids: `__id7__` by number, before all other ids. */
export function writeSegment(out: ByteWriter, id: string): void {
  if (id.startsWith('__id') && isNumericId(id)) {
    out.byte(1);
    out.int64(BigInt(NUMERIC_ID.exec(id)![1]!));
  } else {
    out.byte(2);
    out.text(id);
  }
}

const rootPrefixes = new Map<string, Buffer>();

/** The eight-byte prefix of a database's keys. */
function rootPrefix(root: string): Buffer {
  let prefix = rootPrefixes.get(root);
  if (!prefix) {
    prefix = createHash('sha256').update(root).digest().subarray(0, 8);
    rootPrefixes.set(root, prefix);
  }
  return prefix;
}

/** The prefix of the keys of all documents below a path. */
export function pathPrefix({ root, segments }: Path): Buffer {
  const out = new ByteWriter();
  out.raw(rootPrefix(root));
  for (const segment of segments) writeSegment(out, segment);
  return out.take();
}

/**
 * The key of a document. Keys sort in the order of names; a document sorts directly before its descendants. Throws
 * INVALID_ARGUMENT for a path that is too long.
 */
export function documentKey(path: Path): Buffer {
  const prefix = pathPrefix(path);
  if (prefix.length >= MAX_KEY_BYTES)
    throw invalidArgument(`The name of a document is too long (${prefix.length} bytes).`);
  return Buffer.concat([prefix, Buffer.of(0)]);
}

/** The end of the segment that begins at `offset` of a key, or -1 when the key or its path ends at `offset`. */
export function segmentEnd(key: Buffer, offset: number): number {
  if (offset >= key.length || key[offset] === 0) return -1;
  if (key[offset] === 1) return offset + 9;
  for (let zero = key.indexOf(0, offset + 1); zero >= 0; zero = key.indexOf(0, zero + 2)) {
    if (key[zero + 1] === 1) return zero + 2;
  }
  return -1;
}

/** The ids in a key, from `offset` to the end. */
export function readSegments(key: Buffer, offset: number): string[] {
  const segments: string[] = [];
  for (let start = offset, end = segmentEnd(key, start); end >= 0; start = end, end = segmentEnd(key, start)) {
    if (key[start] === 1) {
      segments.push(`__id${BigInt.asIntN(64, key.readBigUInt64BE(start + 1) - (1n << 63n))}__`);
    } else {
      const text = key.subarray(start + 1, end - 2);
      segments.push(text.includes(0) ? unescaped(text) : text.toString());
    }
  }
  return segments;
}

function unescaped(text: Buffer): string {
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    bytes.push(text[i]!);
    if (text[i] === 0) i++;
  }
  return Buffer.from(bytes).toString();
}
