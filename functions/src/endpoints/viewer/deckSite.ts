import { serviceSecret, serviceSecrets } from '../../config';
import { fileAnswers, pageErrorTypes } from '../../contract/file-answers';
import { findAnswer } from '../../decks/deck-files';
import { countLinkView } from '../../decks/link-views';
import { failClosed as failLink, gateUrlAgain, openGrant, type Opened } from '../../decks/open-grant';
import type { OpenDeck, OpenLink } from '../../decks/open-link';
import { liveTicketOf, setLiveHeader } from '../../decks/live-header';
import { BEACON_BYTES, readBeacon, recordBeacon, visitorHeaders } from '../../decks/seen';
import { fail } from '../../errors';
import { sendRuntime, type RuntimeForm } from '../../http/deck-runtime';
import { CLOSED, labelOf, sendDeckError, setDeckHeaders } from '../../http/deck-site';
import type { RawCall } from '../../http/definition';
import { rawEndpoint } from '../../http/endpoint';
import { readBody } from '../../http/body';
import { sendNothing } from '../../http/nothing';
import { redirect } from '../../http/redirect';
import { header, isNavigation, purposeOf, type Request } from '../../http/request';
import { deliveryOf, sendFile } from '../../http/send-file';
import { assertShown } from '../../marketplace/shown-listing';
import { readAddress, type Address } from '../../policy/deck-addresses';
import { isView } from '../../policy/deck-views';
import { startsAtZero, wholeOf } from '../../policy/delivery';
import type { ManifestPointer } from '../../policy/manifest';
import { readFor } from '../../records/database';
import { findSlug } from '../../records/listing-labels';
import { listingRef } from '../../records/listings';
import { isHtml, servedType } from '../../values/content-types';
import {
  grantCookie,
  grantedAt,
  grantsOf,
  isPreview,
  labelOfGrant,
  readGrant,
  writeGrant,
  type Grant,
  type Granted,
} from '../../values/deck-grants';
import { useTicket } from '../../records/openings';

export const deckSite = rawEndpoint({
  name: 'deckSite',
  about:
    'Serves decks on origins of their own, behind the wildcard host of `DECK_ORIGIN`: one origin for each link, for ' +
    'each listing, and for each version that a person previews; the address below the base URL answers 421. A share ' +
    'link or a preview opens its origin with a ticket of 60 seconds, which becomes a cookie. The files of a deck are ' +
    'at their own paths, isolated from other origins when `_headers` of the version asks for it; during a live session ' +
    'its pages have the ticket with which they follow. `POST /_deck/seen` ' +
    'takes the beacons of its pages, as recordView does.',
  answers: {
    ...fileAnswers,
    204: { description: 'The answer to every beacon.', headers: ['Cache-Control', 'Deck-Live'] },
    303: {
      description:
        'The ticket is accepted, or the page has another address: that of its folder, or the gate of a link whose ' +
        'opening has ended.',
      headers: ['Location', 'Cache-Control', 'Set-Cookie'],
    },
  },
  errorTypes: pageErrorTypes,
  // A deck may have a page of its own for missing files.
  errorHeaders: { 404: ['ETag'] },
  method: ['GET', 'HEAD', 'POST'],
  caller: 'anyone',
  errors: ['permission-denied', 'revoked', 'not-found', 'expired', 'range-not-satisfiable', 'misdirected-request'],
  runtime: { class: 'viewer', secrets: [serviceSecret] },
  cost: { roundTrips: 3, reads: 3, writes: 2, bucketCalls: 1 },
  isSameOrigin: true,
  passesContext: true,

  async handle(call) {
    const { request, response } = call;
    setDeckHeaders(request, response);
    const label = labelOf(request) ?? fail('misdirected-request');
    assertNoServiceWorker(request);
    const address = readAddress(request.url);
    if (request.method === 'POST') return takeBeacon(call, label, address);
    if (address.path?.startsWith('_open/')) return openDeck(call, label, address);
    if (address.path?.startsWith('_deck/')) return answerRuntime(call, address);
    const grant = grantOf(call, label);
    if (!grant) return answerFile(call, address, await listedDeck(call, label));
    const opened = await openGrant(call.context, grant, call.now);
    if (opened.verdict === 'gated') return askAgain(call, grant);
    await answerFile(call, address, grantedDeck(call, grant, assertOpen(opened)));
  },

  handleError: sendDeckError,
});

/** A version that an origin serves. */
interface ServedDeck {
  presentationId: string;
  version: ManifestPointer;
  /** Whether shared caches may keep the files. */
  isPublic: boolean;
  runtime: RuntimeForm;
  /** The ticket of the live session of the link. */
  live?: string | undefined;
  /** Counts a view. Absent when the request is not one, whatever it asks for. */
  countView?: (() => Promise<void>) | undefined;
}

/** A service worker would go on to serve a deck whose link is revoked. */
function assertNoServiceWorker(request: Request): void {
  if (header(request, 'service-worker') === undefined) return;
  fail('permission-denied', undefined, {
    message: 'A deck cannot install a service worker.',
    nextAction: 'Use the cache of the browser. The files of a deck are kept for 5 minutes.',
  });
}

/**
 * The answer to every address of an origin that the request may not open, whether the origin exists or not. Its page
 * leads to the one that asks for access.
 */
function failClosed(): never {
  return fail('not-found', CLOSED, {
    message: 'Open the share link to see the presentation.',
    nextAction:
      'This address alone opens nothing: open the link that you were sent. If you come from that link, your browser ' +
      'has not kept the cookie of this site. Allow its cookies and open the link again.',
  });
}

/** Exchanges the ticket in the address for a grant in a cookie. */
async function openDeck(call: RawCall, label: string, { path, query }: Address): Promise<void> {
  const { response, now } = call;
  const ticket = readGrant(serviceSecrets.accepted(), 'ticket', path!.slice('_open/'.length), now);
  if (!ticket || labelOfGrant(ticket) !== label) return failClosed();
  const opened = await openGrant(call.context, ticket, now);
  if (opened.verdict === 'gated') return askAgain(call, ticket);
  assertOpen(opened);
  if (!isPreview(ticket) && ticket.opening && !(await useTicket(ticket, call.context, now))) {
    // The browser that has the grant of this ticket reloads the address.
    const grant = grantOf(call, label);
    if (!grant || isPreview(grant) || grant.id !== ticket.id) return failClosed();
    return redirect(response, { status: 303, location: `/${query}`, cacheControl: 'no-store' });
  }
  response.setHeader('Set-Cookie', grantCookie(writeGrant(serviceSecrets.current(), 'grant', ticket, now), ticket));
  redirect(response, { status: 303, location: `/${query}`, cacheControl: 'no-store' });
}

/** A beacon of a page of the deck. The answer is always the same. */
async function takeBeacon(call: RawCall, label: string, { path }: Address): Promise<void> {
  const { context, request, response, now } = call;
  if (path !== '_deck/seen') {
    response.setHeader('Allow', 'GET, HEAD');
    return fail('method-not-allowed');
  }
  const grant = isFromThisOrigin(request) ? grantOf(call, label) : undefined;
  const body = await readBody(request, BEACON_BYTES).catch(() => undefined);
  const sent = body && readBeacon(body);
  if (grant && !isPreview(grant) && sent) {
    const sighting = { grant, grantedAt: grantedAt(grant), headers: visitorHeaders(request), now };
    const { beacon } = sent;
    await Promise.all([beacon && recordBeacon(context, sighting, beacon), setLiveHeader(call, grant)]);
  }
  sendNothing(response);
}

/** All decks are one site: a page of another deck could send with the cookie of this one. */
function isFromThisOrigin(request: Request): boolean {
  const site = header(request, 'sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  return originHostOf(request) === header(request, 'host')?.toLowerCase();
}

function originHostOf(request: Request): string | undefined {
  const origin = header(request, 'origin');
  return origin !== undefined && URL.canParse(origin) ? new URL(origin).host : undefined;
}

function answerRuntime({ request, response }: RawCall, { path }: Address): void {
  if (!sendRuntime(request, response, path!.slice('_deck/'.length))) failClosed();
}

/** The first grant for this label among the cookies. */
function grantOf({ request, now }: RawCall, label: string): Grant | undefined {
  const cookies = header(request, 'cookie');
  if (cookies === undefined) return undefined;
  return grantsOf(cookies)
    .map((text) => readGrant(serviceSecrets.accepted(), 'grant', text, now))
    .find((grant) => grant && labelOfGrant(grant) === label);
}

function assertOpen(opened: Opened): OpenLink | OpenDeck {
  if (opened.verdict === 'open') return opened;
  return opened.verdict === 'not-found' ? failClosed() : failLink(opened.verdict);
}

/** The grant of an opening has ended: a page leads to the gate of the link, and a file is refused. */
function askAgain({ request, response, now }: RawCall, grant: Granted): void {
  if (isPreview(grant) || !isNavigation(request)) return failLink('gated');
  redirect(response, { status: 303, location: gateUrlAgain(grant, now), cacheControl: 'no-store' });
}

/** The version that a link or a preview opens. A preview counts no view. */
function grantedDeck({ context, request, now }: RawCall, grant: Grant, opened: OpenLink | OpenDeck): ServedDeck {
  const purpose = {
    purpose: purposeOf(request),
    destination: header(request, 'sec-fetch-dest'),
    site: header(request, 'sec-fetch-site'),
  };
  const counts = request.method === 'GET' && isNavigation(request) && isView(purpose, grantedAt(grant), now);
  const isReader = !isPreview(grant) && !grant.isOwn;
  return {
    presentationId: opened.deck.presentationId,
    version: opened.served,
    isPublic: false,
    // A preview tells nothing. The beacons of own loads are dropped, and learn of a live session.
    runtime: isPreview(grant) ? 'linked' : 'observed',
    live: isPreview(grant) ? undefined : liveTicketOf(opened.deck, grant, now),
    countView: counts && 'tokenId' in opened ? () => countLinkView(context, opened, !isReader, now) : undefined,
  };
}

/** The version that a listing shows. One round trip when the instance knows the label, otherwise two. */
async function listedDeck({ context }: RawCall, label: string): Promise<ServedDeck> {
  const slug = (await findSlug(context, label)) ?? failClosed();
  const [listing] = await readFor(context, listingRef(slug));
  const { presentationId, pinned } = assertShown(listing);
  return { presentationId, version: pinned, isPublic: true, runtime: 'linked' };
}

async function answerFile(call: RawCall, { path, query }: Address, deck: ServedDeck): Promise<void> {
  const { context, request, response } = call;
  const { presentationId, version, runtime, live } = deck;
  const { isolation } = version;
  setDeckHeaders(request, response, isolation);
  const asked = { path, isNavigation: isNavigation(request), entryPath: version.entryPath };
  const answer = await findAnswer(context, presentationId, version, asked);
  if (!answer) return failMissing();
  if ('redirect' in answer) {
    const location = `${answer.redirect}${query}`;
    return redirect(response, { status: 303, location, cacheControl: cachingOf(deck, true) });
  }
  const contentType = servedType(answer.file);
  const file = contentType === answer.file.contentType ? answer.file : { ...answer.file, contentType };
  const { isEntry, status } = answer;
  const delivery = status ? wholeOf(file) : deliveryOf(request, file, { runtime, live, isolation });
  await sendFile(request, response, {
    context,
    presentationId,
    file,
    delivery,
    status,
    runtime,
    live,
    isolation,
    cacheControl: cachingOf(deck, isHtml(file)),
    beforeEnd: isEntry && startsAtZero(delivery) ? deck.countView : undefined,
  });
}

function failMissing(): never {
  return fail('not-found', undefined, {
    message: 'The presentation has no page at this address.',
    nextAction: 'Go back, or open the link of the presentation again.',
  });
}

/** Pages are asked for again each time: their answer tells a browser that their link was revoked. */
function cachingOf({ isPublic }: ServedDeck, isPage: boolean): string {
  if (isPublic) return isPage ? 'public, no-cache' : 'public, max-age=300, s-maxage=3600';
  return isPage ? 'private, no-cache' : 'private, max-age=300, must-revalidate';
}
