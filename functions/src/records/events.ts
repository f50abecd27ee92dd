import { z } from 'zod';
import { config } from '../config';
import type { EventData, EventType } from '../contract/events';
import { currentContext, type Doer } from '../context';
import type { Cursor } from '../values/cursor';
import { LAST_ID, newId } from '../values/ids';
import { isAddress } from '../values/mailboxes';
import { DAY_MS } from '../values/units';
import { collection, collectionGroup, date, documentOf, paths, type Ref } from './collections';
import { pageOf, type Transaction } from './database';
import type { DocumentWrite } from './firestore/client';
import { db, sdk } from './sdk';

/** How long the feed has an event. The TTL policy deletes it. */
const EVENT_TTL_MS = 30 * DAY_MS;

export const storedActor = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('user'), userId: z.string().nullable() }),
  z.object({ kind: z.literal('key'), keyId: z.string(), name: z.string(), userId: z.string().nullable() }),
  z.object({ kind: z.literal('reader') }),
  z.object({ kind: z.literal('system') }),
]);
type Actor = z.output<typeof storedActor>;

/**
 * Something that happened in an organization. It is written in the commit of the change that it tells, so it exists
 * when the change does and only then.
 */
export const event = z.object({
  eventId: z.string(),
  type: z.string(),
  /** The time of the commit, which the database sets. */
  createdAt: date,
  organizationId: z.string(),
  presentationId: z.string().nullable(),
  actor: storedActor,
  /** The address of a reader whom the event is about. `data` does not have it, so that an answer can leave it out. */
  reader: z.string().nullable(),
  /** All addresses in the event, by which forgetReader finds it. */
  addresses: z.array(z.string()),
  /** See contract/events. */
  data: z.record(z.string(), z.unknown()),
  expiresAt: date,
  /** Whether the sweep has not looked yet for webhooks that want it. Absent from then on. */
  isUnswept: z.literal(true).optional(),
});
export type StoredEvent = z.output<typeof event>;

export const events = (organizationId: string) => collection(paths.events(organizationId), event);

interface About {
  organizationId: string;
  presentationId?: string | null;
  /** The actor, where the request has no key or session. */
  by?: Actor;
  reader?: string | null;
}

/** A transaction, or what adds a new document to a batch. */
interface Writer {
  create: (ref: Ref<StoredEvent>, record: FirebaseFirestore.WithFieldValue<StoredEvent>) => unknown;
}

/**
 * Adds an event to the commit that makes the change. An error in `data` does not compile. A repeated transaction writes
 * one event: what its earlier runs wrote was not committed, and `transact` does not run again after a commit.
 */
export function addEvent<T extends EventType>(to: Writer, type: T, about: About, data: EventData<T>): void {
  const { ref, record } = newEvent(type, about, data);
  to.create(ref, { ...record, createdAt: sdk().FieldValue.serverTimestamp() });
}

/** The same event for a commit outside of a transaction. */
export function eventWrite<T extends EventType>(type: T, about: About, data: EventData<T>): DocumentWrite {
  const { ref, record } = newEvent(type, about, data);
  return { path: ref.path, fields: record, serverTimes: ['createdAt'], exists: false };
}

function newEvent<T extends EventType>(type: T, about: About, data: EventData<T>) {
  const { organizationId, presentationId = null, reader = null } = about;
  const eventId = newId();
  const by = about.by ?? actorOf(currentContext()?.doer, organizationId, type);
  const found = [...addressesIn(data), ...(reader ? [reader] : [])];
  const record = {
    eventId,
    type,
    organizationId,
    presentationId,
    actor: by,
    reader,
    addresses: [...new Set(found)],
    data: data as Record<string, unknown>,
    expiresAt: new Date(Date.now() + EVENT_TTL_MS),
    isUnswept: true as const,
  };
  return { ref: events(organizationId).doc(eventId), record };
}

/**
 * The actor as the organization may know it. A key of another organization is not named, nor is the user who stars or
 * remixes a listing.
 */
function actorOf(doer: Doer | undefined, organizationId: string, type: EventType): Actor {
  if (!doer) return { kind: 'system' };
  if (doer.organizationId !== organizationId)
    return { kind: 'user', userId: type.startsWith('listing.') ? null : doer.userId };
  return actorOfDoer(doer);
}

/** A doer whom the organization knows. */
export const actorOfDoer = ({ userId, key }: Doer): Actor =>
  key ? { kind: 'key', ...key, userId } : { kind: 'user', userId };

/** The texts in a value that are email addresses, but not those of slides, which tell of a deck and not of a person. */
function addressesIn(value: unknown): string[] {
  if (typeof value === 'string') return isAddress(value) ? [value] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([field, each]) => (field === 'slides' ? [] : addressesIn(each)));
}

/** The fields of `row` that differ from those of `earlier`, as `earlier` has them. */
export function changedFrom<Row extends object>(earlier: Row, row: Row): Partial<Row> {
  const isSame = (field: keyof Row) => JSON.stringify(earlier[field]) === JSON.stringify(row[field]);
  const fields = (Object.keys(earlier) as (keyof Row)[]).filter((field) => !isSame(field));
  return Object.fromEntries(fields.map((field) => [field, earlier[field]])) as Partial<Row>;
}

// ---- The feed

export interface EventFilter {
  type?: EventType | undefined;
  presentationId?: string | undefined;
}

/** How far the clock of an instance may be ahead of that of the database. */
const CLOCK_MS = 1000;

/**
 * Until when the ascending feed answers. The database gives an event the time at which it received the commit, and the
 * commit may become visible as long after that as the call takes: an attempt ends it at the latest. A cursor that
 * passed a younger event could have passed by one that commits late.
 */
const feedEnd = (now: Date) => new Date(now.getTime() - config.attemptTimeoutMs() - CLOCK_MS);

/**
 * A page of the events of an organization by `(createdAt, eventId)`. `last` is undefined for an empty page. One query.
 */
export async function listEvents(
  organizationId: string,
  { type, presentationId }: EventFilter,
  { isAscending, limit, after, now }: { isAscending: boolean; limit: number; after: Cursor | undefined; now: Date },
): Promise<{ records: StoredEvent[]; last: Cursor | undefined; hasMore: boolean }> {
  const direction = isAscending ? 'asc' : 'desc';
  let query: FirebaseFirestore.Query<StoredEvent> = events(organizationId).query();
  if (type !== undefined) query = query.where('type', '==', type);
  if (presentationId !== undefined) query = query.where('presentationId', '==', presentationId);
  query = query.where('createdAt', '>', new Date(now.getTime() - EVENT_TTL_MS));
  if (isAscending) query = query.where('createdAt', '<=', feedEnd(now));
  query = query.orderBy('createdAt', direction).orderBy(sdk().FieldPath.documentId(), direction);
  if (after) query = query.startAfter(after.time, after.id);
  const { records, last: next } = await pageOf(query, limit);
  const last = records.at(-1);
  return { records, last: last && { time: last.createdAt, id: last.eventId }, hasMore: next !== undefined };
}

// ---- Webhooks

export const eventRef = (organizationId: string, eventId: string) => events(organizationId).doc(eventId);

/**
 * The events that the sweep has not seen, in pages of at most `pageSize`: first a page of each organization, then the
 * others in turn. So an organization with many events does not delay those of the others.
 */
export async function* unsweptEvents(pageSize: number): AsyncGenerator<StoredEvent[]> {
  const query = collectionGroup('events', event)
    .where('isUnswept', '==', true)
    .orderBy(sdk().FieldPath.documentId())
    .limit(pageSize);
  const unfinished: StoredEvent[] = [];
  const read = async (from: FirebaseFirestore.Query<StoredEvent>) => {
    const page = (await from.get()).docs.map((document) => document.data());
    const last = page.length === pageSize ? page.at(-1) : undefined;
    if (last) unfinished.push(last);
    return { page, last };
  };
  for (let from = query; ;) {
    const { page, last } = await read(from);
    yield page;
    if (!last) break;
    from = query.startAfter(eventRef(last.organizationId, LAST_ID).path);
  }
  // It grows by the organizations that have still more.
  for (const { organizationId, eventId } of unfinished) {
    const ofOne = query.endAt(eventRef(organizationId, LAST_ID).path);
    yield (await read(ofOne.startAfter(eventRef(organizationId, eventId).path))).page;
  }
}

/** Notes in a transaction that the sweep has seen an event. */
export const markSwept = (tx: Transaction, { organizationId, eventId }: StoredEvent): void =>
  tx.update(eventRef(organizationId, eventId), { isUnswept: sdk().FieldValue.delete() });

/** Notes that the sweep has seen events. One commit. */
export async function markAllSwept(seen: readonly StoredEvent[]): Promise<void> {
  const batch = db().batch();
  for (const { organizationId, eventId } of seen)
    batch.update(documentOf(eventRef(organizationId, eventId)), { isUnswept: sdk().FieldValue.delete() });
  await batch.commit();
}
