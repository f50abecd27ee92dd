import { open, type Database, type RootDatabase } from 'lmdb';
import { held, noSuchObject } from './errors';
import { assertPreconditions, type Preconditions } from './preconditions';
import type { ObjectFields } from './resource';

/** A live object. Its bytes are in the file `file`, which is written once and never changed. */
export interface StoredObject extends ObjectFields {
  bucket: string;
  name: string;
  /** Microseconds, roughly: strictly increasing over the whole store, restarts included. */
  generation: number;
  metageneration: number;
  file: string;
  size: number;
  /** Absent on composed objects, as in the cloud. */
  md5Hash?: string;
  crc32c: string;
  componentCount?: number;
  timeCreated: string;
  updated: string;
}

/** What a caller decides about a new generation; the store adds its number and times. */
export type NewObject = Omit<StoredObject, 'generation' | 'metageneration' | 'timeCreated' | 'updated'>;

/** A resumable upload: what was said at its start, and the generation it made once it is complete. */
export interface Session {
  id: string;
  bucket: string;
  name: string;
  fields: ObjectFields;
  expected: { md5Hash?: string; crc32c?: string };
  preconditions: Preconditions;
  file: string;
  /** Announced by `X-Upload-Content-Length`. */
  totalBytes?: number;
  expiresAt: number;
  made?: StoredObject;
}

/** A write's outcome: the files that no object refers to any more are the caller's to delete. */
export interface Committed {
  object: StoredObject;
  orphans: string[];
}

/**
 * Objects and upload sessions. Every write is one atomic transaction, serialised with all others, and on disk before its
 * promise resolves; conditions are checked inside it. Nothing is written by a transaction that throws.
 */
export class Store {
  readonly #root: RootDatabase;
  readonly #objects: Database<StoredObject, Buffer>;
  readonly #sessions: Database<Session, string>;
  readonly #counters: Database<number, string>;

  constructor(folder: string) {
    // Without overlappingSync a transaction's promise means "flushed", not just "visible".
    this.#root = open({ path: folder, noSubdir: false, overlappingSync: false });
    this.#objects = this.#root.openDB({ name: 'objects', keyEncoding: 'binary' });
    this.#sessions = this.#root.openDB({ name: 'sessions' });
    this.#counters = this.#root.openDB({ name: 'counters' });
  }

  find(bucket: string, name: string): StoredObject | undefined {
    return this.#objects.get(keyOf(bucket, name));
  }

  /** The live object; 404 when there is none, or when another generation than the given one is live. */
  get(bucket: string, name: string, generation?: number): StoredObject {
    const live = this.find(bucket, name);
    if (!live || (generation !== undefined && live.generation !== generation)) throw noSuchObject(bucket, name);
    return live;
  }

  /** Makes a new generation live, and completes `session` in the same transaction when one is given. */
  create(object: NewObject, conditions: Preconditions, session?: Session): Promise<Committed> {
    return this.#root.transaction(() => {
      const replaced = this.find(object.bucket, object.name);
      assertPreconditions(conditions, replaced);
      assertNotHeld(replaced);
      const made = this.#bear(object);
      if (session) void this.#sessions.put(session.id, { ...session, made });
      return { object: made, orphans: replaced ? [replaced.file] : [] };
    });
  }

  /** Replaces the metadata of the live generation by what `change` answers. */
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

  /** Renames in one step: at no moment do both names exist, or neither. */
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
      const object = this.#bear({ ...live, name: to });
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

  /** Forgets expired sessions and answers every file that an object or an open session still needs. */
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
  #bear(object: NewObject): StoredObject {
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

/** 403 for an object that is to go or to be replaced while somebody holds it. */
function assertNotHeld(object: StoredObject | undefined): void {
  if (object?.temporaryHold) throw held(object.bucket, object.name);
}

function keyOf(bucket: string, name: string): Buffer {
  return Buffer.from(`${bucket}\0${name}`);
}
