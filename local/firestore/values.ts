import { ByteWriter } from './bytes';
import { invalidArgument } from './errors';
import { splitName, writeSegment } from './names';
import type { Fields, Value, ValueKind } from './wire';

/** An index contains only this many bytes of a value, as in the cloud. Longer values sort by these bytes. */
export const INDEXED_VALUE_BYTES = 1500;

export const kindOf = (value: Value): ValueKind => {
  for (const kind in value) return kind as ValueKind;
  throw invalidArgument('A value has no type.');
};

const vectorOf = (value: Value): Value[] | undefined =>
  value.mapValue?.fields?.__type__?.stringValue === '__vector__'
    ? (value.mapValue.fields.value?.arrayValue?.values ?? [])
    : undefined;

// The first byte of an encoded value is its type, in the cloud's order of types. 00 ends an array or a map.
const tag = {
  null: 0x10,
  boolean: 0x18,
  number: 0x20,
  timestamp: 0x30,
  string: 0x38,
  bytes: 0x40,
  reference: 0x48,
  geoPoint: 0x50,
  array: 0x58,
  vector: 0x60,
  map: 0x68,
  end: 0x70,
};
const tagStarts = Object.values(tag);

/**
 * The half-open range of first bytes for the type of an encoded value. Comparisons match values of this range only. NaN
 * is not in the range of other numbers: it is neither less nor greater than a number.
 */
export function typeRange(encoded: Buffer): [number, number] {
  const above = tagStarts.findIndex((start) => start > encoded[0]!);
  const isNumber = encoded[0]! > tag.number && encoded[0]! < tag.timestamp;
  return [isNumber ? tag.number + 1 : tagStarts[above - 1]!, tagStarts[above]!];
}

function writeNumber(out: ByteWriter, double: number, remainder: number): void {
  if (Number.isNaN(double)) return out.byte(tag.number);
  out.byte(tag.number + 1);
  out.double(double);
  // An integer beyond 2^53 is encoded as the nearest double and a remainder, so integers and doubles sort exactly.
  out.byte((remainder + 0x8000) >> 8);
  out.byte((remainder + 0x8000) & 0xff);
}

/** Writes a path. References sort by their segments. */
function writeReference(out: ByteWriter, name: string): void {
  const { root, segments } = splitName(name);
  out.text(root);
  for (const segment of segments) writeSegment(out, segment);
  out.byte(0);
}

function writeMap(out: ByteWriter, fields: Fields): void {
  const names = Object.keys(fields).map((name) => Buffer.from(name));
  for (const name of names.sort((a, b) => Buffer.compare(a, b))) {
    if (out.full) return;
    out.byte(tag.string);
    out.terminated(name);
    writeValue(out, fields[name.toString()]!);
  }
  out.byte(0);
}

function writeArray(out: ByteWriter, values: Value[]): void {
  for (const value of values) {
    if (out.full) return;
    writeValue(out, value);
  }
  out.byte(0);
}

function writeValue(out: ByteWriter, value: Value): void {
  const kind = kindOf(value);
  switch (kind) {
    case 'nullValue':
      return out.byte(tag.null);
    case 'booleanValue':
      return out.byte(tag.boolean + (value.booleanValue ? 1 : 0));
    case 'integerValue': {
      const double = Number(value.integerValue);
      const exact = Number.isSafeInteger(double);
      return writeNumber(out, double, exact ? 0 : Number(BigInt(value.integerValue!) - BigInt(double)));
    }
    case 'doubleValue':
      return writeNumber(out, value.doubleValue!, 0);
    case 'timestampValue':
      out.byte(tag.timestamp);
      out.int64(BigInt(value.timestampValue!.seconds ?? 0));
      return out.uint32(value.timestampValue!.nanos ?? 0);
    case 'stringValue':
      out.byte(tag.string);
      return out.text(value.stringValue!);
    case 'bytesValue':
      out.byte(tag.bytes);
      return out.terminated(value.bytesValue!);
    case 'referenceValue':
      out.byte(tag.reference);
      return writeReference(out, value.referenceValue!);
    case 'geoPointValue':
      out.byte(tag.geoPoint);
      out.double(value.geoPointValue!.latitude ?? 0);
      return out.double(value.geoPointValue!.longitude ?? 0);
    case 'arrayValue':
      out.byte(tag.array);
      return writeArray(out, value.arrayValue!.values ?? []);
    case 'mapValue': {
      const vector = vectorOf(value);
      out.byte(vector ? tag.vector : tag.map);
      if (!vector) return writeMap(out, value.mapValue!.fields ?? {});
      out.uint32(vector.length);
      return writeArray(out, vector);
    }
  }
}

/** One writer for all values: a document may have thousands. */
const writer = new ByteWriter();

function encode(value: Value, limit: number): Buffer {
  writer.reset(limit);
  writeValue(writer, value);
  return writer.take();
}

/** Encodes a value. The bytes sort in the cloud's order of values; equal values have equal bytes. */
export const encodeValue = (value: Value): Buffer => encode(value, Infinity);

/** Encodes a value for an index: encodeValue, cut to INDEXED_VALUE_BYTES. */
export const encodeIndexed = (value: Value): Buffer => encode(value, INDEXED_VALUE_BYTES);

export const isNumber = (value: Value | undefined): value is Value =>
  value?.integerValue !== undefined || value?.doubleValue !== undefined;

export const numberOf = (value: Value): number => value.doubleValue ?? Number(value.integerValue);
