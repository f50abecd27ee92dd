import { open, type Database, type RootDatabase } from 'lmdb';
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
  expiresAt: number;
  made?: StoredObject;
}

/** The result of a write. The caller deletes the orphans: files that no object refers to any more. */
export interface Committed {
  object: StoredObject;
  orphans: string[];
}

/**
 * Objects and upload sessions. Every write is one atomic transaction, serialised with all others, and on disk before
 * its promise resolves. Preconditions are checked inside the transaction. A transaction that throws writes nothing.
 */
export class Store {
  readonly #root: RootDatabase;
  readonly #objects: Database<StoredObject, Buffer>;
  readonly #sessions: Database<Session, string>;
  readonly #counters: Database<number, string>;

  constructor(folder: string, isTemporary: boolean) {
    // With overlappingSync off, a transaction's promise resolves when the data is flushed, not only visible.
    this.#root = open({ path: folder, noSubdir: false, overlappingSync: false, noSync: isTemporary });
    this.#objects = this.#root.openDB({ name: 'objects', keyEncoding: 'binary' });
    this.#sessions = this.#root.openDB({ name: 'sessions' });
    this.#counters = this.#root.openDB({ name: 'counters' });
  }

  find(bucket: string, name: string): StoredObject | undefined {
    return this.#objects.get(keyOf(bucket, name));
  }

  /** The live object. Throws 404 when there is no live object, or when its generation is not `generation`. */
  get(bucket: string, name: string, generation?: number): StoredObject {
    const live = this.find(bucket, name);
    if (!live || (generation !== undefined && live.generation !== generation)) throw noSuchObject(bucket, name);
    return live;
  }

  /** Makes a new generation live. The same transaction completes `session`, if given. */
  create(object: NewObject, conditions: Preconditions, session?: Session): Promise<Committed> {
    return this.#root.transaction(() => {
      const replaced = this.find(object.bucket, object.name);
      assertPreconditions(conditions, replaced);
      assertNotHeld(replaced);
      const made = this.#createGeneration(object);
      if (session) void this.#sessions.put(session.id, { ...session, made });
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
    return this.#root.transaction(() => {
      const live = this.get(bucket, name, generation);
      assertPreconditions(conditions, live);
      const { generation: kept, file, size, md5Hash, crc32c, componentCount, timeCreated } = live;
      const changed: StoredObject = {
        ...change(live),
        ...{ bucket, name, generation: kept, file, size, md5Hash, crc32c, componentCount, timeCreated },
        metageneration: live.metageneration + 1,
        updated: new Date().toISOString(),
      };
      void this.#objects.put(keyOf(bucket, name), changed);
      return changed;
    });
  }

  remove(bucket: string, name: string, generation: number | undefined, conditions: Preconditions): Promise<Committed> {
    return this.#root.transaction(() => {
      const live = this.get(bucket, name, generation);
      assertPreconditions(conditions, live);
      assertNotHeld(live);
      void this.#objects.remove(keyOf(bucket, name));
      return { object: live, orphans: [live.file] };
    });
  }

  /** Renames in one transaction: a reader sees exactly one of the two names. */
  move(
    bucket: string,
    from: string,
    to: string,
    source: Preconditions,
    destination: Preconditions,
  ): Promise<Committed> {
    return this.#root.transaction(() => {
      const live = this.get(bucket, from);
      const replaced = this.find(bucket, to);
      assertPreconditions(source, live);
      assertPreconditions(destination, replaced);
      assertNotHeld(live);
      assertNotHeld(replaced);
      if (from !== to) void this.#objects.remove(keyOf(bucket, from));
      const object = this.#createGeneration({ ...live, name: to });
      return { object, orphans: replaced && replaced.file !== live.file ? [replaced.file] : [] };
    });
  }

  /** Live objects of a bucket in UTF-8 byte order, from `start` on (inclusive). */
  *scan(bucket: string, start: Buffer): Generator<StoredObject> {
    const prefix = Buffer.from(`${bucket}\0`);
    const range = { start: Buffer.concat([prefix, start]), end: Buffer.from(`${bucket}\x01`) };
    for (const { value } of this.#objects.getRange(range)) yield value;
  }

  /** A session that has not expired. */
  findSession(id: string): Session | undefined {
    const session = this.#sessions.get(id);
    return session && session.expiresAt > Date.now() ? session : undefined;
  }

  async putSession(session: Session): Promise<void> {
    await this.#sessions.put(session.id, session);
  }

  async removeSession(id: string): Promise<void> {
    await this.#sessions.remove(id);
  }

  /** Deletes expired sessions. Returns every file that an object or an open session still needs. */
  async filesInUse(): Promise<Set<string>> {
    const files = new Set<string>();
    for (const { value } of this.#objects.getRange()) files.add(value.file);
    const expired: string[] = [];
    for (const { key, value } of this.#sessions.getRange()) {
      if (value.expiresAt <= Date.now()) expired.push(key);
      else if (!value.made) files.add(value.file);
    }
    await Promise.all(expired.map((id) => this.removeSession(id)));
    return files;
  }

  close(): Promise<void> {
    return this.#root.close();
  }

  /** Called inside a transaction. */
  #createGeneration(object: NewObject): StoredObject {
    const now = Date.now();
    const time = new Date(now).toISOString();
    const generation = Math.max(now * 1000, (this.#counters.get('generation') ?? 0) + 1);
    const made = {
      ...object,
      ...{ generation, metageneration: 1, timeCreated: time, updated: time },
    };
    void this.#counters.put('generation', generation);
    void this.#objects.put(keyOf(object.bucket, object.name), made);
    return made;
  }
}

/** Throws 403 when the object to delete or replace has a temporary hold. */
function assertNotHeld(object: StoredObject | undefined): void {
  if (object?.temporaryHold) throw held(object.bucket, object.name);
}

function keyOf(bucket: string, name: string): Buffer {
  return Buffer.from(`${bucket}\0${name}`);
}
