/** How the keys and values of a table are written. */
export interface Codec<Key, Value> {
  encodeKey(key: Key): Buffer;
  decodeKey(bytes: Buffer): Key;
  encode(value: Value): Buffer;
  decode(bytes: Buffer): Value;
}

const plainJson = {
  encode: (value: unknown) => Buffer.from(JSON.stringify(value)),
  decode: (bytes: Buffer) => JSON.parse(bytes.toString('utf8')) as never,
};

/** Keys are strings, values are JSON. */
export const textCodec = <Value>(): Codec<string, Value> => ({
  ...plainJson,
  encodeKey: (key) => Buffer.from(key),
  decodeKey: (bytes) => bytes.toString('utf8'),
});

/** Keys are integers from 0 on, in their order. Values are JSON. */
export const numberCodec = <Value>(): Codec<number, Value> => ({
  ...plainJson,
  encodeKey: (key) => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(key);
    return bytes;
  },
  decodeKey: (bytes) => bytes.readDoubleBE(),
});

/** Keys and values are bytes. */
export const bytesCodec: Codec<Buffer, Buffer> = {
  encodeKey: (key) => key,
  decodeKey: (key) => key,
  encode: (value) => value,
  decode: (value) => value,
};
