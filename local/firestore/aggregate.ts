import { invalidArgument } from './errors';
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
  /** Counting stops here. */
  upTo: number;
}

/** A query and what is to be computed over its results. */
export interface AggregationQuery {
  query: Query;
  aggregations: Aggregation[];
}

export interface AggregationResult {
  values: Record<string, Value>;
  /** How many documents (or index entries) were counted. */
  visited: number;
}

/** Reads an aggregation query of the protocol; throws INVALID_ARGUMENT for what the cloud does not accept. */
export function parseAggregation(
  parent: string | undefined,
  proto: { structuredQuery?: StructuredQuery; aggregations?: AggregationProto[] } | undefined,
): AggregationQuery {
  const given = proto?.aggregations ?? [];
  if (given.length === 0 || given.length > MAX_AGGREGATIONS) {
    throw invalidArgument(`A query must have between 1 and ${MAX_AGGREGATIONS} aggregations.`);
  }
  const aggregations = given.map((aggregation, i): Aggregation => {
    const alias = aggregation.alias || `field_${i + 1}`;
    if (aggregation.count) return { alias, kind: 'count', upTo: Number(aggregation.count.upTo?.value ?? Infinity) };
    const kind = aggregation.sum ? 'sum' : 'avg';
    return { alias, kind, field: parseField((aggregation.sum ?? aggregation.avg)?.field?.fieldPath), upTo: Infinity };
  });
  if (new Set(aggregations.map(({ alias }) => alias)).size !== aggregations.length) {
    throw invalidArgument('Aggregation aliases must be unique.');
  }
  // Only documents that hold every aggregated field take part, in counts as well: the cloud reads them from one index.
  const fields = aggregations.flatMap(({ field }) => (field && field !== nameField ? [field] : []));
  const required = [...new Map(fields.map((field) => [field.path, field])).values()];
  return { query: { ...parseQuery(parent, proto?.structuredQuery), required }, aggregations };
}

/** Computes an aggregation; counts that an index answers alone load no document. */
export function runAggregation(
  store: Store,
  reader: Reader,
  { query, aggregations }: AggregationQuery,
  enforced: boolean,
): AggregationResult {
  const totals = aggregations.map(() => ({ sum: zero, numbers: 0 }));
  const furthest = Math.max(...aggregations.map(({ upTo }) => upTo));
  let visited = 0;
  for (const hit of runQuery(reader, query, planQuery(query, store.indexes, enforced))) {
    visited++;
    for (const [i, { field }] of aggregations.entries()) {
      const value = field && valueOf(hit.document, field);
      if (!isNumber(value)) continue;
      totals[i]!.sum = add(totals[i]!.sum, value);
      totals[i]!.numbers++;
    }
    if (visited >= furthest) break;
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

/** A sum of integers that leaves their range goes on as a double, unlike an increment, which stops there. */
function add(a: Value, b: Value): Value {
  const total = sum(a, b);
  const exact = a.integerValue !== undefined && b.integerValue !== undefined;
  if (exact && BigInt(a.integerValue!) + BigInt(b.integerValue!) !== BigInt(total.integerValue!)) {
    return { doubleValue: numberOf(a) + numberOf(b) };
  }
  return total;
}
