import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../context';
import { beacon as beaconFields } from '../contract/beacon';
import { header, purposeOf, type Request } from '../http/request';
import { logWarning } from '../log';
import { addBeacon, hasLoad, isOfPerson, noTotals, type Beacon, type ViewTotals } from '../policy/view-totals';
import { readFor } from '../records/database';
import { openingRef } from '../records/openings';
import { shareTokenRef } from '../records/share-tokens';
import {
  beginView,
  currentView,
  extendView,
  findViews,
  totalsOf,
  type BeginningView,
  type NewView,
  type StoredView,
  type ViewsOfGrant,
} from '../records/views';
import { isToBeTold } from '../records/view-notices';
import type { LinkGrant } from '../values/deck-grants';
import { asksForPrivacy, deviceOf, isRobot, languageOf, type VisitorHeaders } from '../values/visitors';
import { KB } from '../values/units';
import { openGrantedLink, type OpenLink } from './open-link';

/** The largest body of a beacon, in bytes. */
export const BEACON_BYTES = 16 * KB;

export const visitorHeaders = (request: Request): VisitorHeaders => ({
  userAgent: header(request, 'user-agent'),
  isMobile: header(request, 'sec-ch-ua-mobile'),
  acceptLanguage: header(request, 'accept-language'),
  purpose: purposeOf(request),
  privacyControl: header(request, 'sec-gpc'),
  doNotTrack: header(request, 'dnt'),
});

/** What was seen of the load of a deck, and by which headers. */
interface Sighting {
  grant: LinkGrant;
  /** No load of this grant is older. */
  grantedAt: Date;
  headers: VisitorHeaders;
  now: Date;
}

/** What a page sends. Undefined for a body that is not JSON. One without a beacon asks for the live session alone. */
export function readBeacon(body: Buffer): { beacon: Beacon | undefined; ticket: string | undefined } | undefined {
  try {
    const sent: unknown = JSON.parse(body.toString());
    const { ticket } = sent as { ticket?: unknown };
    const slides = (sent as { slides?: unknown }).slides;
    // A slide that is not one is dropped, and not its beacon.
    const kept = Array.isArray(slides) ? slides.filter((each) => slideFields.safeParse(each).success) : null;
    const parsed = beaconFields.safeParse({ ...(sent as object), slides: kept });
    return { beacon: parsed.data, ticket: typeof ticket === 'string' ? ticket : undefined };
  } catch {
    return undefined;
  }
}

const slideFields = beaconFields.shape.slides.unwrap().unwrap().element;

/**
 * Records a beacon in the view of its grant. Nothing comes of one of the owner or a dev, of a robot, of a reader who
 * asks for privacy, and of a closed link. It never rejects: a beacon that is lost shows nowhere.
 */
export async function recordBeacon(context: Context, sighting: Sighting, beacon: Beacon): Promise<void> {
  await record(context, sighting, beacon).catch((error: unknown) =>
    logWarning('A beacon was not recorded.', error, {}, context),
  );
}

/** Records that a person opened a link in a browser that runs no scripts. It never rejects. */
export async function recordOpening(context: Context, sighting: Sighting): Promise<void> {
  await record(context, sighting, undefined).catch((error: unknown) =>
    logWarning('A view was not recorded.', error, {}, context),
  );
}

/** Two beacons of one reader meet, and then the fold of the minute. */
const MAX_TRIES = 6;
const PAUSE_MS = 15;

async function record(context: Context, sighting: Sighting, beacon: Beacon | undefined): Promise<void> {
  const { grant, headers, now } = sighting;
  if (grant.isOwn || grant.isPrivate || asksForPrivacy(headers) || isRobot(headers)) return;
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const [link, found] = await Promise.all([openGrantedLink(context, grant, now), findViews(context, grant)]);
    if (link.verdict !== 'open' || link.deck.tracking === 'count') return;
    const known = viewOf(found, beacon, now);
    if (!known && beacon && !isOfPerson(beacon)) return;
    const totals = known ? totalsOf(known.record) : noTotals();
    if (!isNews(totals, sighting, beacon, known !== undefined)) return;
    const seen = { totals, hasScript: beacon !== undefined || known?.record.hasScript === true, at: now };
    const isWritten = known
      ? await extendView(context, known, seen)
      : await beginView(context, found, await newView(context, sighting, link), seen);
    if (isWritten) return;
    await pause(Math.random() * PAUSE_MS * tries);
  }
  throw new Error('Too many requests wrote the view at the same time.');
}

/** The view to which a load belongs. One that goes on after a pause stays in its view, also beside a newer one. */
function viewOf(found: ViewsOfGrant, beacon: Beacon | undefined, now: Date): StoredView | undefined {
  const current = currentView(found, now);
  const others = [...new Set([found.newest, found.first])].filter((each) => each !== current);
  const isOfLoad = (each: StoredView | undefined) => each && beacon && hasLoad(totalsOf(each.record), beacon.loadId);
  return others.find(isOfLoad) ?? current;
}

function isNews(
  totals: ViewTotals,
  { now, grantedAt }: Sighting,
  beacon: Beacon | undefined,
  isKnown: boolean,
): boolean {
  return beacon ? addBeacon(totals, beacon, now, grantedAt) : !isKnown;
}

/** What is known of a reader when a view begins. */
async function newView(
  context: Context,
  { grant, headers }: Sighting,
  { deck, served }: OpenLink,
): Promise<NewView & BeginningView> {
  const { presentationId, organizationId, title } = deck;
  const { tokenId } = grant;
  return {
    presentationId,
    organizationId,
    title,
    grantId: grant.id,
    tokenId,
    ...(await knownOf(context, grant)),
    version: served.version,
    device: deviceOf(headers),
    language: languageOf(headers.acceptLanguage),
    referrerHost: grant.from ?? null,
  };
}

/** The address that the reader proved, or that of the recipient of the link, and whether the owner is told. */
async function knownOf(
  context: Context,
  { presentationId, tokenId, id, opening }: LinkGrant,
): Promise<Pick<NewView, 'email' | 'emailIsProven'> & Pick<BeginningView, 'isNoticed' | 'tokenName'>> {
  const [token, opened] = await readFor(
    context,
    shareTokenRef(presentationId, tokenId),
    opening?.reader && openingRef(presentationId, id),
  );
  const email = opened?.email ?? token?.recipient ?? null;
  return {
    email,
    emailIsProven: typeof opened?.email === 'string',
    isNoticed: token !== undefined && isToBeTold(token),
    tokenName: token?.name ?? '',
  };
}
