import { fail } from '../errors';
import { MB } from '../values/units';

/** The largest 206 answer in bytes. */
export const MAX_RANGE_BYTES = 50 * MB;

/** The bytes of a file that an answer has; `end` is inclusive. */
export type Delivery =
  { status: 304 } | { status: 200; start: 0; end: number } | { status: 206; start: number; end: number };

/** The answer that has the whole file. */
export const wholeOf = ({ size }: { size: number }): Delivery => ({ status: 200, start: 0, end: size - 1 });

/**
 * The ETag of a file. A browser that is answered 304 keeps the body and the headers that it has, so what changes them
 * is one of the `marks`.
 */
export const etagOf = (sha256: string, ...marks: (string | null | undefined)[]): string =>
  `"${[sha256, ...marks].filter(Boolean).join('-')}"`;

/** Whether the client gets the file from its first byte, or has it already. Such an answer can be a view. */
export const startsAtZero = (delivery: Delivery) => delivery.status === 304 || delivery.start === 0;

/** The method of a request and its headers that select the bytes of the answer. */
export interface Conditions {
  method: string;
  range?: string | undefined;
  ifRange?: string | undefined;
  ifNoneMatch?: string | undefined;
}

/**
 * Decides in the order of RFC 9110, section 13.2.2: If-None-Match, then If-Range, then Range. Several ranges, another
 * unit and a malformed header are ignored; the answer is then the whole file. A range outside the file is
 * range-not-satisfiable. A 206 answer has at most `maxRangeBytes` bytes from the start of the range.
 */
export function decideDelivery(
  conditions: Conditions,
  file: { etag: string; size: number },
  maxRangeBytes: number = MAX_RANGE_BYTES,
): Delivery {
  const whole = wholeOf(file);
  if (isFresh(conditions.ifNoneMatch, file.etag)) return { status: 304 };
  if (conditions.method !== 'GET' || conditions.range === undefined) return whole;
  // A strong comparison: a date or a weak validator never matches, and the answer is then the whole file.
  if (conditions.ifRange !== undefined && conditions.ifRange.trim() !== file.etag) return whole;
  const range = parseRange(conditions.range, file.size);
  if (!range) return whole;
  if (range.start > range.end) return fail('range-not-satisfiable', { size: file.size });
  return { status: 206, start: range.start, end: Math.min(range.end, range.start + maxRangeBytes - 1) };
}

/** One range of bytes (RFC 9110, section 14.1.2): `a-b`, `a-`, or the last n as `-n`. */
function parseRange(text: string, size: number): { start: number; end: number } | undefined {
  const [, first = '', last = ''] = /^\s*bytes=(\d*)-(\d*)\s*$/i.exec(text) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return { start: Math.max(0, size - Number(last)), end: size - 1 };
  // RFC 9110 calls a range that ends before it starts invalid. The header is then ignored.
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** Whether If-None-Match names this ETag, by weak comparison. */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}
