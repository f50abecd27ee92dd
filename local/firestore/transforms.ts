import { invalidArgument } from './errors';
import { type Micros, toTimestamp } from './time';
import { encodeValue, isNumber, numberOf } from './values';
import type { FieldTransform, Value } from './wire';

const nullValue: Value = { nullValue: 'NULL_VALUE' };
const MAX_INTEGER = 2n ** 63n - 1n;
const MIN_INTEGER = -(2n ** 63n);

/** The new value of a field, and the transform's result for the response. */
export function applyTransform(
  transform: FieldTransform,
  current: Value | undefined,
  time: Micros,
): { value: Value; result: Value } {
  if (transform.setToServerValue) {
    // A server timestamp in a field has milliseconds, a commit time has microseconds.
    const value = { timestampValue: toTimestamp(Math.floor(time / 1000) * 1000) };
    return { value, result: value };
  }
  if (transform.appendMissingElements) {
    const elements = [...(current?.arrayValue?.values ?? [])];
    const known = new Set(elements.map(identity));
    for (const element of transform.appendMissingElements.values ?? []) {
      if (known.has(identity(element))) continue;
      known.add(identity(element));
      elements.push(element);
    }
    return { value: { arrayValue: { values: elements } }, result: nullValue };
  }
  if (transform.removeAllFromArray) {
    const removed = new Set((transform.removeAllFromArray.values ?? []).map(identity));
    const values = (current?.arrayValue?.values ?? []).filter((element) => !removed.has(identity(element)));
    return { value: { arrayValue: { values } }, result: nullValue };
  }
  const operand = transform.increment ?? transform.maximum ?? transform.minimum;
  if (!isNumber(operand)) throw invalidArgument('Input must be int64 or double.');
  const value = numeric(transform, isNumber(current) ? current : undefined, operand);
  return { value, result: value };
}

const identity = (value: Value): string => encodeValue(value).toString('latin1');

function numeric(transform: FieldTransform, current: Value | undefined, operand: Value): Value {
  if (transform.increment) return current ? sum(current, operand) : operand;
  if (!current) return operand;
  if (Number.isNaN(numberOf(current)) || Number.isNaN(numberOf(operand))) return { doubleValue: NaN };
  const order = Buffer.compare(encodeValue(operand), encodeValue(current));
  return (transform.maximum ? order > 0 : order < 0) ? operand : current;
}

/** Adds two values as the cloud does: integers stay integers and saturate at the limits of their range. */
export function sum(a: Value, b: Value): Value {
  if (a.integerValue === undefined || b.integerValue === undefined) return { doubleValue: numberOf(a) + numberOf(b) };
  const exact = BigInt(a.integerValue) + BigInt(b.integerValue);
  return { integerValue: String(exact > MAX_INTEGER ? MAX_INTEGER : exact < MIN_INTEGER ? MIN_INTEGER : exact) };
}
