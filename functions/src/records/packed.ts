import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';

/** A JSON value in bytes, compressed. */
export const packed = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** A Map becomes the list of its entries. */
export const pack = (value: unknown): Buffer =>
  deflateRawSync(JSON.stringify(value, (_, each: unknown) => (each instanceof Map ? [...each] : each)));

export const unpack = (bytes: Uint8Array): unknown => JSON.parse(inflateRawSync(bytes).toString());
