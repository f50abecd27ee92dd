import { z } from 'zod';
import type { Context } from '../context';
import type { Contribution } from '../policy/insight-figures';
import { noTotals, sumsOf, viewLimits, type ViewTotals } from '../policy/view-totals';
import { viewView } from '../rows/decks';
import { addDays, startOfDay } from '../values/days';
import { idOf, newId } from '../values/ids';
import type { Cursor } from '../values/cursor';
import { collection, collectionGroup, date, paths } from './collections';
import { newestPage, pagesOf, readIn } from './database';
import { addEvent, eventWrite } from './events';
import { commitDocuments, getDocuments, type DocumentWrite, type UpdateTime } from './firestore/client';
import { pack, packed, unpack } from './packed';
import { presentationRef } from './presentations';
import { isOutdated } from './refusals';
import { shareTokenRef } from './share-tokens';
import { transact } from './transact';
import { newNotice } from './view-notices';

/**
 * A view: the visit of a person. It is written by beacons, without a transaction, and only where nobody else has
 * written it since it was read. The job that folds insights writes `waiting` and `folded`.
 */
const view = z.object({
  viewId: z.string(),
  presentationId: z.string(),
  organizationId: z.string(),
  /** Of the loads of one grant, those that are at most 30 minutes apart are one view. */
  grantId: z.string(),
  /** In the first view of a grant: the id of its newest view. */
  newestViewId: z.string().nullable(),
  tokenId: z.string(),
  /** The proven address, or that of the recipient of the link; null for views of other links. */
  email: z.string().nullable(),
  emailIsProven: z.boolean(),
  version: z.number().int(),
  startedAt: date,
  lastSeenAt: date,
  seconds: z.number().int(),
  slideCount: z.number().int().nullable(),
  maxSlide: z.number().int(),
  hasScript: z.boolean(),
  device: z.enum(['desktop', 'mobile', 'tablet']),
  language: z.string().nullable(),
  referrerHost: z.string().nullable(),
  /** When the view ends, as far as the last fold knows; null before its first fold, and when it has ended. */
  endsAt: date.nullable(),
  /** `ViewTotals` of policy/view-totals. */
  totals: packed,
  /** Random while the insights lack this state, so that the index has no hot end; null when they have it. */
  waiting: z.number().nullable(),
  /** The `Contribution` of policy/insight-figures that the insights have of this view. */
  folded: packed.nullable(),
});
export type View = z.output<typeof view>;

const views = (presentationId: string) => collection(paths.views(presentationId), view);
export const viewRef = (presentationId: string, viewId: string) => views(presentationId).doc(viewId);

/** The slides that a view saw, with their sums. */
export const slidesOf = (of: Pick<View, 'totals'>) => sumsOf(totalsOf(of)).slides;

export const totalsOf = (of: Pick<View, 'totals'> | undefined): ViewTotals =>
  of ? (unpack(of.totals) as ViewTotals) : noTotals();

/** A view, and when it was last written. */
export interface StoredView {
  record: View;
  updatedAt: UpdateTime;
}

/** The first and the newest view of a grant; they are mostly the same. */
export interface ViewsOfGrant {
  first: StoredView | undefined;
  newest: StoredView | undefined;
}

interface GrantId {
  presentationId: string;
  id: string;
}

/** One call and one read, and for a grant with several views two. */
export async function findViews(context: Context, grant: GrantId): Promise<ViewsOfGrant> {
  const first = await readStored(context, grant.presentationId, idOf(`view ${grant.id}`));
  const newestId = first?.record.newestViewId;
  return { first, newest: newestId ? await readStored(context, grant.presentationId, newestId) : first };
}

async function readStored(context: Context, presentationId: string, viewId: string): Promise<StoredView | undefined> {
  const ref = viewRef(presentationId, viewId);
  const updateTimes = new Map<string, UpdateTime>();
  const found = (await getDocuments([ref.path], { context, updateTimes })).get(ref.path);
  if (context.trail) context.trail.databaseReads++;
  const updatedAt = updateTimes.get(ref.path);
  return found && updatedAt && { record: ref.parse(found), updatedAt };
}

/** The newest view, while a load at this time belongs to it. */
export function currentView({ newest }: ViewsOfGrant, now: Date): StoredView | undefined {
  if (!newest) return undefined;
  const gap = now.getTime() - newest.record.lastSeenAt.getTime();
  return gap <= viewLimits.gapMs ? newest : undefined;
}

/** What is known when a view begins. */
export type NewView = Pick<
  View,
  | 'presentationId'
  | 'organizationId'
  | 'grantId'
  | 'tokenId'
  | 'email'
  | 'emailIsProven'
  | 'version'
  | 'device'
  | 'language'
  | 'referrerHost'
>;

/** What a new view does not store. */
export interface BeginningView {
  /** Whether the owner may want to be told. */
  isNoticed: boolean;
  /** The title of the deck. */
  title: string;
  tokenName: string;
}

/** What a beacon tells, or the opening without scripts. */
interface Seen {
  totals: ViewTotals;
  hasScript: boolean;
  at: Date;
}

const stateOf = ({ totals, hasScript, at }: Seen) => ({
  lastSeenAt: at,
  seconds: sumsOf(totals).seconds,
  slideCount: totals.slideCount,
  maxSlide: totals.maxSlide,
  hasScript,
  totals: pack(totals),
  waiting: Math.random(),
});

/**
 * Begins a view: the one place where one comes into being. False when another request has written it meanwhile.
 */
export function beginView(
  context: Context,
  { first }: ViewsOfGrant,
  { isNoticed, title, tokenName, ...of }: NewView & BeginningView,
  seen: Seen,
): Promise<boolean> {
  const viewId = first ? newId() : idOf(`view ${of.grantId}`);
  const record: View = {
    ...of,
    viewId,
    newestViewId: null,
    startedAt: seen.at,
    ...stateOf(seen),
    endsAt: null,
    folded: null,
  };
  const path = (id: string) => viewRef(of.presentationId, id).path;
  return commit(context, [
    { path: path(viewId), fields: record, exists: false },
    ...(first ? [changeOf(path(first.record.viewId), first, { newestViewId: viewId })] : []),
    ...(isNoticed ? [newNotice(record, seen.at)] : []),
    eventWrite('link.opened', aboutView(record), { title, view: eventRow(record, tokenName) }),
  ]);
}

const aboutView = ({ organizationId, presentationId, email }: View) => {
  return { organizationId, presentationId, by: { kind: 'reader' }, reader: email } as const;
};

/** The view in an event, which has the address apart. */
const eventRow = (of: View, tokenName: string) => viewView({ ...of, email: null }, tokenName, slidesOf(of));

/** Adds to a view what was seen. False when another request has written it meanwhile. */
export function extendView(context: Context, stored: StoredView, seen: Seen): Promise<boolean> {
  const { presentationId, viewId } = stored.record;
  return commit(context, [changeOf(viewRef(presentationId, viewId).path, stored, stateOf(seen))]);
}

const changeOf = (path: string, { updatedAt }: StoredView, fields: Partial<View>): DocumentWrite => ({
  path,
  fields,
  isMerge: true,
  updatedAt,
});

/** All writes, or none when one of the documents is in another state than when it was read. */
async function commit(context: Context, writes: DocumentWrite[]): Promise<boolean> {
  if (context.trail) context.trail.databaseWrites += writes.length;
  try {
    await commitDocuments(writes, context);
    return true;
  } catch (error) {
    if (!isOutdated(error)) throw error;
    if (context.trail) context.trail.databaseWrites -= writes.length;
    return false;
  }
}

// ---- Lists

export interface ViewFilter {
  tokenId?: string | undefined;
  email?: string | undefined;
  version?: number | undefined;
  /** Days on which the view began, in UTC. */
  from?: string | undefined;
  to?: string | undefined;
}

/** The views of a deck. */
function viewsOf(presentationId: string, { tokenId, email, version, from, to }: ViewFilter) {
  let query: FirebaseFirestore.Query<View> = views(presentationId).query();
  if (tokenId !== undefined) query = query.where('tokenId', '==', tokenId);
  if (email !== undefined) query = query.where('email', '==', email);
  if (version !== undefined) query = query.where('version', '==', version);
  if (from !== undefined) query = query.where('startedAt', '>=', startOfDay(from));
  if (to !== undefined) query = query.where('startedAt', '<', startOfDay(addDays(to, 1)));
  return query;
}

/** A page of the views of a deck, and the cursor of the next page; null on the last page. One query. */
export function listViews(
  presentationId: string,
  filter: ViewFilter,
  limit: number,
  after: Cursor | undefined,
): Promise<{ records: View[]; next: string | null }> {
  return newestPage(viewsOf(presentationId, filter), 'startedAt', limit, after);
}

/** All views of a deck that pass the filter, newest first, in pages. */
export async function* pagesOfViews(presentationId: string, filter: ViewFilter): AsyncGenerator<View[]> {
  const newest = viewsOf(presentationId, filter).orderBy('startedAt', 'desc');
  for await (const page of pagesOf(newest, 200)) yield page.map((document) => document.data());
}

/** The newest views of the decks of an organization. One query. */
export async function listLatestViews(organizationId: string, limit: number): Promise<View[]> {
  const found = await collectionGroup('views', view)
    .where('organizationId', '==', organizationId)
    .orderBy('startedAt', 'desc')
    .limit(limit)
    .get();
  return found.docs.map((document) => document.data());
}

// ---- The fold

const isWaiting = <T>(query: FirebaseFirestore.Query<T>) => query.where('waiting', '>=', 0).orderBy('waiting');

/** Views of a deck whose state the insights lack. */
export const waitingViewsOf = (presentationId: string) => isWaiting(views(presentationId).query());

/** Whether the insights of a deck lack the state of a view. One query of at most one read. */
export async function hasWaitingViews(presentationId: string): Promise<boolean> {
  return !(await waitingViewsOf(presentationId).limit(1).get()).empty;
}

/** The ids of the decks with such views, each once. */
export async function* decksWithWaitingViews(): AsyncGenerator<{ id: string }> {
  const query = isWaiting(collectionGroup('views', view)).select('waiting');
  const seen = new Set<string>();
  for await (const page of pagesOf(query, 500)) {
    for (const { ref } of page) {
      const { id } = ref.parent.parent!;
      if (!seen.has(id)) yield { id };
      seen.add(id);
    }
  }
}

export const foldedOf = ({ folded }: View): Contribution | undefined =>
  folded ? (unpack(folded) as Contribution) : undefined;

/**
 * The fields that say that the insights have a view. They also say when the view ends: the index of `endsAt` grows at
 * one end, and the one job writes it slower than beacons would.
 */
export const foldedFields = (of: View, contribution: Contribution) => ({
  waiting: null,
  folded: pack(contribution),
  endsAt: endOf(of),
});

const endOf = ({ lastSeenAt }: View) => new Date(lastSeenAt.getTime() + viewLimits.gapMs);

// ---- Their end

/** The views that one transaction ends. The event of each has at most 130 KB, and a commit at most 10 MiB. */
const ENDED_AT_ONCE = 50;

/** A deck, as `id`, and some of its views whose pages seem to tell nothing any more and that have not ended. */
export async function* silentViews(now: Date): AsyncGenerator<{ id: string; viewIds: string[] }> {
  const query = collectionGroup('views', view).where('endsAt', '<=', now).orderBy('endsAt').select('endsAt');
  for await (const page of pagesOf(query, 500)) {
    const decks = new Map<string, string[]>();
    for (const { id, ref } of page) {
      const deckId = ref.parent.parent!.id;
      decks.set(deckId, [...(decks.get(deckId) ?? []), id]);
    }
    for (const [id, viewIds] of decks) {
      while (viewIds.length > 0) yield { id, viewIds: viewIds.splice(0, ENDED_AT_ONCE) };
    }
  }
}

/**
 * Ends views of a deck, unless their pages have told more since. A page that goes on after that begins no other view:
 * its view ends again.
 */
export function endViews(presentationId: string, viewIds: readonly string[], now: Date): Promise<void> {
  return transact(async (tx) => {
    const [deck, ...found] = await readIn(
      tx,
      presentationRef(presentationId),
      ...viewIds.map((id) => viewRef(presentationId, id)),
    );
    const ended = found.filter((of): of is View => Boolean(of?.endsAt) && endOf(of!) <= now);
    const tokenIds = [...new Set(ended.map(({ tokenId }) => tokenId))];
    const tokens = await readIn(tx, ...tokenIds.map((id) => shareTokenRef(presentationId, id)));
    const names = new Map(tokens.map((token) => [token?.tokenId, token?.name]));
    for (const of of ended) {
      tx.update(viewRef(presentationId, of.viewId), { endsAt: null });
      const tokenName = names.get(of.tokenId);
      if (!deck || tokenName === undefined) continue;
      addEvent(tx, 'view.ended', aboutView(of), { title: deck.title, view: eventRow(of, tokenName) });
    }
  });
}

/** Views that began before a time, oldest first: their references, in pages. */
export const oldViews = (before: Date) =>
  pagesOf(collectionGroup('views', view).where('startedAt', '<', before).orderBy('startedAt').select('startedAt'), 300);

/** Views of an address, in all organizations. */
export const viewsByAddress = (email: string) => collectionGroup('views', view).where('email', '==', email);
