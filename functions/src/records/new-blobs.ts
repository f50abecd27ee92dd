import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { config } from '../config';
import { currentContext, runIn, type Context, type Trail } from '../context';
import { withinCall } from '../deadlines';
import { totalsOf } from '../policy/upload-caps';
import { blobRef, type Blob } from './blobs';
import { readIn, refIf, type Transaction } from './database';
import { Groups } from './groups';
import { releaseGrants, usageRef } from './organization-usage';
import { presentationRef } from './presentations';
import { isAlreadyExists, isRefusal } from './refusals';
import { transact } from './transact';
import { countStored } from './upload-counters';
import { uploadSessionRef } from './upload-sessions';

/** A file whose bytes are stored. */
interface StoredFile extends Omit<Blob, 'createdAt'> {
  /** Whether this call created the object. */
  isNew: boolean;
  /** When the grant of a direct upload expires. */
  grantedUntil?: Date;
}

/** The files of one call. */
interface Upload {
  files: ReadonlyMap<string, StoredFile>;
  trail: Trail | undefined;
}

/** The deck or upload session that receives files. */
interface RecordTarget {
  organizationId: string;
  deckId: string;
  sessionId: string | undefined;
}

/** The files that wait for the next transaction of their deck or session. A target that is dropped gets new groups. */
const targets = new LRUCache<string, Groups<Upload, boolean>>({ max: 1000 });

/** The largest number of files in a transaction of several calls. */
const FILES_OF_GROUP = 200;

/**
 * Records blobs whose bytes are stored, counts those that had no record, and releases their grants. Calls for the same
 * deck or session that come at the same time share a transaction. Returns false and writes nothing when
 * neither the deck nor an open session exists: the deck was deleted, or the session expired. The deletion of the deck
 * or session then deletes the bytes.
 */
export function recordBlobs(
  { organizationId, deckId, sessionId }: RecordTarget,
  files: ReadonlyMap<string, StoredFile>,
): Promise<boolean> {
  const key = JSON.stringify([deckId, sessionId]);
  let groups = targets.get(key);
  if (!groups) {
    groups = new Groups({
      call: (group, context) => recordTogether({ organizationId, deckId, sessionId }, group, context),
      maxSize: FILES_OF_GROUP,
      sizeOf: ({ files }) => files.size,
      patienceMs: config.uploadGroupPatienceMs(),
      // The record of one file may be malformed. Contention is not split: all files of a target meet the same writers.
      splitsAfter: (error) => isRefusal(error) || error instanceof z.ZodError,
    });
    targets.set(key, groups);
  }
  const trail = currentContext()?.trail;
  return withinCall('Firestore', () => groups.join({ files, trail }));
}

/** Records the files of several calls in one transaction. The first call pays for its reads and writes. */
async function recordTogether(target: RecordTarget, group: readonly Upload[], context: Context): Promise<boolean[]> {
  const files = group.flatMap(({ files }) => [...files]);
  // An object without a record is left by a call that ended between storing and recording. Of calls that store the same
  // bytes, another one may therefore have recorded a file that this call created.
  const old = new Set(files.flatMap(([sha256, { isNew }]) => (isNew ? [] : [sha256])));
  const record = (known: ReadonlySet<string>) => transact((tx) => recordIn(tx, target, files, known));
  const isAlive = await runIn({ ...context, trail: group[0]!.trail }, async () => {
    try {
      return await record(old);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return record(new Set(files.map(([sha256]) => sha256)));
    }
  });
  return group.map(() => isAlive);
}

/**
 * Reads the records of the hashes in `known`. The others are expected to have none: the commit fails if one exists.
 * Several calls may have stored the same file.
 */
async function recordIn(
  tx: Transaction,
  { organizationId, deckId, sessionId }: RecordTarget,
  files: readonly (readonly [sha256: string, file: StoredFile])[],
  known: ReadonlySet<string>,
): Promise<boolean> {
  // The call that placed a file has its grant, also when another call recorded the file first.
  const grants = files.flatMap(([, { grantedUntil: until, sizeBytes: bytes }]) => (until ? [{ until, bytes }] : []));
  const checked = [...known];
  const [deck, session, usage, ...records] = await readIn(
    tx,
    presentationRef(deckId),
    refIf(uploadSessionRef, sessionId),
    grants.length > 0 ? usageRef(organizationId) : undefined,
    ...checked.map((sha256) => blobRef(deckId, sha256)),
  );
  const createdAt = new Date();
  // The session may be missing because its commit created the deck.
  const isAlive = deck !== undefined || (session !== undefined && session.expiresAt > createdAt);
  if (!isAlive) return false;
  const recorded = new Set(checked.filter((_sha256, i) => records[i]));
  const added = new Map(files.filter(([sha256]) => !recorded.has(sha256)));
  for (const [sha256, { sizeBytes, contentType }] of added) {
    const record = { sizeBytes, contentType, createdAt };
    if (known.has(sha256)) tx.set(blobRef(deckId, sha256), record);
    else tx.create(blobRef(deckId, sha256), record);
  }
  if (added.size > 0) countStored(tx, deckId, totalsOf([...added.values()]));
  if (grants.length > 0) releaseGrants(tx, organizationId, usage, grants, createdAt);
  return true;
}
