import type { Reader, Writer } from 'protobufjs/minimal';

/** The fields of a document. */
export type Fields = Record<string, unknown>;

/** The tags of google.firestore.v1.Value: the number of the field and its wire type. */
const BOOLEAN = (1 << 3) | 0;
const INTEGER = (2 << 3) | 0;
const DOUBLE = (3 << 3) | 1;
const REFERENCE = (5 << 3) | 2;
const MAP = (6 << 3) | 2;
const GEO_POINT = (8 << 3) | 2;
const ARRAY = (9 << 3) | 2;
const TIMESTAMP = (10 << 3) | 2;
const NULL = (11 << 3) | 0;
const STRING = (17 << 3) | 2;
const BYTES = (18 << 3) | 2;

/** The tags of a message with a first field, a second field, or both, such as the entry of a map. */
const FIRST = (1 << 3) | 2;
const SECOND = (2 << 3) | 2;

/** Calls `read` for each field of the message that ends at `end`, with the tag of the field. */
export function eachField(reader: Reader, end: number, read: (tag: number) => void): void {
  while (reader.pos < end) read(reader.uint32());
}

/** The end of the message that begins with its length here. */
export const endOf = (reader: Reader): number => reader.uint32() + reader.pos;

/**
 * A value as the Admin SDK returns it, except that a time is a Date. Like `Timestamp.toDate`, the Date is the nearest
 * millisecond. A reference is its full name, and a point has two numbers.
 */
export function readValue(reader: Reader, end: number): unknown {
  let value: unknown = null;
  eachField(reader, end, (tag) => {
    if (tag === STRING || tag === REFERENCE) value = reader.string();
    else if (tag === INTEGER) value = readInteger(reader);
    else if (tag === BOOLEAN) value = reader.bool();
    else if (tag === DOUBLE) value = reader.double();
    else if (tag === TIMESTAMP) value = readTime(reader, endOf(reader));
    else if (tag === BYTES) value = Buffer.from(reader.bytes());
    else if (tag === MAP) value = readMap(reader, endOf(reader));
    else if (tag === ARRAY) value = readArray(reader, endOf(reader));
    else if (tag === GEO_POINT) value = readPoint(reader, endOf(reader));
    else reader.skipType(tag & 7);
  });
  return value;
}

/** Reads a whole number. protobufjs returns a Long where the package `long` is installed, whose text is slow. */
export function readInteger(reader: Reader): number {
  const value: unknown = reader.int64();
  return typeof value === 'number' ? value : (value as { toNumber: () => number }).toNumber();
}

function readTime(reader: Reader, end: number): Date {
  let [seconds, nanos] = [0, 0];
  eachField(reader, end, (tag) => {
    if (tag >>> 3 === 1) seconds = readInteger(reader);
    else nanos = reader.int32();
  });
  return new Date(seconds * 1000 + Math.round(nanos / 1e6));
}

function readPoint(reader: Reader, end: number): { latitude: number; longitude: number } {
  const point = { latitude: 0, longitude: 0 };
  eachField(reader, end, (tag) => (point[tag >>> 3 === 1 ? 'latitude' : 'longitude'] = reader.double()));
  return point;
}

function readArray(reader: Reader, end: number): unknown[] {
  const values: unknown[] = [];
  eachField(reader, end, () => values.push(readValue(reader, endOf(reader))));
  return values;
}

function readMap(reader: Reader, end: number): Fields {
  const fields: Fields = {};
  eachField(reader, end, () => readEntry(reader, endOf(reader), fields));
  return fields;
}

/** Adds one entry of a map. The database refuses names such as `__proto__`. */
export function readEntry(reader: Reader, end: number, fields: Fields): void {
  let name = '';
  let value: unknown = null;
  eachField(reader, end, (tag) => {
    if (tag === FIRST) name = reader.string();
    else value = readValue(reader, endOf(reader));
  });
  fields[name] = value;
}

/** Writes the entries of a map as field `tag`. Undefined values are left out, as the Admin SDK does here. */
export function writeEntries(writer: Writer, tag: number, fields: Fields): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    writer.uint32(tag).fork().uint32(FIRST).string(name).uint32(SECOND).fork();
    writeValue(writer, value);
    writer.ldelim().ldelim();
  }
}

/** Writes a value of a record: the types that the schemas have. */
export function writeValue(writer: Writer, value: unknown): void {
  if (value === null) writer.uint32(NULL).int32(0);
  else if (typeof value === 'string') writer.uint32(STRING).string(value);
  else if (typeof value === 'boolean') writer.uint32(BOOLEAN).bool(value);
  else if (typeof value === 'number') writeNumber(writer, value);
  else if (value instanceof Date) writeTime(writer, value);
  else if (value instanceof Uint8Array) writer.uint32(BYTES).bytes(value);
  else if (Array.isArray(value)) writeArray(writer, value);
  else writeMap(writer, value as Fields);
}

/** A whole number that is exact is an integer, and minus zero is not: as the Admin SDK has it. */
function writeNumber(writer: Writer, value: number): void {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) writer.uint32(INTEGER).int64(value);
  else writer.uint32(DOUBLE).double(value);
}

function writeTime(writer: Writer, time: Date): void {
  const seconds = Math.floor(time.getTime() / 1000);
  const nanos = (time.getTime() - seconds * 1000) * 1e6;
  writer.uint32(TIMESTAMP).fork().uint32(8).int64(seconds).uint32(16).int32(nanos).ldelim();
}

function writeArray(writer: Writer, values: readonly unknown[]): void {
  writer.uint32(ARRAY).fork();
  for (const value of values) {
    writer.uint32(FIRST).fork();
    writeValue(writer, value);
    writer.ldelim();
  }
  writer.ldelim();
}

function writeMap(writer: Writer, fields: Fields): void {
  writer.uint32(MAP).fork();
  writeEntries(writer, FIRST, fields);
  writer.ldelim();
}
