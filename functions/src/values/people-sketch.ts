/**
 * A set of people, to count them. Up to 100 it holds their hashes, and its count is exact. Above, it is a HyperLogLog
 * of 4096 registers: its count has a standard error of 1.6 %, so 9 of 10 counts are within 3 %.
 */
export type Sketch = readonly string[] | { registers: string };

export const noPeople: Sketch = [];

const MAX_EXACT = 100;
const INDEX_BITS = 12;
const REGISTERS = 1 << INDEX_BITS;
/** That of a hash whose other 52 bits are 0. */
const MAX_RANK = 53;

/** A hash has 64 bits, in hex: the first 12 bits choose a register, the others give its rank. */
const HASH = /^[\da-f]{16}$/;

export function addPerson(sketch: Sketch, hash: string): Sketch {
  return unionOf(sketch, [hash]);
}

export function unionOf(a: Sketch, b: Sketch): Sketch {
  if (isExact(a) && isExact(b)) {
    const all = [...new Set([...a, ...b])];
    if (all.length <= MAX_EXACT) return all.length === a.length ? a : all;
  }
  const registers = registersOf(a);
  if (isExact(b)) for (const hash of b) raise(registers, hash);
  else registersOf(b).forEach((rank, i) => (registers[i] = Math.max(registers[i]!, rank)));
  return { registers: registers.toString('base64') };
}

/**
 * The estimator of Ertl (2017, arXiv:1702.01284, algorithm 6) has no bias at any size. That of the first paper is 2.5 %
 * too high around 10 500 people.
 */
export function countPeople(sketch: Sketch): number {
  if (isExact(sketch)) return sketch.length;
  const counts = new Array<number>(MAX_RANK + 1).fill(0);
  for (const rank of registersOf(sketch)) counts[rank]!++;
  let sum = REGISTERS * tau(1 - counts[MAX_RANK]! / REGISTERS);
  for (let rank = MAX_RANK - 1; rank > 0; rank--) sum = (sum + counts[rank]!) / 2;
  sum += REGISTERS * sigma(counts[0]! / REGISTERS);
  return Math.round(REGISTERS ** 2 / (2 * Math.LN2 * sum));
}

/** x + the sum of x^(2^k) * 2^(k-1) for k from 1 on: the correction for empty registers. */
function sigma(share: number): number {
  let [sum, before] = [share, -1];
  for (let [x, factor] = [share, 1]; sum !== before; factor *= 2) {
    x *= x;
    before = sum;
    sum += x * factor;
  }
  return sum;
}

/** (1 - x - the sum of (1 - x^(2^-k))^2 * 2^-k for k from 1 on) / 3: the correction for full registers. */
function tau(share: number): number {
  if (share === 0 || share === 1) return 0;
  let [sum, before] = [1 - share, -1];
  for (let [x, factor] = [share, 0.5]; sum !== before; factor /= 2) {
    x = Math.sqrt(x);
    before = sum;
    sum -= (1 - x) ** 2 * factor;
  }
  return sum / 3;
}

const isExact = (sketch: Sketch): sketch is readonly string[] => Array.isArray(sketch);

function registersOf(sketch: Sketch): Buffer {
  if (!isExact(sketch)) return Buffer.from(sketch.registers, 'base64');
  const registers = Buffer.alloc(REGISTERS);
  for (const hash of sketch) raise(registers, hash);
  return registers;
}

function raise(registers: Buffer, hash: string): void {
  if (!HASH.test(hash)) throw new Error('A person is a hash of 16 hex characters.');
  const index = Number.parseInt(hash.slice(0, 3), 16);
  // The other 52 bits are exact in a number.
  const rest = Number.parseInt(hash.slice(3), 16);
  const rank = rest === 0 ? MAX_RANK : MAX_RANK - 1 - Math.floor(Math.log2(rest));
  registers[index] = Math.max(registers[index]!, rank);
}
