/** A growing buffer that stops at `limit` bytes: what does not fit is cut off. */
export class ByteWriter {
  private buffer = Buffer.allocUnsafe(128);
  length = 0;

  constructor(private readonly limit = Infinity) {}

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

  /** A signed 64-bit integer whose bytes sort as the number does. */
  int64(value: bigint): void {
    this.reserve(8);
    this.length = this.buffer.writeBigUInt64BE(BigInt.asUintN(64, value + (1n << 63n)), this.length);
  }

  /** A double whose bytes sort as the number does (no NaN). */
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

  /** Bytes that end themselves and still sort as the bare bytes do: 00 is written 00 FF, the end is 00 01. */
  terminated(bytes: Buffer): void {
    // Cut before copying, so that a value of a megabyte costs no more than what is kept of it.
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
    this.terminated(Buffer.from(value));
  }

  take(): Buffer {
    return Buffer.from(this.buffer.subarray(0, Math.min(this.length, this.limit)));
  }
}

/** The bitwise complement: sorts the other way round. */
export function inverted(bytes: Buffer): Buffer {
  const result = Buffer.allocUnsafe(bytes.length);
  for (let i = 0; i < bytes.length; i++) result[i] = ~bytes[i]!;
  return result;
}

/** One end of a range of byte strings: just before, or just after, everything that begins with `prefix`. */
export interface Bound {
  prefix: Buffer;
  after: boolean;
}

/** Above every key: keys end long before this. */
const top = Buffer.alloc(5000, 0xff);

/**
 * The byte string at which the bound stands: every key below it is before the bound. What follows a prefix may be any bytes, so just
 * after it is where the next prefix of the same length begins.
 */
export function boundKey({ prefix, after }: Bound): Buffer {
  if (!after) return prefix;
  let last = prefix.length - 1;
  while (last >= 0 && prefix[last] === 0xff) last--;
  if (last < 0) return top;
  const next = Buffer.from(prefix.subarray(0, last + 1));
  next[last]!++;
  return next;
}

/** The same bound seen in complemented bytes, where ends change sides. */
export const invertedBound = (bound: Bound): Bound => ({ prefix: inverted(bound.prefix), after: !bound.after });

export const compareBounds = (a: Bound, b: Bound): number => Buffer.compare(boundKey(a), boundKey(b));
