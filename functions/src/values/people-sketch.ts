/**
 * A set of people, to count them. Up to 100 it holds their hashes, and its count is exact. Above, it is a HyperLogLog of
 * 4096 registers (Flajolet et al. 2007, with linear counting for small sets): its count has a standard error of 1.6 %.
 */
export type Sketch = readonly string[] | { registers: string };

export const noPeople: Sketch = [];

const MAX_EXACT = 100;
const INDEX_BITS = 12;
const REGISTERS = 1 << INDEX_BITS;

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

export function countPeople(sketch: Sketch): number {
  if (isExact(sketch)) return sketch.length;
  let [sum, empty] = [0, 0];
  for (const rank of registersOf(sketch)) {
    sum += 2 ** -rank;
    if (rank === 0) empty++;
  }
  const estimate = ((0.7213 / (1 + 1.079 / REGISTERS)) * REGISTERS ** 2) / sum;
  const isSmall = estimate <= 2.5 * REGISTERS && empty > 0;
  return Math.round(isSmall ? REGISTERS * Math.log(REGISTERS / empty) : estimate);
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
  const rank = rest === 0 ? 53 : 52 - Math.floor(Math.log2(rest));
  registers[index] = Math.max(registers[index]!, rank);
}
