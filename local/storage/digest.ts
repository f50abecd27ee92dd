import { createHash } from 'node:crypto';

/** CRC-32C (Castagnoli) tables for eight bytes at a time. Table k advances a byte past k zero bytes. */
const tables = (() => {
  const tables = Array.from({ length: 8 }, () => new Int32Array(256));
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    tables[0]![byte] = crc;
  }
  for (let k = 1; k < 8; k++) {
    for (let byte = 0; byte < 256; byte++) {
      const previous = tables[k - 1]![byte]!;
      tables[k]![byte] = tables[0]![previous & 0xff]! ^ (previous >>> 8);
    }
  }
  return tables as [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array];
})();

/** Continues a CRC-32C over `bytes`; start with 0. */
export function crc32c(bytes: Uint8Array, start = 0): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables;
  let crc = ~start;
  let at = 0;
  for (const end = bytes.length - 7; at < end; at += 8) {
    crc =
      t7[(crc ^ bytes[at]!) & 0xff]! ^
      t6[((crc >>> 8) ^ bytes[at + 1]!) & 0xff]! ^
      t5[((crc >>> 16) ^ bytes[at + 2]!) & 0xff]! ^
      t4[(crc >>> 24) ^ bytes[at + 3]!]! ^
      t3[bytes[at + 4]!]! ^
      t2[bytes[at + 5]!]! ^
      t1[bytes[at + 6]!]! ^
      t0[bytes[at + 7]!]!;
  }
  for (; at < bytes.length; at++) crc = t0[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** The hashes of an object in the cloud's format: base64 of the MD5 and of the big-endian CRC-32C. */
export interface Hashes {
  md5Hash: string;
  crc32c: string;
}

/** Both hashes and the length of a stream of bytes, in one pass. */
export class Digest {
  size = 0;
  readonly #md5 = createHash('md5');
  #crc = 0;

  update(bytes: Uint8Array): void {
    this.size += bytes.length;
    this.#md5.update(bytes);
    this.#crc = crc32c(bytes, this.#crc);
  }

  hashes(): Hashes {
    const crc = Buffer.alloc(4);
    crc.writeUInt32BE(this.#crc);
    return { md5Hash: this.#md5.copy().digest('base64'), crc32c: crc.toString('base64') };
  }
}
