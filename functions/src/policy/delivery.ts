import { fail } from '../errors';

const MB = 1024 * 1024;
/** The longest 206 in bytes. */
export const MAX_RANGE_BYTES = 50 * MB;

/** Which bytes of a file answer a request; `end` is inclusive. */
export type Delivery =
  { status: 304 } | { status: 200; start: 0; end: number } | { status: 206; start: number; end: number };

/** What decides about the bytes of an answer. */
export interface Conditions {
  method: string;
  range?: string | undefined;
  ifRange?: string | undefined;
  ifNoneMatch?: string | undefined;
}

/**
 * Decides in the order of RFC 9110, section 13.2.2: If-None-Match, then If-Range, then Range. Several ranges, another unit or a
 * malformed header are ignored; a range past the end is range-not-satisfiable.
 */
export function decideDelivery(
  conditions: Conditions,
  file: { etag: string; size: number },
  maxRangeBytes: number = MAX_RANGE_BYTES,
): Delivery {
  const whole = { status: 200, start: 0, end: file.size - 1 } as const;
  if (isFresh(conditions.ifNoneMatch, file.etag)) return { status: 304 };
  if (conditions.method !== 'GET' || conditions.range === undefined) return whole;
  // A strong comparison: dates and weak validators never match, and then the whole file is the right answer.
  if (conditions.ifRange !== undefined && conditions.ifRange.trim() !== file.etag) return whole;
  const range = parseRange(conditions.range, file.size);
  if (!range) return whole;
  if (range.start > range.end || range.start >= file.size) return fail('range-not-satisfiable', { size: file.size });
  return { status: 206, start: range.start, end: Math.min(range.end, range.start + maxRangeBytes - 1) };
}

/** One range of bytes (RFC 9110, section 14.1.2): `a-b`, `a-`, or the last n as `-n`. */
function parseRange(text: string, size: number): { start: number; end: number } | undefined {
  const [, first = '', last = ''] = /^\s*bytes=(\d*)-(\d*)\s*$/i.exec(text) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return { start: Math.max(0, size - Number(last)), end: size - 1 };
  // A range that runs backwards is no range at all, and then the header does not count.
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** Whether If-None-Match names this ETag; the comparison is the weak one. */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}
