import { DOCUMENTS, type RawFirestore, ROOT } from '../../support/raw-firestore';

export type Value = Record<string, unknown>;
export const integer = (value: number): Value => ({ integerValue: String(value) });
export const double = (value: number): Value => ({ doubleValue: value });
export const text = (value: string): Value => ({ stringValue: value });
export const array = (...values: Value[]): Value => ({ arrayValue: { values } });
export const map = (fields: Record<string, Value>): Value => ({ mapValue: { fields } });
export const nothing: Value = { nullValue: 'NULL_VALUE' };

export const put = (path: string, fields: object, extra: object = {}): [string, object] => [
  'Commit',
  { database: ROOT, writes: [{ update: { name: `${DOCUMENTS}/${path}`, fields }, ...extra }] },
];
export const transform = (...fieldTransforms: object[]): [string, object] => [
  'Commit',
  { database: ROOT, writes: [{ transform: { document: `${DOCUMENTS}/writes/x`, fieldTransforms } }] },
];
export const remove = (currentDocument: object): [string, object] => [
  'Commit',
  { database: ROOT, writes: [{ delete: `${DOCUMENTS}/writes/missing`, currentDocument }] },
];
const ofValues = { from: [{ collectionId: 'values' }] };
export const query = (structuredQuery: object): [string, object] => [
  'RunQuery',
  { parent: DOCUMENTS, structuredQuery: { ...ofValues, ...structuredQuery } },
];
export const aggregate = (...aggregations: object[]): [string, object] => [
  'RunAggregationQuery',
  { parent: DOCUMENTS, structuredAggregationQuery: { structuredQuery: ofValues, aggregations } },
];
export const field = (fieldPath: string) => ({ field: { fieldPath } });
export const where = (op: string, value: Value, path = 'v') => ({ fieldFilter: { ...field(path), op, value } });
export const unary = (op: string) => ({ unaryFilter: { ...field('v'), op } });
export const both = (op: string, ...filters: object[]) => ({ compositeFilter: { op, filters } });
export const orderBy = (...paths: string[]) => ({
  orderBy: paths.map((path) => ({ ...field(path), direction: 'ASCENDING' })),
});

/** Values of every type in their order. The integer and the double with the same value are equal. */
export const values: Value[] = [
  ...[nothing, { booleanValue: false }, { booleanValue: true }],
  ...[double(NaN), double(-Infinity), integer(-1), integer(0), double(0.5), integer(1), double(1), double(Infinity)],
  ...[{ timestampValue: { seconds: '1', nanos: 5000 } }, text(''), text('a'), { bytesValue: Buffer.from('a') }],
  ...[{ referenceValue: `${DOCUMENTS}/values/d00` }, { geoPointValue: { latitude: 1, longitude: 2 } }],
  ...[array(), array(integer(1)), array(double(NaN), nothing)],
  map({ __type__: text('__vector__'), value: array(double(1), double(2)) }),
  ...[map({}), map({ a: nothing }), map({ a: double(NaN) }), map({ a: integer(1) })],
];
const idOf = (i: number) => `d${String(i).padStart(2, '0')}`;
export const fill = async (server: RawFirestore) => {
  for (const [i, v] of values.entries()) await server.call(...put(`values/${idOf(i)}`, { v, k: integer(i % 5) }));
  await server.call(...put('values/without', { k: integer(1) }));
};

const path = `"a b". Unquoted property paths must match regex ([a-zA-Z_][a-zA-Z_0-9]*), and quoted property paths must match`;
const timeOf = (seconds: string) => ({ timestampValue: { seconds, nanos: 0 } });
const [LATE, EARLY] = [timeOf('253402300800'), timeOf('-62135596801')];
const geo = (latitude: number, longitude: number) => put('writes/x', { v: { geoPointValue: { latitude, longitude } } });
const count = { alias: 'a', count: {} };
const notIn = where('NOT_IN', array(integer(1)));
const notInAlone = "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'.";

/** Requests that fail, with the messages of Google's emulator. */
export const refused: [string, [string, object], string][] = [
  ['a reserved id', put('ids/_____', {}), 'Resource id "_____" is invalid because it is reserved.'],
  ['a reserved collection', put('__id7__/x', {}), 'Collection id "__id7__" is invalid because it is reserved.'],
  ['an id of 20 digits', put('ids/__id99999999999999999999__', {}), 'because it is not a 64 bit integer.'],
  ['a reserved field', put('writes/x', { _____: nothing }), 'field name _____ is reserved'],
  [
    'a reserved field of a mask',
    put('writes/x', {}, { updateMask: { fieldPaths: ['__a__'] } }),
    'Invalid reserved name in field path __a__',
  ],
  ['a filter on a reserved name', query({ where: where('EQUAL', nothing, '__a__') }), 'Invalid reserved name in field'],
  ['an order by a reserved field', query(orderBy('__a__')), 'Invalid reserved name in field path __a__'],
  ['a field path with a space', query(orderBy('a b')), `Invalid property path ${path}`],
  ['a late timestamp', put('writes/x', { v: LATE }), 'Timestamp seconds exceeds limit for field.'],
  ['an early timestamp', put('writes/x', { v: EARLY }), 'Timestamp seconds exceeds limit for field.'],
  ['a latitude of 91', geo(91, 0), "Geo point latitude '91.0' outside permitted range -90.0 to 90.0."],
  ['a longitude of NaN', geo(0, NaN), "Geo point longitude 'NaN' outside permitted range -180.0 to 180.0."],
  ['a reference to nothing', put('writes/x', { v: { referenceValue: `${DOCUMENTS}/a` } }), 'lacks "/" at index 51.'],
  ['a transform without fields', transform(), 'The list of FieldTransform must not be empty.'],
  [
    'an unspecified server value',
    transform({ fieldPath: 'a', setToServerValue: 'SERVER_VALUE_UNSPECIFIED' }),
    'ServerValue type must be specified for set_to_server_value transformation.',
  ],
  ['an increment by a text', transform({ fieldPath: 'a', increment: text('1') }), 'Input must be int64 or double.'],
  [
    'transforms of a field and of its part',
    transform({ fieldPath: 'a', increment: integer(1) }, { fieldPath: 'a.b', increment: integer(1) }),
    'Cannot transform property a and its nested property at the same time.',
  ],
  ['a disjunction of nothing', query({ where: both('OR') }), 'Composite filter must have at least one sub-filter.'],
  ['NOT_IN beside IN', query({ where: both('AND', notIn, where('IN', array(integer(1)), 'k')) }), notInAlone],
  [
    'NOT_IN beside OR',
    query({ where: both('AND', notIn, both('OR', where('EQUAL', text('a'), 'k'), where('EQUAL', text('b'), 'k'))) }),
    notInAlone,
  ],
  [
    'two negations',
    query({ where: both('OR', unary('IS_NOT_NULL'), where('NOT_EQUAL', integer(1))) }),
    "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.",
  ],
  ['an order after names', query(orderBy('__name__', 'v')), 'order by clause cannot contain more fields after the key'],
  ['a cursor without an order', query({ startAt: { values: [integer(1)] } }), 'Cursor has too many values.'],
  ['no aggregation', aggregate(), 'Aggregations can not be empty.'],
  ['an aggregation without an operator', aggregate({ alias: 'a' }), 'Operator field in Aggregation is not set.'],
  ['two aggregations of one name', aggregate(count, count), 'Aggregation aliases contain duplicate alias: a.'],
  ['an aggregation with a reserved name', aggregate({ alias: '__a__', count: {} }), '"__a__" is reserved.'],
  ['a sum of names', aggregate({ alias: 'a', sum: field('__name__') }), 'not supported for the property: __key__'],
  [
    'a count up to a negative number',
    aggregate({ alias: 'a', count: { upTo: { value: '-1' } } }),
    'The `up_to` value in a COUNT aggregation must be greater than or equal to zero.',
  ],
  ['a negative page', ['ListDocuments', { parent: DOCUMENTS, collectionId: 'v', pageSize: -1 }], 'Page size must be'],
];
