import fc from 'fast-check';
import { compare } from '@google-cloud/firestore/build/src/order';
import { encodeValue } from '../../../local/firestore/values';
import type { Value } from '../../../local/firestore/wire';

const segment = fc.constantFrom('a', 'b', 'B', 'é', 'aa', '__id1__', '__id10__', '__id2__', '\u{1F600}', '\uffee');
const name = fc
  .tuple(fc.constantFrom('p', 'q'), fc.array(segment, { minLength: 2, maxLength: 4 }))
  .map(([project, segments]) => `projects/${project}/databases/(default)/documents/${segments.join('/')}`);
const text = fc.oneof(
  fc.constantFrom('', 'a', 'A', 'aa', 'é', '\u{1F600}', '\uffee', 'a\u0000', 'a\u0000b', '\u0000', '\u0001'),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
// The library sorts keys by UTF-16 and compares them by UTF-8. For these keys both orders are equal.
const key = fc.constantFrom('', 'a', 'A', 'aa', 'é', 'a\u0000', '\uffee');
const integer = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.maxSafeInteger()).map(String);
const scalar: fc.Arbitrary<Value> = fc.oneof(
  fc.constant<Value>({ nullValue: 'NULL_VALUE' }),
  fc.boolean().map((booleanValue) => ({ booleanValue })),
  integer.map((integerValue) => ({ integerValue })),
  fc.double().map((doubleValue) => ({ doubleValue })),
  fc.tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: 0, max: 3 })).map(([seconds, nanos]) => ({
    timestampValue: { seconds, nanos: nanos * 1000 },
  })),
  text.map((stringValue) => ({ stringValue })),
  fc.uint8Array({ maxLength: 3 }).map((bytes) => ({ bytesValue: Buffer.from(bytes) })),
  name.map((referenceValue) => ({ referenceValue })),
  fc.tuple(fc.integer({ min: -1, max: 1 }), fc.integer({ min: -1, max: 1 })).map(([latitude, longitude]) => ({
    geoPointValue: { latitude, longitude },
  })),
);
const value = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }).map((values) => ({ arrayValue: { values } })),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }).map((fields) => ({ mapValue: { fields: { ...fields } } })),
    fc.array(fc.double({ noNaN: true }), { maxLength: 3 }).map((numbers) => ({
      mapValue: {
        fields: {
          __type__: { stringValue: '__vector__' },
          value: { arrayValue: { values: numbers.map((doubleValue) => ({ doubleValue })) } },
        },
      },
    })),
  ),
})).value;

const sign = (number: number) => Math.sign(number) || 0;

test("encoded values sort in the client library's order", () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(sign(Buffer.compare(encodeValue(a), encodeValue(b)))).toBe(sign(compare(a as never, b as never)));
    }),
    { numRuns: 4_000 },
  );
});

test('integers beyond the precision of a double sort exactly, also compared with doubles', () => {
  const numbers: Value[] = [
    { doubleValue: NaN },
    { doubleValue: -Infinity },
    { integerValue: '-9223372036854775808' },
    { integerValue: '-9223372036854775807' },
    { integerValue: '-9007199254740993' },
    { doubleValue: -9007199254740992 },
    { integerValue: '0' },
    { integerValue: '9007199254740991' },
    { doubleValue: 9007199254740992 },
    { integerValue: '9007199254740993' },
    { doubleValue: 9007199254740994 },
    { integerValue: '9223372036854775806' },
    { integerValue: '9223372036854775807' },
    { doubleValue: 2 ** 63 },
  ];
  const sorted = [...numbers].reverse().sort((a, b) => Buffer.compare(encodeValue(a), encodeValue(b)));
  expect(sorted).toEqual(numbers);
  expect(encodeValue({ integerValue: '3' })).toEqual(encodeValue({ doubleValue: 3 }));
  expect(encodeValue({ doubleValue: -0 })).toEqual(encodeValue({ integerValue: '0' }));
});
