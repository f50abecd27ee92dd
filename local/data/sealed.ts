import { crc32 } from 'node:zlib';
import { DamagedData } from './errors';

/** The first byte of a sealed value. */
const MARK = 0xc1;
const PREFIX_BYTES = 5;

/** A value as it is stored: a mark, the CRC-32 of the key and the payload, and the payload. */
export function seal(key: Buffer, payload: Buffer): Buffer {
  const sealed = Buffer.allocUnsafe(PREFIX_BYTES + payload.length);
  sealed[0] = MARK;
  sealed.writeUInt32LE(crc32(payload, crc32(key)), 1);
  payload.copy(sealed, PREFIX_BYTES);
  return sealed;
}

/** The payload of a stored value. Throws DamagedData when a bit of the key or of the value has changed. */
export function unseal(key: Buffer, sealed: Buffer): Buffer {
  if (isIntact(key, sealed)) return sealed.subarray(PREFIX_BYTES);
  throw new DamagedData('A stored record is damaged: its checksum does not match. `npm start -- --check` names it.');
}

export function isIntact(key: Buffer, sealed: Buffer): boolean {
  if (sealed.length < PREFIX_BYTES || sealed[0] !== MARK) return false;
  return sealed.readUInt32LE(1) === crc32(sealed.subarray(PREFIX_BYTES), crc32(key));
}
