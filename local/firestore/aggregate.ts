import { invalidArgument } from './errors';
import { isReserved } from './names';
import { planQuery } from './plan';
import { type Field, nameField, parseField, parseQuery, type Query, valueOf } from './query';
import { runQuery } from './scan';
import type { Reader, Store } from './store';
import { sum } from './transforms';
import { isNumber, numberOf } from './values';
import type { AggregationProto, StructuredQuery, Value } from './wire';

const MAX_AGGREGATIONS = 5;
const zero: Value = { integerValue: '0' };

interface Aggregation {
  alias: string;
  kind: 'count' | 'sum' | 'avg';
  /** Absent for counts. */
  field?: Field;
  /** The count stops at this number. */
  upTo: number;
}

/** A query and the aggregations to compute over its results. */
export interface AggregationQuery {
  query: Query;
  aggregations: Aggregation[];
}

export interface AggregationResult {
  values: Record<string, Value>;
  /** The number of documents (or index entries) that were read. */
  visited: number;
}

/** Parses an aggregation query of the protocol. Throws INVALID_ARGUMENT where the cloud does. */
export function parseAggregation(
  parent: string | undefined,
  proto: { structuredQuery?: StructuredQuery; aggregations?: AggregationProto[] } | undefined,
): AggregationQuery {
  const given = proto?.aggregations ?? [];
  if (given.length === 0) throw invalidArgument('Aggregations can not be empty.');
  if (given.length > MAX_AGGREGATIONS) {
    throw invalidArgument(
      `The maximum number of aggregations allowed in an aggregation query is ${MAX_AGGREGATIONS}. ` +
        `Received: ${given.length}`,
    );
  }
  const aggregations = given.map((aggregation, i): Aggregation => {
    const alias = aggregation.alias || `field_${i + 1}`;
    if (isReserved(alias)) throw invalidArgument(`The property.name "${alias}" is reserved.`);
    if (aggregation.count) return { alias, kind: 'count', upTo: parseUpTo(aggregation.count.upTo?.value) };
    const kind = aggregation.sum ? 'sum' : 'avg';
    const aggregated = aggregation.sum ?? aggregation.avg;
    if (!aggregated) throw invalidArgument('Operator field in Aggregation is not set.');
    const field = parseField(aggregated.field?.fieldPath);
    if (field === nameField) throw invalidArgument('Aggregations are not supported for the property: __key__');
    return { alias, kind, field, upTo: Infinity };
  });
  const aliases = aggregations.map(({ alias }) => alias);
  const duplicate = aliases.find((alias, i) => aliases.indexOf(alias) < i);
  if (duplicate) throw invalidArgument(`Aggregation aliases contain duplicate alias: ${duplicate}.`);
  // Documents that lack an aggregated field do not count, not even for `count`: the cloud reads all fields from one
  // index.
  const fields = aggregations.flatMap(({ field }) => (field ? [field] : []));
  const required = [...new Map(fields.map((field) => [field.path, field])).values()];
  return { query: { ...parseQuery(parent, proto?.structuredQuery), required }, aggregations };
}

function parseUpTo(value: string | number | undefined): number {
  const upTo = Number(value ?? Infinity);
  if (upTo >= 0) return upTo;
  throw invalidArgument('The `up_to` value in a COUNT aggregation must be greater than or equal to zero.');
}

/** Computes an aggregation. A count that an index can answer loads no documents. */
export function runAggregation(
  store: Store,
  reader: Reader,
  { query, aggregations }: AggregationQuery,
  enforced: boolean,
): AggregationResult {
  const totals = aggregations.map(() => ({ sum: zero, numbers: 0 }));
  const maxCount = Math.max(...aggregations.map(({ upTo }) => upTo));
  let visited = 0;
  for (const hit of runQuery(reader, query, planQuery(query, store.indexes, enforced))) {
    visited++;
    for (const [i, { field }] of aggregations.entries()) {
      const value = field && valueOf(hit.document, field);
      if (!isNumber(value)) continue;
      totals[i]!.sum = add(totals[i]!.sum, value);
      totals[i]!.numbers++;
    }
    if (visited >= maxCount) break;
  }
  const values = aggregations.map(({ alias, kind, upTo }, i): [string, Value] => {
    if (kind === 'count') return [alias, { integerValue: String(Math.min(visited, upTo)) }];
    const total = totals[i]!;
    if (kind === 'sum') return [alias, total.sum];
    if (total.numbers === 0) return [alias, { nullValue: 'NULL_VALUE' }];
    return [alias, { doubleValue: numberOf(total.sum) / total.numbers }];
  });
  return { values: Object.fromEntries(values), visited };
}

/** Adds two values. An integer overflow continues as a double; an increment would saturate instead. */
function add(a: Value, b: Value): Value {
  const total = sum(a, b);
  const exact = a.integerValue !== undefined && b.integerValue !== undefined;
  if (exact && BigInt(a.integerValue!) + BigInt(b.integerValue!) !== BigInt(total.integerValue!)) {
    return { doubleValue: numberOf(a) + numberOf(b) };
  }
  return total;
}
