// JavaScript, because the trial of a data file (try-files.mjs) is a program that nothing compiles.
import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';

/** The first byte of a sealed value. */
const MARK = 0xc1;
export const PREFIX_BYTES = 5;

/**
 * A value as it is stored: a mark, the CRC-32 of the key and the payload, and the payload.
 * @param {Buffer} key
 * @param {Buffer} payload
 */
export function seal(key, payload) {
  const sealed = Buffer.allocUnsafe(PREFIX_BYTES + payload.length);
  sealed[0] = MARK;
  sealed.writeUInt32LE(crc32(payload, crc32(key)), 1);
  payload.copy(sealed, PREFIX_BYTES);
  return sealed;
}

/**
 * Whether no bit of the key and of the value has changed.
 * @param {Buffer} key
 * @param {Buffer} sealed
 */
export function isIntact(key, sealed) {
  if (sealed.length < PREFIX_BYTES || sealed[0] !== MARK) return false;
  return sealed.readUInt32LE(1) === crc32(sealed.subarray(PREFIX_BYTES), crc32(key));
}
