import { type Bound, boundKey, inverted } from './bytes';
import { segmentEnd } from './names';
import type { ConjunctionPlan, Leg, Source } from './plan';
import { cursorRange, isWithin, matches, type Query, sortKey } from './query';
import type { Range, Reader, StoredDocument } from './store';

/** A document that a query found. The document is loaded when `document` is read first. */
export class Hit {
  constructor(
    private readonly reader: Reader,
    readonly key: Buffer,
    private loaded?: StoredDocument,
  ) {}

  get document(): StoredDocument {
    return (this.loaded ??= this.reader.document(this.key)!);
  }
}

/** The results of a query in its order, with offset and limit applied. Reads only as far as results are consumed. */
export function* runQuery(reader: Reader, query: Query, plans: ConjunctionPlan[]): Generator<Hit> {
  if (query.limit === 0) return;
  const streams = plans.map((plan) => runConjunction(reader, query, plan));
  if (reader.past?.size) streams.push(changedDocuments(query, reader, [...reader.past.values()]));
  let position = 0;
  for (const hit of streams.length === 1 ? streams[0]! : merge(query, streams)) {
    if (position++ < query.offset) continue;
    yield hit;
    if (position - query.offset >= query.limit) return;
  }
}

function runConjunction(reader: Reader, query: Query, plan: ConjunctionPlan): Generator<Hit> {
  const hits = filtered(reader, query, plan);
  return plan.ordered ? hits : sorted(reader, query, hits);
}

function* filtered(reader: Reader, query: Query, plan: ConjunctionPlan): Generator<Hit> {
  const cursors = plan.source.kind === 'lookup' ? cursorRange(query) : {};
  for (const key of keysOf(reader, plan.source)) {
    if (reader.past?.has(key.toString('latin1'))) continue;
    if (plan.exact) {
      yield new Hit(reader, key);
      continue;
    }
    const document = reader.document(key);
    if (!document || !isWithin(query, key, document.segments) || !matches(query, document)) continue;
    if ((cursors.low ?? cursors.high) && !isBetween(cursors, sortKey(query, document))) continue;
    yield new Hit(reader, key, document);
  }
}

/**
 * For a view of the past: the matching documents among those that changed since. The index has only their present
 * state.
 */
function* changedDocuments(query: Query, reader: Reader, documents: (StoredDocument | undefined)[]): Generator<Hit> {
  const matching = documents
    .filter((document) => document !== undefined)
    .filter((document) => isWithin(query, document.key, document.segments) && matches(query, document))
    .map((document) => ({ sort: sortKey(query, document), hit: new Hit(reader, document.key, document) }))
    .filter(({ sort }) => isBetween(cursorRange(query), sort));
  for (const { hit } of matching.sort((a, b) => Buffer.compare(a.sort, b.sort))) yield hit;
}

function isBetween({ low, high }: { low?: Bound; high?: Bound }, key: Buffer): boolean {
  return (!low || Buffer.compare(key, boundKey(low)) >= 0) && (!high || Buffer.compare(key, boundKey(high)) < 0);
}

/**
 * Sorts in memory. With a limit, only the first results are kept, so memory grows with the page, not the collection.
 */
function* sorted(reader: Reader, query: Query, hits: Iterable<Hit>): Generator<Hit> {
  const cursors = cursorRange(query);
  const wanted = query.offset + query.limit;
  let kept: { sort: Buffer; key: Buffer }[] = [];
  const byPosition = (a: { sort: Buffer }, b: { sort: Buffer }) => Buffer.compare(a.sort, b.sort);
  for (const hit of hits) {
    const sort = sortKey(query, hit.document);
    if (isBetween(cursors, sort)) kept.push({ sort, key: hit.key });
    if (kept.length > 2 * wanted + 1000) kept = kept.sort(byPosition).slice(0, wanted);
  }
  for (const { key } of kept.sort(byPosition)) yield new Hit(reader, key);
}

/** Merges ordered streams into one without duplicates. */
function* merge(query: Query, streams: Generator<Hit>[]): Generator<Hit> {
  const heads: { stream: Generator<Hit>; hit: Hit; sort: Buffer }[] = [];
  const advance = (stream: Generator<Hit>) => {
    const next = stream.next();
    if (!next.done) heads.push({ stream, hit: next.value, sort: sortKey(query, next.value.document) });
  };
  streams.forEach(advance);
  try {
    while (heads.length) {
      const first = heads.reduce((best, head) => (Buffer.compare(head.sort, best.sort) < 0 ? head : best));
      yield first.hit;
      // Advance every stream whose head is this document.
      for (const head of heads.filter((each) => each.sort.equals(first.sort))) {
        heads.splice(heads.indexOf(head), 1);
        advance(head.stream);
      }
    }
  } finally {
    for (const { stream } of heads) stream.return(undefined);
  }
}

function keysOf(reader: Reader, source: Source): Iterable<Buffer> {
  if (source.kind === 'lookup') return source.key && reader.document(source.key) ? [source.key] : [];
  return source.kind === 'documents' ? walk(reader, source) : intersect(reader, source);
}

/** The keys of a collection in the order of names. Skips the subtrees below its documents. */
function* walk(reader: Reader, source: Extract<Source, { kind: 'documents' }>): Generator<Buffer> {
  const { prefix, deep, reverse } = source;
  const at = (bound: Bound): Bound => ({ ...bound, prefix: Buffer.concat([prefix, bound.prefix]) });
  let range: Range | undefined = { low: at(source.low), high: at(source.high), reverse };
  while (range) {
    const current: Range = range;
    range = undefined;
    for (const key of reader.documentKeys(current)) {
      const end = segmentEnd(key, prefix.length);
      // The parent document has the same prefix and is not part of the collection.
      if (end < 0) continue;
      if (deep || end === key.length - 1) {
        yield key;
        continue;
      }
      const child = key.subarray(0, end);
      range = reverse
        ? { ...current, high: { prefix: Buffer.concat([child, Buffer.of(0)]), after: true } }
        : { ...current, low: { prefix: child, after: true } };
      break;
    }
  }
}

/** The segments directly below a prefix, in order. `exists` tells whether a document has exactly that name. */
export function* children(reader: Reader, prefix: Buffer, from: Bound): Generator<{ prefix: Buffer; exists: boolean }> {
  const high = { prefix, after: true };
  let low: Bound | undefined = { ...from, prefix: Buffer.concat([prefix, from.prefix]) };
  while (low) {
    const range: Range = { low, high, reverse: false };
    low = undefined;
    for (const key of reader.documentKeys(range)) {
      const end = segmentEnd(key, prefix.length);
      if (end < 0) continue;
      const child = key.subarray(0, end);
      yield { prefix: child, exists: end === key.length - 1 };
      low = { prefix: child, after: true };
      break;
    }
  }
}

interface Place {
  /** The bytes after the leg's prefix, which sort alike in all legs. */
  rest: Buffer;
  documentKey: Buffer;
}

class LegScan {
  private entries?: Iterator<{ key: Buffer; value: Buffer }>;

  constructor(
    private readonly reader: Reader,
    private readonly leg: Leg,
    private readonly source: Extract<Source, { kind: 'index' }>,
  ) {}

  next(): Place | undefined {
    this.entries ??= this.open(this.source.low, this.source.high);
    const next = this.entries.next();
    if (next.done) return undefined;
    const entry = next.value;
    const name = entry.key.subarray(entry.value.readUInt16BE(0));
    return {
      rest: entry.key.subarray(this.leg.prefix.length),
      documentKey: Buffer.concat([this.source.keyPrefix, this.leg.nameInverted ? inverted(name) : name]),
    };
  }

  /** The first place at or after `rest`, in the direction of the scan. */
  seek(rest: Buffer): Place | undefined {
    this.close();
    const { low, high, reverse } = this.source;
    this.entries = reverse
      ? this.open(low, { prefix: rest, after: true })
      : this.open({ prefix: rest, after: false }, high);
    return this.next();
  }

  close(): void {
    this.entries?.return?.();
  }

  private open(low: Bound, high: Bound): Iterator<{ key: Buffer; value: Buffer }> {
    const at = (bound: Bound): Bound => ({ ...bound, prefix: Buffer.concat([this.leg.prefix, bound.prefix]) });
    return this.reader.indexEntries({ low: at(low), high: at(high), reverse: this.source.reverse })[Symbol.iterator]();
  }
}

/**
 * Zigzag join: each leg seeks to the position of the others, so that the scan skips documents that are not in all legs.
 */
function* intersect(reader: Reader, source: Extract<Source, { kind: 'index' }>): Generator<Buffer> {
  const legs = source.legs.map((leg) => new LegScan(reader, leg, source));
  const direction = source.reverse ? -1 : 1;
  try {
    for (let place = legs[0]!.next(); place; place = legs[0]!.next()) {
      let agreed = 1;
      for (let i = 1; agreed < legs.length; i = (i + 1) % legs.length) {
        const other = legs[i]!.seek(place.rest);
        if (!other) return;
        const isSame = Buffer.compare(other.rest, place.rest) * direction === 0;
        agreed = isSame ? agreed + 1 : 1;
        place = other;
      }
      yield place.documentKey;
    }
  } finally {
    for (const leg of legs) leg.close();
  }
}
