import { randomFillSync } from 'node:crypto';
import { v7, validate, version } from 'uuid';

/** A new UUIDv7, which sorts by its time of creation. */
export function newId(): string {
  return v7();
}

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

export function isId(text: string): boolean {
  return validate(text) && version(text) === 7;
}
