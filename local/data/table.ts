import type { Database, RangeOptions, Transaction } from 'lmdb';
import type { Codec } from './codecs';
import { DamagedData, writeError } from './errors';
import { isIntact, PREFIX_BYTES, seal } from './sealed.mjs';

interface Range<Key> {
  start?: Key;
  end?: Key;
  exclusiveStart?: boolean;
  inclusiveEnd?: boolean;
  reverse?: boolean;
  limit?: number;
  transaction?: Transaction;
}

/** A table of a data file. Write inside `transact` or `write` only. A read of a damaged record throws DamagedData. */
export class Table<Key, Value> {
  constructor(
    private readonly records: Database<Buffer, Buffer>,
    private readonly codec: Codec<Key, Value>,
  ) {}

  get(key: Key, options: { transaction?: Transaction } = {}): Value | undefined {
    const bytes = this.codec.encodeKey(key);
    const sealed = this.records.get(bytes, options);
    return sealed && this.codec.decode(unseal(bytes, sealed));
  }

  put(key: Key, value: Value): void {
    const bytes = this.codec.encodeKey(key);
    const sealed = seal(bytes, this.codec.encode(value));
    writing(() => this.records.putSync(bytes, sealed));
  }

  remove(key: Key): void {
    writing(() => this.records.removeSync(this.codec.encodeKey(key)));
  }

  clear(): void {
    writing(() => this.records.clearSync());
  }

  *range(range: Range<Key> = {}): Generator<{ key: Key; value: Value }> {
    for (const { key, value } of this.records.getRange(this.boundsOf(range))) {
      yield { key: this.codec.decodeKey(key), value: this.codec.decode(unseal(key, value)) };
    }
  }

  *keys(range: Range<Key> = {}): Generator<Key> {
    for (const key of this.records.getKeys(this.boundsOf(range))) yield this.codec.decodeKey(key);
  }

  private boundsOf({ start, end, ...rest }: Range<Key>): RangeOptions {
    return {
      ...rest,
      ...(start !== undefined && { start: this.codec.encodeKey(start) }),
      ...(end !== undefined && { end: this.codec.encodeKey(end) }),
    };
  }
}

/** The payload of a stored value. Throws DamagedData when a bit of the key or of the value has changed. */
function unseal(key: Buffer, sealed: Buffer): Buffer {
  if (isIntact(key, sealed)) return sealed.subarray(PREFIX_BYTES);
  throw new DamagedData(
    'A stored record is damaged: its checksum does not match. `npm start -- --check` names its file.',
  );
}

/** Runs a write of LMDB. Large transactions write pages early, so a full disk fails here, too. */
function writing(write: () => unknown): void {
  try {
    write();
  } catch (error) {
    throw writeError(error);
  }
}
