import { invalidArgument } from './errors';
import { isReserved, nameOf, parseReference, type Path } from './names';
import { kindOf } from './values';
import type { Fields, Value } from './wire';

const MAX_DOCUMENT_BYTES = 1_048_576;
const MAX_DEPTH = 20;
/** The first and the last second of the years 1 to 9999. */
const MIN_SECONDS = -62_135_596_800;
const MAX_SECONDS = 253_402_300_799;
/** The cloud's limit for a request. */
export const MAX_REQUEST_BYTES = 10 * 2 ** 20;

const textSize = (text: string) => Buffer.byteLength(text) + 1;
const nameSize = (segments: string[]) => segments.reduce((size, segment) => size + textSize(segment), 16);

/**
 * Checks the fields of a document and returns them in stored form, with times cut to microseconds. Throws
 * INVALID_ARGUMENT for reserved names, arrays in arrays, depth above 20 and documents above 1 MiB. The size is computed
 * as in the cloud.
 */
export function checkDocument(path: Path, fields: Fields): Fields {
  const checked = checkFields(fields, 1);
  const size = nameSize(path.segments) + checked.size + 32;
  if (size > MAX_DOCUMENT_BYTES) {
    throw invalidArgument(
      `Document '${nameOf(path)}' cannot be written because its size (${size.toLocaleString('en-US')} bytes) exceeds ` +
        `the maximum allowed size of ${MAX_DOCUMENT_BYTES.toLocaleString('en-US')} bytes.`,
    );
  }
  return checked.fields;
}

function checkFields(fields: Fields, depth: number): { fields: Fields; size: number } {
  if (depth > MAX_DEPTH + 1) throw invalidArgument(`A document cannot be nested deeper than ${MAX_DEPTH} levels.`);
  const checked: Fields = {};
  let size = 0;
  for (const name of Object.keys(fields)) {
    const isVector = name === '__type__' && fields[name]!.stringValue === '__vector__';
    if (name === '') throw invalidArgument('A field name is empty.');
    if (isReserved(name) && !isVector) throw invalidArgument(`field name ${name} is reserved`);
    const length = textSize(name);
    if (length > 1501) throw invalidArgument('A field name is longer than 1500 bytes.');
    const value = checkValue(fields[name]!, depth);
    checked[name] = value.value;
    size += length + value.size;
  }
  return { fields: checked, size };
}

function checkValue(value: Value, depth: number): { value: Value; size: number } {
  const kind = kindOf(value);
  switch (kind) {
    case 'nullValue':
    case 'booleanValue':
      return { value, size: 1 };
    case 'integerValue':
    case 'doubleValue':
      return { value, size: 8 };
    case 'timestampValue': {
      const { seconds = '0', nanos = 0 } = value.timestampValue!;
      if (Number(seconds) < MIN_SECONDS || Number(seconds) > MAX_SECONDS) {
        throw invalidArgument('Timestamp seconds exceeds limit for field.');
      }
      if (nanos < 0 || nanos > 999_999_999) throw invalidArgument('Timestamp nanos exceeds limit for field.');
      return { value: { timestampValue: { seconds, nanos: nanos - (nanos % 1000) } }, size: 8 };
    }
    case 'stringValue':
      return { value, size: textSize(value.stringValue!) };
    case 'bytesValue':
      return { value, size: value.bytesValue!.length };
    case 'referenceValue':
      return { value, size: nameSize(parseReference(value.referenceValue!).segments) };
    case 'geoPointValue':
      checkDegrees('latitude', value.geoPointValue!.latitude ?? 0, 90);
      checkDegrees('longitude', value.geoPointValue!.longitude ?? 0, 180);
      return { value, size: 16 };
    case 'arrayValue':
      return checkArray(value.arrayValue!.values ?? [], depth);
    case 'mapValue': {
      const { fields, size } = checkFields(value.mapValue!.fields ?? {}, depth + 1);
      return { value: { mapValue: { fields } }, size: size + 32 };
    }
  }
}

function checkDegrees(kind: string, degrees: number, limit: number): void {
  if (Math.abs(degrees) <= limit) return;
  const range = `permitted range -${limit}.0 to ${limit}.0`;
  throw invalidArgument(
    `Geo point ${kind} '${Number.isInteger(degrees) ? `${degrees}.0` : degrees}' outside ${range}.`,
  );
}

function checkArray(values: Value[], depth: number): { value: Value; size: number } {
  let size = 0;
  const checked = values.map((element) => {
    if (element.arrayValue) throw invalidArgument('Cannot convert an array value in an array value.');
    const each = checkValue(element, depth);
    size += each.size;
    return each.value;
  });
  return { value: { arrayValue: { values: checked } }, size };
}
