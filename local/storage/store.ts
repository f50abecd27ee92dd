import { type Codec, textCodec } from '../data/codecs';
import { DataFile } from '../data/data-file';
import type { Table } from '../data/table';
import { held, noSuchObject } from './errors';
import { assertPreconditions, type Preconditions } from './preconditions';
import type { NewObject, ObjectFields, StoredObject } from './stored-object';

/** A resumable upload: the parameters of its start, and the object that it made (`made`) once it is complete. */
export interface Session {
  id: string;
  bucket: string;
  name: string;
  fields: ObjectFields;
  expected: { md5Hash?: string; crc32c?: string };
  preconditions: Preconditions;
  file: string;
  /** The size that `X-Upload-Content-Length` announced. */
  totalBytes?: number;
  /** The header `Origin` of the request that started the session. */
  origin?: string;
  expiresAt: number;
  made?: StoredObject;
}

/** The result of a write. The caller deletes the orphans: files that no object refers to any more. */
export interface Committed {
  object: StoredObject;
  orphans: string[];
}

/**
 * Objects and upload sessions. Every write is atomic, serialised with all others, and on disk before its promise
 * resolves. Preconditions are checked inside the transaction, before the first write. Throws DiskError when the disk is
 * full.
 */
export class Store {
  readonly #data: DataFile;
  readonly #objects: Table<Buffer, StoredObject>;
  readonly #sessions: Table<string, Session>;
  readonly #counters: Table<string, number>;

  constructor(folder: string, isTemporary: boolean) {
    const tables = ['objects', 'sessions', 'counters'];
    this.#data = DataFile.open(folder, { store: 'storage', tables, isTemporary });
    this.#objects = this.#data.table('objects', objectCodec);
    this.#sessions = this.#data.table('sessions', textCodec<Session>());
    this.#counters = this.#data.table('counters', textCodec<number>());
    this.#data.ready();
  }

  find(bucket: string, name: string): StoredObject | undefined {
    return this.#objects.get(keyOf(bucket, name));
  }

  /** The live object. Throws 404 when there is none, or it has another generation. */
  get(bucket: string, name: string, generation?: number): StoredObject {
    const live = this.find(bucket, name);
    if (live && (generation === undefined || live.generation === generation)) return live;
    throw noSuchObject(bucket, name);
  }

  /** Makes a new generation live. The same transaction completes `session`, if given. */
  create(object: NewObject, conditions: Preconditions, session?: Session): Promise<Committed> {
    return this.#data.write(() => {
      const replaced = this.find(object.bucket, object.name);
      assertPreconditions(conditions, replaced);
      assertNotHeld(replaced);
      const made = this.#createGeneration(object);
      if (session) this.#sessions.put(session.id, { ...session, made });
      return { object: made, orphans: replaced ? [replaced.file] : [] };
    });
  }

  /** Replaces the metadata of the live generation with the result of `change`. */
  update(
    bucket: string,
    name: string,
    generation: number | undefined,
    conditions: Preconditions,
    change: (live: StoredObject) => ObjectFields,
  ): Promise<StoredObject> {
    return this.#data.write(() => {
      const live = this.get(bucket, name, generation);
      assertPreconditions(conditions, live);
      const { generation: kept, file, size, md5Hash, crc32c, timeCreated } = live;
      const changed: StoredObject = {
        ...change(live),
        bucket,
        name,
        generation: kept,
        file,
        size,
        md5Hash,
        crc32c,
        timeCreated,
        metageneration: live.metageneration + 1,
        updated: new Date().toISOString(),
      };
      this.#objects.put(keyOf(bucket, name), changed);
      return changed;
    });
  }

  remove(bucket: string, name: string, generation: number | undefined, conditions: Preconditions): Promise<Committed> {
    return this.#data.write(() => {
      const live = this.get(bucket, name, generation);
      assertPreconditions(conditions, live);
      assertNotHeld(live);
      this.#objects.remove(keyOf(bucket, name));
      return { object: live, orphans: [live.file] };
    });
  }

  /** Live objects of a bucket in UTF-8 byte order, from `start` on (inclusive). */
  *scan(bucket: string, start: Buffer): Generator<StoredObject> {
    const prefix = Buffer.from(`${bucket}\0`);
    const range = { start: Buffer.concat([prefix, start]), end: Buffer.from(`${bucket}\x01`) };
    for (const { value } of this.#objects.range(range)) yield value;
  }

  /** The live objects of every bucket. */
  *objects(): Generator<StoredObject> {
    for (const { value } of this.#objects.range()) yield value;
  }

  /** A session that has not expired. */
  findSession(id: string): Session | undefined {
    const session = this.#sessions.get(id);
    return session && session.expiresAt > Date.now() ? session : undefined;
  }

  putSession(session: Session): Promise<void> {
    return this.#data.write(() => this.#sessions.put(session.id, session));
  }

  removeSession(id: string): Promise<void> {
    return this.#data.write(() => this.#sessions.remove(id));
  }

  /** Deletes expired sessions. Returns the files of the objects, and those of open uploads, which may not exist yet. */
  async filesInUse(): Promise<{ objects: Set<string>; uploads: Set<string> }> {
    const objects = new Set<string>();
    const uploads = new Set<string>();
    for (const { file } of this.objects()) objects.add(file);
    const expired: string[] = [];
    for (const { key, value } of this.#sessions.range()) {
      if (value.expiresAt <= Date.now()) expired.push(key);
      else if (!value.made) uploads.add(value.file);
    }
    await Promise.all(expired.map((id) => this.removeSession(id)));
    return { objects, uploads };
  }

  close(): Promise<void> {
    return this.#data.close();
  }

  /** Called inside a transaction. */
  #createGeneration(object: NewObject): StoredObject {
    const now = Date.now();
    const time = new Date(now).toISOString();
    const generation = Math.max(now * 1000, (this.#counters.get('generation') ?? 0) + 1);
    const made = {
      ...object,
      generation,
      metageneration: 1,
      timeCreated: time,
      updated: time,
    };
    this.#counters.put('generation', generation);
    this.#objects.put(keyOf(object.bucket, object.name), made);
    return made;
  }
}

const objectCodec: Codec<Buffer, StoredObject> = {
  ...textCodec<StoredObject>(),
  encodeKey: (key) => key,
  decodeKey: (key) => key,
};

/** Throws 403 when the object to delete or replace has a temporary hold. */
function assertNotHeld(object: StoredObject | undefined): void {
  if (object?.temporaryHold) throw held(object.bucket, object.name);
}

function keyOf(bucket: string, name: string): Buffer {
  return Buffer.from(`${bucket}\0${name}`);
}
