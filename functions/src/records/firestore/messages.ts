import { Reader, Writer } from 'protobufjs/minimal';
import { eachField, endOf, readEntry, readInteger, writeEntries, writeValue, type Fields } from './values';

/** The messages of the two calls, in the wire format of google.firestore.v1. */

const length = (field: number) => (field << 3) | 2;
const varint = (field: number) => field << 3;

/** The value of `set_to_server_value` for the time of the commit. */
const REQUEST_TIME = 1;

/** A document that was read: its full name, and its fields when it exists. */
export interface Found {
  name: string;
  fields: Fields | undefined;
  updatedAt?: UpdateTime;
}

/** When a document was last written. It is exact, which a Date is not. */
export interface UpdateTime {
  seconds: number;
  nanos: number;
}

/** BatchGetDocumentsRequest. `mask` names the fields to read; all of them without it. */
export function writeRead(database: string, names: readonly string[], mask?: readonly string[]): Buffer {
  const writer = Writer.create().uint32(length(1)).string(database);
  for (const name of names) writer.uint32(length(2)).string(name);
  if (mask) writeMask(writer, length(3), mask);
  return writer.finish() as Buffer;
}

/** BatchGetDocumentsResponse. Undefined for a message without a document. */
export function readFound(bytes: Buffer): Found | undefined {
  const reader = Reader.create(bytes);
  let found: Found | undefined;
  eachField(reader, bytes.length, (tag) => {
    if (tag === length(1)) found = readDocument(reader, endOf(reader));
    else if (tag === length(2)) found = { name: reader.string(), fields: undefined };
    else reader.skipType(tag & 7);
  });
  return found;
}

function readDocument(reader: Reader, end: number): Found {
  const fields: Fields = {};
  const updatedAt = { seconds: 0, nanos: 0 };
  let name = '';
  eachField(reader, end, (tag) => {
    if (tag === length(1)) name = reader.string();
    else if (tag === length(2)) readEntry(reader, endOf(reader), fields);
    else if (tag === length(4)) readUpdateTime(reader, endOf(reader), updatedAt);
    else reader.skipType(tag & 7);
  });
  return { name, fields, updatedAt };
}

function readUpdateTime(reader: Reader, end: number, time: UpdateTime): void {
  eachField(reader, end, (tag) => {
    if (tag >>> 3 === 1) time.seconds = readInteger(reader);
    else time.nanos = reader.int32();
  });
}

/** One write of a commit. */
export interface Write {
  /** The full name of the document. */
  name: string;
  /** The fields to write. Without them the document is deleted. */
  fields?: Fields | undefined;
  /** Keeps the fields that are not named, or replaces the whole document. */
  isMerge?: boolean;
  /** The numbers to add to fields. */
  increments?: Record<string, number> | undefined;
  /** The fields that get the time at which the database commits the write. */
  serverTimes?: readonly string[] | undefined;
  /** Whether the document must exist, or must not exist. */
  exists?: boolean | undefined;
  /** When the document must have been last written. It then exists. */
  updatedAt?: UpdateTime | undefined;
}

/** CommitRequest outside of a transaction. */
export function writeCommit(database: string, writes: readonly Write[]): Buffer {
  const writer = Writer.create().uint32(length(1)).string(database);
  for (const write of writes) {
    writer.uint32(length(2)).fork();
    writeWrite(writer, write);
    writer.ldelim();
  }
  return writer.finish() as Buffer;
}

function writeWrite(writer: Writer, write: Write): void {
  const { name, fields, isMerge, increments = {}, serverTimes = [], exists, updatedAt } = write;
  if (fields) {
    writer.uint32(length(1)).fork().uint32(length(1)).string(name);
    writeEntries(writer, length(2), fields);
    writer.ldelim();
    if (isMerge)
      writeMask(
        writer,
        length(3),
        Object.keys(fields).filter((field) => fields[field] !== undefined),
      );
    for (const [field, by] of Object.entries(increments)) {
      writer.uint32(length(7)).fork().uint32(length(1)).string(quoted(field)).uint32(length(3)).fork();
      writeValue(writer, by);
      writer.ldelim().ldelim();
    }
    for (const field of serverTimes)
      writer
        .uint32(length(7))
        .fork()
        .uint32(length(1))
        .string(quoted(field))
        .uint32(varint(2))
        .int32(REQUEST_TIME)
        .ldelim();
  } else writer.uint32(length(2)).string(name);
  if (updatedAt) {
    const { seconds, nanos } = updatedAt;
    writer.uint32(length(4)).fork().uint32(length(2)).fork();
    writer.uint32(varint(1)).int64(seconds).uint32(varint(2)).int32(nanos).ldelim().ldelim();
  } else if (exists !== undefined) writer.uint32(length(4)).fork().uint32(varint(1)).bool(exists).ldelim();
}

function writeMask(writer: Writer, tag: number, fields: readonly string[]): void {
  writer.uint32(tag).fork();
  for (const field of fields) writer.uint32(length(1)).string(quoted(field));
  writer.ldelim();
}

/** The path of a field at the top of a document. Names that are not simple are quoted. */
function quoted(field: string): string {
  return /^[A-Za-z_]\w*$/.test(field) ? field : `\`${field.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}
