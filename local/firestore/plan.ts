import { type Bound, ByteWriter, compareBounds, inverted, invertedBound } from './bytes';
import { failedPrecondition } from './errors';
import { groupIndex, type Index, indexPrefix, type IndexSet, singleField } from './indexes';
import { documentKey, nameOf, pathPrefix, splitName } from './names';
import { type Cursor, type Filter, nameField, type Order, type Query } from './query';
import { encodeIndexed, encodeValue, INDEXED_VALUE_BYTES, typeRange } from './values';
import type { Value } from './wire';

/** A range of one index: the entries that begin with `prefix`, sorted by the bytes after it. */
export interface Leg {
  prefix: Buffer;
  /** Whether the document name at the end of each key is complemented. */
  nameInverted: boolean;
}

/** The source of the documents of one conjunction. */
export type Source =
  | { kind: 'lookup'; key: Buffer | undefined }
  /** The document table, in the order of names. `deep` includes the documents of subcollections. */
  | { kind: 'documents'; prefix: Buffer; deep: boolean; low: Bound; high: Bound; reverse: boolean }
  /** The documents that are in every leg, in the common order of the legs. */
  | { kind: 'index'; legs: Leg[]; keyPrefix: Buffer; low: Bound; high: Bound; reverse: boolean };

export interface ConjunctionPlan {
  source: Source;
  /** Whether every document of the source matches the filters. */
  exact: boolean;
  /** Whether the source is in the query's order and within the cursors. */
  ordered: boolean;
}

interface Context {
  query: Query;
  indexes: IndexSet;
  enforced: boolean;
  database: string;
}

const everything: { low: Bound; high: Bound } = {
  low: { prefix: Buffer.alloc(0), after: false },
  high: { prefix: Buffer.alloc(0), after: true },
};

/**
 * Plans the source of each conjunction of a query. With `enforced`, throws FAILED_PRECONDITION when the cloud would
 * have no index for it.
 */
export function planQuery(query: Query, indexes: IndexSet, enforced: boolean): ConjunctionPlan[] {
  const context = { query, indexes, enforced, database: query.parent.root };
  return query.disjuncts.map((filters) => planConjunction(context, filters));
}

function planConjunction(context: Context, filters: Filter[]): ConjunctionPlan {
  const { query } = context;
  const named = filters.find((filter) => filter.field === nameField && filter.op === '==');
  if (named) return { source: lookup(named), exact: false, ordered: true };

  const equal = equalities(filters);
  const fixed = new Map(equal.filter((each) => each.op === '==').map((filter) => [filter.field.path, filter]));
  // A field cannot be equal to two different values, so there are no results.
  if (filters.some((each) => each.op === '==' && !fixed.get(each.field.path)!.encoded.equals(each.encoded))) {
    return { source: { kind: 'lookup', key: undefined }, exact: true, ordered: true };
  }
  const orders = query.orders.filter((order) => !fixed.has(order.field.path));
  const sorted = withRequired(query, orders, fixed);
  const scanned = sorted.length === 1 && equal.length === 0 ? scanByName(context, filters, orders) : undefined;
  if (scanned) return scanned;

  for (const candidate of sortings(query, sorted)) {
    const chosen = chooseLegs(context, equal, candidate);
    if (!chosen) continue;
    for (const { index } of chosen) context.indexes.noteUse(index);
    return indexPlan(context, filters, chosen, candidate, true);
  }
  if (context.enforced) throw missingIndex(context, filters, sorted);
  return fallback(context, filters, equal);
}

/** The equality filters (`==` and `array-contains`), one for each field and operator. */
const equalities = (filters: Filter[]): Filter[] => [
  ...new Map(
    filters
      .filter((filter) => filter.op === '==' || filter.op === 'array-contains')
      .map((filter) => [`${filter.op} ${filter.field.path}`, filter]),
  ).values(),
];

function lookup(filter: Filter): Source {
  const path = splitName(filter.value.referenceValue!);
  return { kind: 'lookup', key: path.segments.length % 2 ? undefined : documentKey(path) };
}

/** The orders, plus the aggregated fields: the index must contain these too. */
function withRequired(query: Query, orders: Order[], fixed: Map<string, Filter>): Order[] {
  const has = (path: string) => fixed.has(path) || orders.some((order) => order.field.path === path);
  const extra = query.required.filter((field) => !has(field.path));
  const descending = orders.at(-1)!.descending;
  return [...orders.slice(0, -1), ...extra.map((field) => ({ field, descending })), orders.at(-1)!];
}

/** The index orders that can serve a query. Both directions can serve an aggregation without cursors and limit. */
function sortings(query: Query, sorted: Order[]): Order[][] {
  if (query.required.length === 0 || query.start || query.end || query.limit !== Infinity) return [sorted];
  return [sorted, sorted.map((order) => ({ ...order, descending: !order.descending }))];
}

interface Match {
  index: Index;
  covered: Filter[];
  reverse: boolean;
}

/** Chooses few indexes that together cover every equality and all continue in the wanted order. */
function chooseLegs(context: Context, equal: Filter[], sorted: Order[]): Match[] | undefined {
  const matching = candidates(context, equal, sorted)
    .map((index) => matchIndex(index, equal, sorted, !context.enforced))
    .filter((match) => match !== undefined)
    .sort((a, b) => b.covered.length - a.covered.length);
  for (const reverse of [false, true]) {
    const usable = matching.filter((match) => match.reverse === reverse);
    if (equal.length === 0 && usable[0]) return [usable[0]];
    const chosen: Match[] = [];
    const missing = new Set(equal);
    for (const match of usable) {
      if (!match.covered.some((filter) => missing.has(filter))) continue;
      chosen.push(match);
      for (const filter of match.covered) missing.delete(filter);
    }
    if (chosen.length && missing.size === 0) return chosen;
  }
  return undefined;
}

function candidates({ query, indexes }: Context, equal: Filter[], sorted: Order[]): Index[] {
  const { collectionId } = query;
  if (!collectionId) return [];
  const scope = query.group ? 'COLLECTION_GROUP' : 'COLLECTION';
  const found = [...indexes.compositesOf(collectionId, scope)];
  const modes = (names: string[]) => indexes.modesOf(collectionId, scope, names);
  if (sorted.length === 1) {
    for (const { field, op } of equal) {
      const contains = op === 'array-contains';
      const has = modes(field.names);
      if (contains ? has.has('CONTAINS') : has.has('ASCENDING') || has.has('DESCENDING')) {
        found.push(singleField(collectionId, scope, field, contains ? 'CONTAINS' : 'ASCENDING'));
      }
    }
  } else if (sorted.length === 2 && equal.length === 0) {
    const { field, descending } = sorted[0]!;
    if (modes(field.names).has(descending ? 'DESCENDING' : 'ASCENDING')) {
      found.push(singleField(collectionId, scope, field, 'ASCENDING'));
    }
  }
  return found;
}

/**
 * Whether an index begins with equalities and then continues exactly in the wanted order. A single-field index may be
 * read backwards, because the cloud stores both directions. A composite index may not, when the cloud's rules are
 * enforced.
 */
function matchIndex(index: Index, equal: Filter[], sorted: Order[], anyDirection: boolean): Match | undefined {
  const tail = sorted.slice(0, -1);
  const head = index.fields.length - tail.length;
  if (head < 0 || (head === 0 && equal.length > 0)) return undefined;
  const covered: Filter[] = [];
  for (const { field, mode } of index.fields.slice(0, head)) {
    const op = mode === 'CONTAINS' ? 'array-contains' : '==';
    const filter = equal.find((each) => each.field.path === field.path && each.op === op && !covered.includes(each));
    if (!filter) return undefined;
    covered.push(filter);
  }
  const reversible = anyDirection || index.fields.length === 1;
  for (const reverse of reversible ? [false, true] : [false]) {
    const continues = tail.every(({ field, descending }, i) => {
      const { field: indexed, mode } = index.fields[head + i]!;
      return indexed.path === field.path && mode === (descending === reverse ? 'ASCENDING' : 'DESCENDING');
    });
    if (continues && index.nameDescending === (sorted.at(-1)!.descending !== reverse)) {
      return { index, covered, reverse };
    }
  }
  return undefined;
}

function indexPlan(
  context: Context,
  filters: Filter[],
  chosen: Match[],
  sorted: Order[],
  ordered: boolean,
): ConjunctionPlan {
  const { query } = context;
  const prefix = collectionPrefix(query);
  const owner = query.group ? prefix.subarray(0, 8) : prefix;
  const legs = chosen.map(({ index, covered }) => ({
    prefix: indexPrefix(
      index,
      owner,
      covered.map((filter, i) => {
        const encoded = encodeIndexed(filter.value);
        return index.fields[i]!.mode === 'DESCENDING' ? inverted(encoded) : encoded;
      }),
    ),
    nameInverted: index.nameDescending,
  }));
  const first = sorted[0]!;
  const ranges = filters.filter((filter) => filter.field.path === first.field.path && rangeOperators.has(filter.op));
  const fixed = new Map(filters.filter((each) => each.op === '==').map((filter) => [filter.field.path, filter]));
  let { low, high } = everything;
  for (const filter of ranges) {
    const range = directed(rangeOf(context, filter), first.descending);
    low = later(low, range.low);
    high = earlier(high, range.high);
  }
  if (query.required.length) {
    // Aggregated fields come between the orders and the name, so a query with cursors or a limit must be sorted again.
    ordered &&= !query.start && !query.end && query.limit === Infinity;
  } else {
    if (query.start) low = later(low, cursorBound(context, query.start, fixed, true));
    if (query.end) high = earlier(high, cursorBound(context, query.end, fixed, false));
  }
  const { reverse } = chosen[0]!;
  const span = reverse ? { low: invertedBound(high), high: invertedBound(low) } : { low, high };
  const handled = new Set([...chosen.flatMap((match) => match.covered), ...ranges]);
  const withinGroup = query.group && query.parent.segments.length > 0;
  const exact =
    ordered && !withinGroup && filters.every((each) => handled.has(each) && each.encoded.length < INDEXED_VALUE_BYTES);
  const source: Source = { kind: 'index', legs, keyPrefix: owner, ...span, reverse };
  return { source, exact, ordered };
}

const rangeOperators = new Set(['<', '<=', '>', '>=']);

/** The range of ascending bytes that contains the values for which a comparison is true. */
function rangeOf(context: Context, filter: Filter): { low: Bound; high: Bound } {
  if (filter.field === nameField) {
    const at = nameBound(context, filter.value, filter.op === '>' || filter.op === '<=');
    return filter.op.startsWith('>') ? { ...everything, low: at } : { ...everything, high: at };
  }
  const encoded = encodeIndexed(filter.value);
  const [from, to] = typeRange(encoded);
  // The order of a cut value is not exact, so the range includes it and the filter decides.
  const cut = encoded.length >= INDEXED_VALUE_BYTES;
  const low = filter.op.startsWith('>')
    ? { prefix: encoded, after: filter.op === '>' && !cut }
    : { prefix: Buffer.of(from), after: false };
  const high = filter.op.startsWith('<')
    ? { prefix: encoded, after: filter.op === '<=' || cut }
    : { prefix: Buffer.of(to), after: false };
  return { low, high };
}

function directed(range: { low: Bound; high: Bound }, descending: boolean): { low: Bound; high: Bound } {
  return descending ? { low: invertedBound(range.high), high: invertedBound(range.low) } : range;
}

const later = (a: Bound, b: Bound): Bound => (compareBounds(a, b) >= 0 ? a : b);
const earlier = (a: Bound, b: Bound): Bound => (compareBounds(a, b) <= 0 ? a : b);

/** The common prefix of the keys of all documents that the query can return. */
function collectionPrefix({ parent, collectionId, group }: Query): Buffer {
  if (!collectionId) return pathPrefix(parent);
  return pathPrefix({ ...parent, segments: group ? [] : [...parent.segments, collectionId] });
}

/**
 * The position of a document name among those of the query. A name outside of the query's collections is before or
 * after all.
 */
function nameBound({ query, database }: Context, value: Value, after: boolean): Bound {
  const path = splitName(value.referenceValue ?? '');
  const key = Buffer.concat([pathPrefix({ ...path, root: database }), Buffer.of(0)]);
  const prefix = collectionPrefix(query);
  if (key.subarray(0, prefix.length).equals(prefix)) return { prefix: key.subarray(prefix.length), after };
  return { prefix: Buffer.alloc(0), after: Buffer.compare(key, prefix) > 0 };
}

/**
 * The position of a cursor among the index entries. An order on a field with an equality is compared with that value.
 */
function cursorBound(context: Context, cursor: Cursor, fixed: Map<string, Filter>, isStart: boolean): Bound {
  const out = new ByteWriter();
  for (const [i, value] of cursor.values.entries()) {
    const { field, descending } = context.query.orders[i]!;
    const filter = fixed.get(field.path);
    if (filter) {
      const order = Buffer.compare(filter.encoded, encodeValue(value)) * (descending ? -1 : 1);
      if (order !== 0) return { prefix: out.take(), after: order < 0 };
    } else if (field === nameField) {
      const bound = nameBound(context, value, false);
      if (bound.prefix.length === 0) return { prefix: out.take(), after: bound.after !== descending };
      out.raw(descending ? inverted(bound.prefix) : bound.prefix);
    } else {
      const encoded = encodeIndexed(value);
      out.raw(descending ? inverted(encoded) : encoded);
    }
  }
  if (cursor.values.length === 0) return isStart ? everything.low : everything.high;
  return { prefix: out.take(), after: !cursor.before };
}

/** Plans a query with filters on names only: a scan of the documents of its collection, group or subtree. */
function scanByName(context: Context, filters: Filter[], orders: Order[]): ConjunctionPlan {
  const { query } = context;
  const ranges = filters.filter((filter) => filter.field === nameField && rangeOperators.has(filter.op));
  const descending = orders[0]!.descending;
  if (context.enforced && descending && !hasDescendingNames(context)) throw missingIndex(context, filters, orders);
  let { low, high } = everything;
  for (const filter of ranges) {
    const range = directed(rangeOf(context, filter), descending);
    low = later(low, range.low);
    high = earlier(high, range.high);
  }
  if (query.start) low = later(low, cursorBound(context, query.start, new Map(), true));
  if (query.end) high = earlier(high, cursorBound(context, query.end, new Map(), false));
  const span = descending ? { low: invertedBound(high), high: invertedBound(low) } : { low, high };
  const withinGroup = query.collectionId && query.group && query.parent.segments.length > 0;
  const exact = filters.length === ranges.length && !withinGroup;
  const prefix = collectionPrefix(query);
  const source: Source =
    query.collectionId && query.group
      ? {
          kind: 'index',
          legs: [{ prefix: indexPrefix(groupIndex(query.collectionId), prefix, []), nameInverted: false }],
          keyPrefix: prefix,
          ...span,
          reverse: descending,
        }
      : { kind: 'documents', prefix, deep: query.group, ...span, reverse: descending };
  return { source, exact, ordered: true };
}

/** Plans a query without its index, when the cloud's rules are not enforced: the best index, then filter and sort. */
function fallback(context: Context, filters: Filter[], equal: Filter[]): ConjunctionPlan {
  const { query } = context;
  const byName: Order[] = [{ field: nameField, descending: false }];
  const bare: Context = { ...context, query: { ...query, orders: byName, required: [] } };
  delete bare.query.start;
  delete bare.query.end;
  const unsorted = (plan: ConjunctionPlan): ConjunctionPlan => ({ ...plan, exact: false, ordered: false });
  const fixed = equal.filter((filter) => chooseLegs(bare, [filter], byName));
  if (fixed.length) return unsorted(indexPlan(bare, filters, chooseLegs(bare, fixed, byName)!, byName, false));
  const first = query.orders[0]!;
  if (first.field !== nameField) {
    const order = [{ ...first, descending: false }, ...byName];
    const chosen = chooseLegs(bare, [], order);
    if (chosen) return unsorted(indexPlan(bare, filters, chosen, order, false));
  }
  return unsorted(scanByName(bare, filters, byName));
}

/**
 * Whether firestore.indexes.json has the index over names alone. The cloud does not read names backwards without it.
 */
function hasDescendingNames({ query, indexes }: Context): boolean {
  const scope = query.group ? 'COLLECTION_GROUP' : 'COLLECTION';
  const listed = query.collectionId ? indexes.compositesOf(query.collectionId, scope) : [];
  const found = listed.find(({ fields, nameDescending }) => fields.length === 0 && nameDescending);
  if (found) indexes.noteUse(found);
  return found !== undefined;
}

function missingIndex({ query, database }: Context, filters: Filter[], sorted: Order[]) {
  const scope = query.group ? 'COLLECTION_GROUP' : 'COLLECTION';
  const fields = [
    ...equalities(filters).map(({ field, op }) => `${field.path} ${op === '==' ? 'ASCENDING' : 'CONTAINS'}`),
    ...sorted
      .filter((order) => order.field !== nameField)
      .map(({ field, descending }) => `${field.path} ${descending ? 'DESCENDING' : 'ASCENDING'}`),
  ];
  if (fields.length === 0) fields.push('__name__ DESCENDING');
  const [, project, , databaseId] = database.split('/');
  const kind = fields.length > 1 ? 'indexes' : 'indexes/single-field';
  const create = Buffer.from(JSON.stringify({ collection: query.collectionId, scope, fields })).toString('base64url');
  return failedPrecondition(
    `The query requires an index. You can create it here: https://console.firebase.google.com/v1/r/project/${project}` +
      `/firestore/databases/${databaseId}/${kind}?create=${create} (to firestore.indexes.json add: collection ` +
      `${query.collectionId ?? nameOf(query.parent)}, query scope ${scope}, fields ${fields.join(', ')})`,
  );
}
