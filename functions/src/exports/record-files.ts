import type { z } from 'zod';
import { read } from '../records/database';
import { listApiKeys } from '../records/api-keys';
import { listCollaborators } from '../records/collaborators';
import { listDashboardSessions, type DashboardSession } from '../records/dashboard-sessions';
import { emailEventsRef, newestOf } from '../records/email-events';
import { listEmailSends } from '../records/email-sends';
import { listEvents } from '../records/events';
import { linkReadersRef } from '../records/link-readers';
import { listingRef } from '../records/listings';
import type { Organization } from '../records/organizations';
import { listPresentations, type Presentation } from '../records/presentations';
import { listLinks } from '../records/share-links';
import { shareTokenRef } from '../records/share-tokens';
import type { User } from '../records/users';
import type { Version } from '../records/versions';
import { readTokenViews } from '../records/view-counters';
import { listViews, slidesOf } from '../records/views';
import { listWebhooks } from '../records/webhooks';
import { config } from '../config';
import { keyView, organizationView, sessionView, userView } from '../rows/accounts';
import {
  collaboratorView,
  deckView,
  emailSendView,
  linkRulesView,
  linkView,
  versionView,
  viewView,
} from '../rows/decks';
import { eventView } from '../rows/events';
import { iso, takedownView } from '../rows/fields';
import { listingSummary } from '../rows/listings';
import { webhookEventView } from '../rows/webhooks';
import { pageCursor, writeCursor, type Cursor } from '../values/cursor';
import { deckCursor, type DeckCursor } from '../values/deck-cursor';
import { LAST_ID } from '../values/ids';
import type { AccountExport } from '../records/account-exports';
import type { accountFile, deckFile } from './format';

/** The records of an account as JSON: the rows of answers, without tokens, hashes and secrets. */

type Subject = Pick<AccountExport, 'organizationId' | 'requestedAt'>;
export type DeckRecord = z.input<typeof deckFile>;

export async function accountRecord(
  { organizationId, requestedAt }: Subject,
  { user, organization, logoPath }: { user: User; organization: Organization; logoPath: string | null },
): Promise<z.input<typeof accountFile>> {
  const keys = await listApiKeys(organizationId);
  const webhooks = await listWebhooks(organizationId);
  return {
    exportedAt: requestedAt.toISOString(),
    service: config.viewerUrl(),
    user: userView(user),
    organization: organizationView(organization),
    logo: logoPath,
    keys: keys.map(keyView),
    sessions: (await allSessions(user.userId)).map(sessionView),
    webhooks: webhooks.map(webhookEventView),
    sharedDecks: await sharedDecks(user.userId),
  };
}

async function allSessions(userId: string): Promise<DashboardSession[]> {
  const all: DashboardSession[] = [];
  for (let next: string | null | undefined; next !== null;) {
    const page = await listDashboardSessions(userId, 100, next === undefined ? undefined : pageCursor.parse(next));
    all.push(...page.records);
    next = page.next;
  }
  return all;
}

/** The decks of others that the user may change. */
async function sharedDecks(userId: string) {
  const shared: Presentation[] = [];
  let after: DeckCursor = { isShared: true };
  for (;;) {
    const { decks, next } = await listPresentations(userId, 100, after);
    shared.push(...decks);
    if (next === null) break;
    after = deckCursor.parse(next);
  }
  return shared.map(({ presentationId, title, updatedAt }) => ({
    id: presentationId,
    title,
    lastChangedAt: iso(updatedAt),
  }));
}

/** A deck with its versions, links, collaborators and listing. */
export async function deckRecord(
  deck: Presentation,
  versions: readonly Version[],
  { requestedAt }: Subject,
): Promise<DeckRecord> {
  const { presentationId } = deck;
  const tokens = (await listLinks(deck)).filter(({ createdAt, isHeld }) => createdAt <= requestedAt && !isHeld);
  const readers = await read(
    ...tokens.map(({ tokenId, readers: has }) => (has ? linkReadersRef(presentationId, tokenId) : undefined)),
  );
  const views = await readTokenViews(presentationId);
  const [listing] = await read(deck.listingSlug === null ? undefined : listingRef(deck.listingSlug));
  const { remixedFrom } = deck;
  return {
    ...deckView(deck),
    tracking: deck.tracking,
    slidePictures: deck.slidePictures,
    totalViews: views.get('')?.totalViews ?? 0,
    takedown: takedownView(deck.takedown),
    remixedFrom: remixedFrom && { slug: remixedFrom.slug, version: remixedFrom.version },
    versions: versions.map(versionView),
    links: tokens.map((token, i) => {
      const seen = views.get(token.tokenId);
      return {
        ...linkView(deck, token),
        ...linkRulesView(deck, token, requestedAt),
        lastAccessedAt: iso(seen?.lastViewedAt ?? null),
        accessCount: seen?.totalViews ?? 0,
        allowedEmails: readers[i]?.emails ?? null,
        hasShortUrl: token.short !== null,
      };
    }),
    collaborators: (await listCollaborators(presentationId)).map(collaboratorView),
    listing: listing && listing.presentationId === presentationId ? listingSummary(listing) : null,
  };
}

// ---- Lists

/** A file of a list: JSON texts, and the cursor of the next file; null for the last. */
export interface RecordPage {
  rows: string[];
  next: string | null;
}

const MAX_ROWS = 1_000;
const MAX_CHARACTERS = 1_000_000;
const READ_AT_ONCE = 100;

/** Reads pages of a list until a file is full. `read` gets the cursor behind the last page. */
async function fill(
  after: string | null,
  readPage: (after: string | null) => Promise<{ rows: object[]; next: string | null }>,
): Promise<RecordPage> {
  const rows: string[] = [];
  let characters = 0;
  let next = after;
  do {
    const page = await readPage(next);
    const texts = page.rows.map((row) => JSON.stringify(row));
    rows.push(...texts);
    characters += texts.reduce((sum, text) => sum + text.length, 0);
    next = page.next;
  } while (next !== null && rows.length < MAX_ROWS && characters < MAX_CHARACTERS);
  return { rows, next };
}

const cursorOf = (after: string | null): Cursor | undefined => (after === null ? undefined : pageCursor.parse(after));

/** Before everything in a list of the newest first: what is younger than the request is left out. */
const newestAt = ({ requestedAt }: Subject, after: string | null): Cursor =>
  cursorOf(after) ?? { time: requestedAt, id: LAST_ID };

/** The events of the last 30 days, the oldest first. */
export const eventPage = ({ organizationId, requestedAt }: Subject, from: string | null) =>
  fill(from, async (after) => {
    const options = { isAscending: true, limit: READ_AT_ONCE, after: cursorOf(after), now: requestedAt };
    const { records, last, hasMore } = await listEvents(organizationId, {}, options);
    return { rows: records.map((each) => eventView(each, true)), next: hasMore && last ? writeCursor(last) : null };
  });

/** The mails of a deck, the newest first. */
export const mailPage = (deckId: string, subject: Subject, from: string | null) =>
  fill(from, async (after) => {
    const { records, next } = await listEmailSends(deckId, READ_AT_ONCE, newestAt(subject, after));
    const events = await read(...records.map(({ sendId }) => emailEventsRef(deckId, sendId)));
    return { rows: records.map((send, i) => emailSendView(send, newestOf(events[i]))), next };
  });

/** The views of a deck, the newest first. */
export const viewPage = (deckId: string, subject: Subject, from: string | null) =>
  fill(from, async (after) => {
    const { records, next } = await listViews(deckId, {}, READ_AT_ONCE, newestAt(subject, after));
    const tokenIds = [...new Set(records.map(({ tokenId }) => tokenId))];
    const tokens = await read(...tokenIds.map((tokenId) => shareTokenRef(deckId, tokenId)));
    const names = new Map(tokenIds.map((tokenId, i) => [tokenId, tokens[i]?.name ?? '']));
    return { rows: records.map((view) => viewView(view, names.get(view.tokenId)!, slidesOf(view))), next };
  });
