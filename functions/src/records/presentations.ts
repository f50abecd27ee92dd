import { z } from 'zod';
import { isSameListing, type ListingId } from '../policy/listings';
import { deckView } from '../rows/decks';
import type { Cursor } from '../values/cursor';
import { writeDeckCursor, type DeckCursor } from '../values/deck-cursor';
import { isolations } from '../values/host-rules';
import { collection, date, paths } from './collections';
import { idsOf, pageOf, pagesOf, read, type Transaction } from './database';
import { addEvent } from './events';
import { sdk } from './sdk';

/** The stored form of a `ManifestPointer`; see policy/manifest. */
export const manifestPointer = z.object({
  version: z.number().int(),
  manifestId: z.string(),
  shardCount: z.number().int(),
  entryPath: z.string(),
  isolation: z.enum(isolations).nullable(),
});

/** A listing that another record names; see policy/listings. */
export const listingId = z.object({ slug: z.string(), generation: z.number().int().positive() });

/** The fields of a share token from which its URL is made. */
const tokenLink = z.object({
  tokenId: z.string(),
  sealed: z.string(),
  /** Whether the token was made for the recipient of a mail, whose address is its name. Absent for all others. */
  isPersonal: z.literal(true).optional(),
  /** `NEVER` of policy/presentation-access for a token that does not expire. */
  expiresAt: date,
  /** Whether readers meet a gate before the deck. */
  isGated: z.boolean(),
});
export type TokenLink = z.output<typeof tokenLink>;

/** The picture of a version, which a job made of a file of the deck or of the picture of its first slide. */
export const madePicture = z.object({
  /** SHA-256 of the file or of the slide's picture of which it was made. */
  source: z.string(),
  /** Where its bytes are: with the files of the deck, or with the pictures that were made of slides. */
  place: z.enum(['blobs', 'covers']),
  sha256: z.string(),
  size: z.number().int(),
  contentType: z.string(),
  pixels: z.object({ width: z.number().int(), height: z.number().int() }),
  /** The title of the slide that it shows; null for a slide without one, and for a file of the deck. */
  title: z.string().nullable(),
});
export type MadePicture = z.output<typeof madePicture>;

/**
 * A deck. It holds everything that a row of a list or a request of a viewer needs, so they need no further read of it.
 */
export const presentation = z.object({
  presentationId: z.string(),
  ownerId: z.string(),
  organizationId: z.string(),
  /** The owner and every active dev collaborator. */
  memberIds: z.array(z.string()),
  /** The devs who have called nothing on the deck yet. */
  unusedMemberIds: z.array(z.string()),
  pendingInvitations: z.number().int().nonnegative(),
  title: z.string(),
  current: manifestPointer,
  /**
   * Of the live share tokens without a gate the one that expires last, then the same of those with a gate; of several,
   * the oldest. See `shownLink` of records/share-tokens.
   */
  firstTokens: z.array(tokenLink),
  /** The same among those that follow the latest version. */
  latestTokens: z.array(tokenLink),
  /**
   * The bytes of the deck's files and of the pictures of its slides that the usage of the organization counts, all
   * versions and unused files included: those of the last commit or later.
   */
  storedBytes: z.number().int().nonnegative(),
  /** The bytes of the pictures of its slides, all versions included, which are in `storedBytes`. */
  slideBytes: z.number().int().nonnegative(),
  /** Whether the deck has pictures of its slides. */
  slidePictures: z.boolean(),
  /** The picture of the current version; null until it is made, and for a version without one. */
  picture: madePicture.nullable(),
  /** The number of live share tokens. */
  activeLinks: z.number().int().nonnegative(),
  /** The number of shards of each view counter; see records/view-counters. */
  viewShards: z.number().int().positive(),
  createdAt: date,
  updatedAt: date,
  updatedBy: z.string(),
  /**
   * The time and reason of a takedown by an operator, which closes all links. The owner keeps the deck and cannot end
   * the takedown. `withSources` are the slugs of the listings together with which the deck was taken down, because it
   * was remixed from them. Undefined when the deck was taken down by itself.
   */
  takedown: z.object({ at: date, reason: z.string(), withSources: z.array(z.string()).optional() }).nullable(),
  /** The slug of the listing that shows a version of the deck. A deck has at most one listing. */
  listingSlug: z.string().nullable(),
  /**
   * The listing of which the deck is a remix, the version of it that the deck took last, and the base of the next
   * update: the files that the remix took, as a manifest of the deck.
   */
  remixedFrom: listingId
    .extend({
      version: z.number().int(),
      base: z.object({ manifestId: z.string(), shardCount: z.number().int() }),
    })
    .nullable(),
  /** Every token that was created at or before this time is revoked. */
  tokensRevokedAt: date.nullable(),
  /** Whether visits of readers are recorded, or loads are only counted. */
  tracking: z.enum(['full', 'count']),
  /** The live session that was started last; null before the first one and after its end. See records/live-sessions. */
  live: z.object({ liveId: z.string(), tokenId: z.string(), startedBy: z.string(), expiresAt: date }).nullable(),
  expiresAt: date.nullable(),
});
export type Presentation = z.output<typeof presentation>;

export const presentationRef = (presentationId: string) =>
  collection(paths.presentations, presentation).doc(presentationId);

/** Changes the title of a deck. Its versions keep their titles. */
export function renameDeck(tx: Transaction, deck: Presentation, title: string): void {
  const { presentationId, organizationId } = deck;
  tx.update(presentationRef(presentationId), { title });
  const data = { presentation: deckView({ ...deck, title }), before: { title: deck.title } };
  addEvent(tx, 'presentation.renamed', { organizationId, presentationId }, data);
}

/** Stores what a remix took of its source. */
export function setRemixedFrom(
  tx: Transaction,
  presentationId: string,
  remixedFrom: NonNullable<Presentation['remixedFrom']>,
): void {
  tx.update(presentationRef(presentationId), { remixedFrom });
}

/** Sets the time after which the links of a deck are closed; null for never. */
export function setExpiry(tx: Transaction, presentationId: string, expiresAt: Date | null): void {
  tx.update(presentationRef(presentationId), { expiresAt });
}

/** Sets what is recorded of readers from now on. */
export function setTracking(tx: Transaction, presentationId: string, tracking: Presentation['tracking']): void {
  tx.update(presentationRef(presentationId), { tracking });
}

/** The bytes that the usage of the organization counts for the files of a deck. */
export const fileBytesOf = ({ storedBytes, slideBytes }: Presentation): number => storedBytes - slideBytes;

/** Stores the bytes that the usage of the organization counts for the files of a deck. */
export function setFileBytes(tx: Transaction, { presentationId, slideBytes }: Presentation, fileBytes: number): void {
  tx.update(presentationRef(presentationId), { storedBytes: fileBytes + slideBytes });
}

/** Stores the listing of the deck. */
export function setListing(tx: Transaction, presentationId: string, listingSlug: string): void {
  tx.update(presentationRef(presentationId), { listingSlug });
}

/** Closes the links of a deck; null opens them again. */
export function setTakedown(tx: Transaction, presentationId: string, takedown: Presentation['takedown']): void {
  tx.update(presentationRef(presentationId), { takedown });
}

/**
 * A page of the decks of a user, and the cursor of the next page; null on the last page. Own decks come first, then
 * those that the user may edit, each last changed first. One query, or two where the own decks end. A page that begins
 * among the decks of others also reads the deck before it.
 */
export async function listPresentations(
  userId: string,
  limit: number,
  after: DeckCursor | undefined,
): Promise<{ decks: Presentation[]; next: string | null }> {
  const own = after?.isShared ? { records: [], last: undefined } : await ownDecks(userId, limit, after);
  const position = own.last && { time: own.last.updatedAt, id: own.last.presentationId };
  if (position) return { decks: own.records, next: writeDeckCursor({ isShared: false, after: position }) };
  const room = limit - own.records.length;
  const found = await sharedDecks(userId, room + 1, after?.isShared ? after.after : undefined);
  const shared = found.slice(0, room);
  const decks = [...own.records, ...shared];
  if (found.length <= room) return { decks, next: null };
  const last = shared.at(-1);
  const shown = last && { time: last.updatedAt, id: last.presentationId };
  return { decks, next: writeDeckCursor({ isShared: true, after: shown }) };
}

/** The ids of the decks of a user, last changed first. */
export const decksOfOwner = (userId: string): AsyncGenerator<{ id: string }> =>
  idsOf(
    collection(paths.presentations, presentation)
      .query()
      .where('ownerId', '==', userId)
      .orderBy('updatedAt', 'desc')
      .select(),
  );

function ownDecks(userId: string, limit: number, after: DeckCursor | undefined) {
  let query = collection(paths.presentations, presentation)
    .query()
    .where('ownerId', '==', userId)
    .orderBy('updatedAt', 'desc')
    .orderBy(sdk().FieldPath.documentId(), 'desc');
  if (after?.after) query = query.startAfter(after.after.time, after.after.id);
  return pageOf(query, limit);
}

/**
 * Decks whose owner is another user. The index also has the user's own decks, which the database skips without reading
 * their documents.
 */
async function sharedDecks(userId: string, limit: number, after: Cursor | undefined): Promise<Presentation[]> {
  let query = collection(paths.presentations, presentation)
    .query()
    .where('memberIds', 'array-contains', userId)
    .where('ownerId', '!=', userId)
    .orderBy('updatedAt', 'desc')
    .orderBy('ownerId', 'desc')
    .orderBy(sdk().FieldPath.documentId(), 'desc');
  if (after) {
    // The cursor does not contain the owner, whose id the client need not know.
    const [last] = await read(presentationRef(after.id));
    // Without the deck, the page repeats other decks of the same millisecond and skips none.
    query = last?.memberIds.includes(userId)
      ? query.startAfter(after.time, last.ownerId, after.id)
      : query.startAt(after.time);
  }
  return (await query.limit(limit).get()).docs.map((document) => document.data());
}

/** The decks of an organization that existed at a time, in the order in which they were created. One query. */
export async function decksInOrder(
  organizationId: string,
  until: Date,
  { limit, after }: { limit: number; after: Cursor | undefined },
): Promise<Presentation[]> {
  let query = collection(paths.presentations, presentation)
    .query()
    .where('organizationId', '==', organizationId)
    .where('createdAt', '<=', until)
    .orderBy('createdAt')
    .orderBy(sdk().FieldPath.documentId());
  if (after) query = query.startAfter(after.time, after.id);
  return (await query.limit(limit).get()).docs.map((document) => document.data());
}

/** Whether a deck was remixed from a listing with this slug. One read. */
export async function isRemixed(tx: Transaction, slug: string): Promise<boolean> {
  const query = collection(paths.presentations, presentation).query().where('remixedFrom.slug', '==', slug).limit(1);
  return !(await tx.get(query)).empty;
}

/** The decks that were taken down together with the listing, in pages of at most 100. */
export async function* decksTakenDownWith(slug: string): AsyncGenerator<Presentation[]> {
  const query = collection(paths.presentations, presentation)
    .query()
    .where('takedown.withSources', 'array-contains', slug);
  for await (const page of pagesOf(query)) yield page.map((document) => document.data());
}

/** The decks that were remixed from the listing, listed or not, in pages of at most 100. */
export async function* decksRemixedFrom(source: ListingId): AsyncGenerator<Presentation[]> {
  const query = collection(paths.presentations, presentation).query().where('remixedFrom.slug', '==', source.slug);
  for await (const page of pagesOf(query)) {
    yield page.map((document) => document.data()).filter(({ remixedFrom }) => isSameListing(remixedFrom!, source));
  }
}
