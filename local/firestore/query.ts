import { type Bound, inverted } from './bytes';
import { invalidArgument, unimplemented } from './errors';
import { checkUnreserved, formatFieldPath, getField, parseFieldPath } from './field-path';
import { parseCollectionId, parseParent, parseReference, pathPrefix, type Path } from './names';
import { encodeIndexed, encodeValue, typeRange } from './values';
import type { CursorProto, Fields, FilterProto, StructuredQuery, Value } from './wire';

export type Operator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'not-in' | 'array-contains';

/** One comparison. `in`, `array-contains-any` and the unary filters are rewritten as comparisons. */
export interface Filter {
  field: Field;
  op: Operator;
  value: Value;
  encoded: Buffer;
}

/** A field of documents, or `__name__`: the document's name. */
export interface Field {
  path: string;
  names: string[];
}

export interface Order {
  field: Field;
  descending: boolean;
}

export interface Cursor {
  values: Value[];
  /** Whether the position is before (true) or after (false) the documents that match the values. */
  before: boolean;
}

/** A parsed query. Every implicit order is explicit in `orders`, which always ends with `__name__`. */
export interface Query {
  parent: Path;
  parentPrefix: Buffer;
  /** Absent for a query over every collection below the parent. */
  collectionId?: string;
  /** Whether the query includes collections at any depth below the parent. */
  group: boolean;
  /** The filters in disjunctive normal form. */
  disjuncts: Filter[][];
  orders: Order[];
  /** Fields that must exist, besides those of filters and orders: the fields of an aggregation. */
  required: Field[];
  start?: Cursor;
  end?: Cursor;
  offset: number;
  limit: number;
  /** The projection. Absent for whole documents. */
  select?: string[][];
}

export const nameField: Field = { path: '__name__', names: ['__name__'] };
const MAX_DISJUNCTIONS = 30;
const nullValue: Value = { nullValue: 'NULL_VALUE' };
const isInequality = (op: Operator) => op !== '==' && op !== 'array-contains';

export function parseField(fieldPath: string | undefined): Field {
  const names = parseFieldPath(fieldPath);
  if (names.length > 1 || names[0] !== '__name__') checkUnreserved(names);
  return names.length === 1 && names[0] === '__name__' ? nameField : { path: formatFieldPath(names), names };
}

/** Parses a query of the protocol. Throws INVALID_ARGUMENT where the cloud does. */
export function parseQuery(parentName: string | undefined, proto: StructuredQuery | undefined): Query {
  const query = proto ?? {};
  const parent = parseParent(parentName);
  if (query.findNearest) throw unimplemented('Vector search is not available here.');
  const from = query.from ?? [];
  if (from.length !== 1) throw invalidArgument('A query must select from exactly one collection.');
  const group = from[0]!.allDescendants ?? false;
  const collectionId = from[0]!.collectionId || undefined;
  if (collectionId) parseCollectionId(collectionId);
  else if (!group) throw invalidArgument('A query without a collection must select all descendants.');
  if ((query.offset ?? 0) < 0) throw invalidArgument('The offset of a query must not be negative.');
  const limit = query.limit ? (query.limit.value ?? 0) : Infinity;
  if (limit < 0) throw invalidArgument('The limit of a query must not be negative.');
  if (query.where) checkNegations(query.where);
  const disjuncts = query.where ? distribute(query.where) : [[]];
  if (disjuncts.length > MAX_DISJUNCTIONS) {
    throw invalidArgument(`A query may have at most ${MAX_DISJUNCTIONS} disjunctions in disjunctive normal form.`);
  }
  for (const filters of disjuncts) checkConjunction(filters);
  const orders = completeOrders(query, disjuncts);
  const selected = query.select?.fields?.map((field) => parseField(field.fieldPath).names);
  return {
    parent,
    parentPrefix: pathPrefix(parent),
    ...(collectionId ? { collectionId } : {}),
    group,
    disjuncts: disjuncts.filter((filters) => !filters.some(neverMatches)),
    orders,
    required: [],
    ...(query.startAt ? { start: parseCursor(query.startAt, orders, query.orderBy?.length ?? 0) } : {}),
    ...(query.endAt ? { end: parseCursor(query.endAt, orders, query.orderBy?.length ?? 0) } : {}),
    offset: query.offset ?? 0,
    limit,
    ...(query.select ? { select: (selected ?? []).filter((names) => names[0] !== '__name__') } : {}),
  };
}

function parseCursor(cursor: CursorProto, orders: Order[], givenOrders: number): Cursor {
  const values = cursor.values ?? [];
  if (values.length > givenOrders) throw invalidArgument('Cursor has too many values.');
  const name = values[orders.findIndex(({ field }) => field === nameField)];
  if (name) {
    if (name.referenceValue === undefined) throw invalidArgument('Cursor __key__ value is not a document reference.');
    parseReference(name.referenceValue);
  }
  return { values, before: cursor.before ?? false };
}

function makeFilter(field: Field, op: Operator, value: Value): Filter {
  if (field === nameField) {
    if (op === 'array-contains') throw invalidArgument('the name __key__ is reserved');
    for (const each of op === 'not-in' ? (value.arrayValue?.values ?? []) : [value]) {
      if (each.referenceValue === undefined) throw invalidArgument('__key__ filter value must be a Key');
      parseReference(each.referenceValue);
    }
  }
  return { field, op, value, encoded: encodeValue(value) };
}

/** The filter in disjunctive normal form. */
function distribute(proto: FilterProto): Filter[][] {
  if (proto.compositeFilter) {
    const { op, filters = [] } = proto.compositeFilter;
    const parts = filters.map(distribute);
    if (op === 'OR' && parts.length === 0) throw invalidArgument('Composite filter must have at least one sub-filter.');
    if (op === 'OR') return parts.flat();
    if (op !== 'AND') throw invalidArgument('Unsupported CompositeFilter operator.');
    return parts.reduce<Filter[][]>(
      (all, part) => {
        if (all.length * part.length > 1000) throw invalidArgument('A query has too many disjunctions.');
        return all.flatMap((left) => part.map((right) => [...left, ...right]));
      },
      [[]],
    );
  }
  if (proto.unaryFilter) return [[unary(parseField(proto.unaryFilter.field?.fieldPath), proto.unaryFilter.op)]];
  if (!proto.fieldFilter?.value) throw invalidArgument('A filter has no value.');
  const { op, value } = proto.fieldFilter;
  const field = parseField(proto.fieldFilter.field?.fieldPath);
  const simple = simpleOperators[op ?? ''];
  if (simple) return [[comparison(field, simple, value)]];
  const values = value.arrayValue?.values;
  if (!values || values.length === 0) throw invalidArgument(`'${op ?? ''}' requires an non-empty ArrayValue.`);
  const maxValues = op === 'NOT_IN' ? 10 : MAX_DISJUNCTIONS;
  if (values.length > maxValues) throw invalidArgument(`'${op ?? ''}' supports up to ${maxValues} comparison values.`);
  if (op === 'NOT_IN') {
    // NaN is equal to no value, so it excludes nothing.
    const excluded = values.filter((each) => !isNaNValue(each));
    return [[makeFilter(field, 'not-in', { arrayValue: { values: excluded } })]];
  }
  if (op !== 'IN' && op !== 'ARRAY_CONTAINS_ANY') throw invalidArgument(`Unknown operator ${op ?? ''}.`);
  return values.map((each) => [{ ...makeFilter(field, op === 'IN' ? '==' : 'array-contains', each), anyOf: true }]);
}

const isNaNValue = (value: Value) => Number.isNaN(value.doubleValue);

/** A comparison with a value. NaN is not equal to any value; only the unary filters find null and NaN. */
function comparison(field: Field, op: Operator, value: Value): Filter & { isComparison?: true } {
  if (op === '!=' && isNaNValue(value)) return makeFilter(field, op, nullValue);
  return { ...makeFilter(field, op, value), isComparison: true };
}

const negations = new Set(['NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', 'IS_NOT_NULL']);

/** Throws INVALID_ARGUMENT when a query has two negations, or NOT_IN and a disjunction. */
function checkNegations(where: FilterProto): void {
  const flat = ({ compositeFilter, fieldFilter, unaryFilter }: FilterProto): string[] => [
    compositeFilter?.op ?? fieldFilter?.op ?? unaryFilter?.op ?? '',
    ...(compositeFilter?.filters ?? []).flatMap(flat),
  ];
  const operators = flat(where);
  if (operators.filter((op) => negations.has(op)).length > 1) {
    throw invalidArgument(
      "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.",
    );
  }
  if (operators.includes('NOT_IN') && operators.some((op) => ['IN', 'ARRAY_CONTAINS_ANY', 'OR'].includes(op))) {
    throw invalidArgument("'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'.");
  }
}

const simpleOperators: Record<string, Operator> = {
  EQUAL: '==',
  NOT_EQUAL: '!=',
  LESS_THAN: '<',
  LESS_THAN_OR_EQUAL: '<=',
  GREATER_THAN: '>',
  GREATER_THAN_OR_EQUAL: '>=',
  ARRAY_CONTAINS: 'array-contains',
};

function unary(field: Field, op: string | undefined): Filter {
  const nan: Value = { doubleValue: NaN };
  if (op === 'IS_NULL') return makeFilter(field, '==', nullValue);
  if (op === 'IS_NAN') return makeFilter(field, '==', nan);
  if (op === 'IS_NOT_NULL') return makeFilter(field, '!=', nullValue);
  if (op === 'IS_NOT_NAN') return makeFilter(field, '!=', nan);
  throw invalidArgument(`Unknown operator ${op ?? ''}.`);
}

/** Whether a filter compares with null or NaN, which never matches. */
function neverMatches(filter: Filter & { anyOf?: boolean; isComparison?: boolean }): boolean {
  const isAbsent = (value: Value) => value.nullValue !== undefined || isNaNValue(value);
  if (filter.op === 'not-in') return (filter.value.arrayValue?.values ?? []).some((v) => v.nullValue !== undefined);
  return Boolean(filter.anyOf ?? filter.isComparison) && isAbsent(filter.value);
}

function checkConjunction(filters: Filter[]): void {
  if (filters.filter((filter) => filter.op === 'array-contains').length > 1) {
    throw invalidArgument("A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction.");
  }
}

function completeOrders(query: StructuredQuery, disjuncts: Filter[][]): Order[] {
  const orders: Order[] = [];
  const has = (path: string) => orders.some((order) => order.field.path === path);
  for (const order of query.orderBy ?? []) {
    const field = parseField(order.field?.fieldPath);
    if (has(field.path)) throw invalidArgument('order by clause cannot contain duplicate fields.');
    orders.push({ field, descending: order.direction === 'DESCENDING' });
    if (field === nameField && order !== query.orderBy!.at(-1)) {
      throw invalidArgument('order by clause cannot contain more fields after the key');
    }
  }
  const descending = orders.at(-1)?.descending ?? false;
  if (has(nameField.path)) return orders;
  const inequalities = disjuncts.flat().filter((filter) => isInequality(filter.op) && filter.field !== nameField);
  const byPath = new Map(inequalities.map((filter) => [filter.field.path, filter.field]));
  const implicit = [...byPath.values()].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  for (const field of implicit) if (!has(field.path)) orders.push({ field, descending });
  return [...orders, { field: nameField, descending }];
}

export const valueOf = (document: { name: string; fields: Fields }, field: Field): Value | undefined =>
  field === nameField ? { referenceValue: document.name } : getField(document.fields, field.names);

/** Whether a value satisfies one comparison. Values of different types never match. */
export function satisfies(value: Value | undefined, filter: Filter): boolean {
  if (!value) return false;
  if (filter.op === 'array-contains') {
    return (value.arrayValue?.values ?? []).some((element) => encodeValue(element).equals(filter.encoded));
  }
  const isNull = value.nullValue !== undefined;
  if (filter.op === 'not-in') {
    const encoded = encodeValue(value);
    return !isNull && !(filter.value.arrayValue?.values ?? []).some((other) => encodeValue(other).equals(encoded));
  }
  if (filter.op === '!=') return !isNull && !encodeValue(value).equals(filter.encoded);
  const encoded = encodeValue(value);
  const [low, high] = typeRange(filter.encoded);
  if (encoded[0]! < low || encoded[0]! >= high) return false;
  const order = Buffer.compare(encoded, filter.encoded);
  if (filter.op === '==') return order === 0;
  if (filter.op === '<') return order < 0;
  if (filter.op === '<=') return order <= 0;
  return filter.op === '>' ? order > 0 : order >= 0;
}

/** Whether a document is in one of the query's collections. */
export function isWithin(query: Query, key: Buffer, segments: string[]): boolean {
  const depth = query.parent.segments.length;
  if (query.collectionId && segments.at(-2) !== query.collectionId) return false;
  if (query.group ? segments.length <= depth : segments.length !== depth + 2) return false;
  return key.subarray(0, query.parentPrefix.length).equals(query.parentPrefix);
}

/** Whether a document of the query's collections matches the filters and has every field of the orders. */
export function matches(query: Query, document: { name: string; fields: Fields }): boolean {
  const exists = (field: Field) => valueOf(document, field) !== undefined;
  if (!query.orders.every((order) => exists(order.field)) || !query.required.every(exists)) return false;
  return query.disjuncts.some((filters) =>
    filters.every((filter) => satisfies(valueOf(document, filter.field), filter)),
  );
}

/** The sort key of a document in the query's results, with the direction of each order. */
export function sortKey(query: Query, document: { name: string; fields: Fields }): Buffer {
  return sortBytes(
    query.orders,
    query.orders.map(({ field }) => valueOf(document, field)!),
  );
}

/** The positions of the query's cursors among sort keys. */
export function cursorRange({ orders, start, end }: Query): { low?: Bound; high?: Bound } {
  const bound = (cursor: Cursor) => ({ prefix: sortBytes(orders, cursor.values), after: !cursor.before });
  return {
    ...(start?.values.length ? { low: bound(start) } : {}),
    ...(end?.values.length ? { high: bound(end) } : {}),
  };
}

const sortBytes = (orders: Order[], values: Value[]): Buffer =>
  Buffer.concat(
    values.map((value, i) => {
      const { field, descending } = orders[i]!;
      const encoded = field === nameField ? encodeValue(value) : encodeIndexed(value);
      return descending ? inverted(encoded) : encoded;
    }),
  );
