import { createHash, randomFillSync } from 'node:crypto';
import { stringify, v7, validate, version } from 'uuid';

/** A new UUIDv7, which sorts by its time of creation. */
export function newId(): string {
  return v7();
}

/** No UUIDv7 is sorted behind it. */
export const LAST_ID = 'ffffffff-ffff-7fff-bfff-ffffffffffff';

/** Random bytes for the ids of 256 requests. A call of the system's generator costs more than the rest of an id. */
const entropy = new Uint8Array(256 * 16);
let used = entropy.length;

/** A new UUIDv7. Ids of the same millisecond have no order. */
export function newRequestId(): string {
  if (used === entropy.length) {
    randomFillSync(entropy);
    used = 0;
  }
  return v7({ random: entropy.subarray(used, (used += 16)) });
}

/** The id that belongs to a text: it has the form of a UUIDv7, and its time means nothing. */
export function idOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return stringify(bytes);
}

export function isId(text: string): boolean {
  return validate(text) && version(text) === 7;
}
