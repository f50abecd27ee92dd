/** Text of at most this many UTF-16 units is written into the buffer at once. */
const SHORT_TEXT = 500;

/** A growing buffer of at most `limit` bytes. Bytes beyond the limit are cut off. */
export class ByteWriter {
  private buffer = Buffer.allocUnsafe(128);
  length = 0;

  constructor(private limit = Infinity) {}

  /** Begins again, in the same memory. */
  reset(limit: number): void {
    this.length = 0;
    this.limit = limit;
  }

  get full(): boolean {
    return this.length >= this.limit;
  }

  private reserve(count: number): void {
    if (this.length + count <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + count));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }

  byte(value: number): void {
    this.reserve(1);
    this.buffer[this.length++] = value;
  }

  uint32(value: number): void {
    this.reserve(4);
    this.length = this.buffer.writeUInt32BE(value, this.length);
  }

  /** A signed 64-bit integer. The bytes sort in the order of the numbers. */
  int64(value: bigint): void {
    this.reserve(8);
    this.length = this.buffer.writeBigUInt64BE(BigInt.asUintN(64, value + (1n << 63n)), this.length);
  }

  /** A double that is not NaN. The bytes sort in the order of the numbers. */
  double(value: number): void {
    this.reserve(8);
    this.buffer.writeDoubleBE(value === 0 ? 0 : value, this.length);
    const negative = this.buffer[this.length]! & 0x80;
    if (negative) for (let i = 0; i < 8; i++) this.buffer[this.length + i]! ^= 0xff;
    else this.buffer[this.length]! |= 0x80;
    this.length += 8;
  }

  raw(bytes: Buffer): void {
    this.reserve(bytes.length);
    bytes.copy(this.buffer, this.length);
    this.length += bytes.length;
  }

  /** Self-terminating bytes that sort in the order of the plain bytes: 00 is written as 00 FF, the end as 00 01. */
  terminated(bytes: Buffer): void {
    // Cut before the copy, so that a long value costs at most `limit` bytes.
    const kept = bytes.length > this.limit ? bytes.subarray(0, this.limit) : bytes;
    let from = 0;
    for (let zero = kept.indexOf(0); zero >= 0; zero = kept.indexOf(0, from)) {
      this.raw(kept.subarray(from, zero + 1));
      this.byte(0xff);
      from = zero + 1;
    }
    this.raw(from === 0 ? kept : kept.subarray(from));
    this.byte(0);
    this.byte(1);
  }

  text(value: string): void {
    if (value.length > SHORT_TEXT || value.includes('\0')) return this.terminated(Buffer.from(value));
    // UTF-8 needs at most three bytes for a UTF-16 unit.
    this.reserve(value.length * 3);
    this.length += this.buffer.write(value, this.length);
    this.byte(0);
    this.byte(1);
  }

  take(): Buffer {
    return Buffer.from(this.buffer.subarray(0, Math.min(this.length, this.limit)));
  }
}

/** The bitwise complement, which sorts in the reverse order. */
export function inverted(bytes: Buffer): Buffer {
  const result = Buffer.allocUnsafe(bytes.length);
  for (let i = 0; i < bytes.length; i++) result[i] = ~bytes[i]!;
  return result;
}

/** One end of a range of byte strings: directly before or directly after all strings that begin with `prefix`. */
export interface Bound {
  prefix: Buffer;
  after: boolean;
}

/** The longest key of LMDB. No key is above it. */
const topKey = Buffer.alloc(4026, 0xff);

/**
 * The byte string of a bound: exactly the keys below it are before the bound. Any bytes may follow a prefix, so the
 * position after a prefix is the next prefix of the same length.
 */
export function boundKey({ prefix, after }: Bound): Buffer {
  if (!after) return prefix;
  let last = prefix.length - 1;
  while (last >= 0 && prefix[last] === 0xff) last--;
  if (last < 0) return topKey;
  const next = Buffer.from(prefix.subarray(0, last + 1));
  next[last]!++;
  return next;
}

/** The same bound for complemented bytes: before becomes after. */
export const invertedBound = (bound: Bound): Bound => ({ prefix: inverted(bound.prefix), after: !bound.after });

export const compareBounds = (a: Bound, b: Bound): number => Buffer.compare(boundKey(a), boundKey(b));
