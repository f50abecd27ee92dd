import { z } from 'zod';
import { readLogo } from '../../blobs/logos';
import { config, serviceSecret, serviceSecrets } from '../../config';
import { presentationId as sharedDeckId, token as shareToken } from '../../contract/fields';
import { fileAnswers, pageErrorTypes } from '../../contract/file-answers';
import { descriptionInTime } from '../../decks/deck-preview';
import { failClosed, gateUrlAgain, openPageGrant, ticketUrl } from '../../decks/open-grant';
import { findLink, openLink, type GatedLink, type OpenLink } from '../../decks/open-link';
import { fileOfPicture, PICTURE, pictureAddress, pictureOfLink } from '../../decks/shown-pictures';
import { isOwnLoad } from '../../decks/own-loads';
import { visitorHeaders } from '../../decks/seen';
import { liveTicketOf } from '../../decks/live-header';
import { ownHosts } from '../../decks/own-hosts';
import { fail } from '../../errors';
import type { RawCall } from '../../http/definition';
import { rawEndpoint } from '../../http/endpoint';
import { redirect } from '../../http/redirect';
import { header, pageSegments, query, type Request } from '../../http/request';
import { deliveryOf, sendFile, setViewerHeaders } from '../../http/send-file';
import { sendErrorPage, sendPage } from '../../http/send-page';
import { noticePage } from '../../pages/notice-page';
import { noticeOf } from '../../pages/notice-words';
import { askPage, askPolicy } from '../../pages/ask-page';
import { gatePage, gatePolicy } from '../../pages/gate-page';
import { deckPage, sharePagePolicy, type SharedDeck } from '../../pages/share-page';
import { readFor } from '../../records/database';
import { organizationRef } from '../../records/organizations';
import { labelShape } from '../../values/deck-origins';
import { newLinkGrant, writeGrant, type LinkGrant } from '../../values/deck-grants';
import { readGateToken, writeGateToken } from '../../values/gate-tokens';
import { readPageState } from '../../values/page-states';
import { encodePath } from '../../values/paths';
import { asksForPrivacy, referrerHostOf } from '../../values/visitors';
import { readPictureLink, writePictureLink } from '../../values/picture-links';

/**
 * `/{presentationId}/{folder}/{signed}`, as that of the picture: the organization's logo, and the gate of an opened
 * link.
 */
const [LOGO, AGAIN] = ['logo', 'again'] as const;
/** `/ask/{label}` */
const ASK = 'ask';
const secrets = ['token', 'grant', 'gate'];
const ROBOTS = 'noindex, nofollow';

const Input = z.object({
  presentationId: sharedDeckId,
  token: shareToken.meta({ description: 'The share token: 64 characters.' }),
});

export const sharePage = rawEndpoint({
  name: 'sharePage',
  about:
    'The page behind a share URL at `{viewer_url}/share/{presentationId}?token=…`: the metadata for link previews and ' +
    'the deck in a sandboxed frame. When decks have origins of their own, a navigation of a browser is redirected to ' +
    "the deck's origin. A request of the page counts no view. The request of the entry HTML counts one.",
  input: Input,
  paths: { '': '/{presentationId}' },
  answers: {
    200: {
      description: 'The page, or the picture that it names for link previews.',
      contentTypes: ['text/html', 'image/*'],
      headers: [...fileAnswers[200].headers],
    },
    206: fileAnswers[206],
    304: fileAnswers[304],
    303: {
      description:
        'The request is a navigation of a browser, and decks have origins of their own. `Location` opens the deck ' +
        'for 60 seconds.',
      headers: ['Location', 'Cache-Control'],
    },
  },
  errorTypes: pageErrorTypes,
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['not-found', 'permission-denied', 'revoked', 'expired', 'range-not-satisfiable'],
  runtime: { class: 'page', secrets: [serviceSecret] },
  cost: { roundTrips: 2, reads: 3, writes: 0 },
  passesContext: true,

  async handle(call) {
    const { context, request, response, now } = call;
    const [presentationId = '', folder, signed, ...rest] = pageSegments(request, 'share');
    if (presentationId === ASK && signed === undefined) return sendAskPage(call, folder ?? '');
    if (signed !== undefined && rest.length === 0) {
      if (folder === PICTURE) return sendPicture(call, presentationId, signed);
      if (folder === LOGO) return sendLogo(call, presentationId, signed);
      if (folder === AGAIN) return sendGateAgain(call, presentationId, signed);
    }
    if (folder !== undefined) return fail('not-found');
    const text = query(request).get('grant');
    if (text !== null) return sendOpened(call, presentationId, text);
    const token = query(request).get('token') ?? '';
    const link = await openLink(context, presentationId, token, now);
    if (link.verdict === 'gated') return sendGate(call, link, { token });
    if (link.verdict !== 'open') return fail(link.verdict);

    response.setHeader('Vary', 'Sec-Fetch-Mode');
    const deckOrigin = config.deckOrigin();
    const grant = visitorGrant(call, link);
    // Not `isNavigation`, which believes an Accept header where Sec-Fetch-Mode is missing: robots send one too, and
    // they must get this page.
    if (deckOrigin !== undefined && header(request, 'sec-fetch-mode') === 'navigate') {
      const address = ticketUrl(deckOrigin, grant, now);
      response.setHeader('Referrer-Policy', 'no-referrer');
      response.setHeader('X-Robots-Tag', ROBOTS);
      // The ticket in the address is valid for 60 seconds.
      const cacheControl = 'no-store';
      return redirect(response, { status: 303, location: `${address}${otherQuery(request)}`, cacheControl });
    }
    // The address has the full path of the entry, so that the relative links of an entry in a folder resolve. The page
    // contains the token only in this address.
    const entry = encodePath(link.served.entryPath);
    const form = grant.isOwn ? `_g/${writeGrant(serviceSecrets.current(), 'frame', grant, now)}` : `_f/${token}`;
    const folderUrl = `${config.baseUrl()}/getSharedPresentation/${presentationId}/${form}`;
    const deckUrl = `${folderUrl}/${entry}${otherQuery(request)}`;
    const [description, picture] = await Promise.all([
      descriptionInTime(context, presentationId, link.served),
      pictureOfLink(context, link),
    ]);
    const { title } = link.deck;
    const shown = picture && {
      url: pictureAddress(presentationId, link.tokenId),
      alt: picture.title ?? title,
      pixels: picture.pixels,
    };
    const told = { seen: seenOf(grant, now), live: liveTicketOf(link.deck, grant, now) };
    sendDeckPage(call, { title, description, picture: shown ?? undefined, deckUrl, ...told });
  },

  handleError(error, call) {
    const html = noticePage.html(noticeOf('deck', error), call.requestId);
    sendErrorPage(call, error, { html, policy: noticePage.policy(), robots: ROBOTS });
  },
});

/** What a reader gets who opens a link without a gate. */
function visitorGrant({ request, now }: RawCall, { deck, tokenId }: OpenLink): LinkGrant {
  const { presentationId } = deck;
  const isOwn = isOwnLoad(header(request, 'cookie'), deck, now);
  const from = referrerHostOf(header(request, 'referer'), ownHosts());
  const isPrivate = asksForPrivacy(visitorHeaders(request));
  return newLinkGrant({
    presentationId,
    tokenId,
    ...(isOwn && { isOwn }),
    ...(isPrivate && { isPrivate }),
    ...(from !== undefined && { from }),
  });
}

/**
 * Where the deck in the frame tells what its reader sees, and learns of a live session. Of own loads and of readers who
 * ask for privacy nothing is recorded: the grant in the ticket says so.
 */
function seenOf(grant: LinkGrant, now: Date): SharedDeck['seen'] {
  return { url: `${config.baseUrl()}/recordView`, ticket: writeGrant(serviceSecrets.current(), 'seen', grant, now) };
}

function sendDeckPage({ request, response }: RawCall, deck: SharedDeck): void {
  sendPage(response, request.method, {
    status: 200,
    html: deckPage(deck),
    policy: sharePagePolicy(new URL(config.baseUrl()).origin),
    // The page contains the share token or a grant, so a cache must not store it.
    cacheControl: 'no-store',
    robots: ROBOTS,
  });
}

/** The page of an opened deck without an origin of its own. The grant of its frame ends with the opening. */
async function sendOpened(call: RawCall, presentationId: string, text: string): Promise<void> {
  const { context, request, response, now } = call;
  const { grant, link } = await openPageGrant(context, presentationId, text, now);
  if (link.verdict === 'gated')
    return redirect(response, { status: 303, location: gateUrlAgain(grant, now), cacheControl: 'no-store' });
  if (link.verdict !== 'open') return fail(link.verdict);
  const folderUrl = `${config.baseUrl()}/getSharedPresentation/${presentationId}/_g`;
  const frame = writeGrant(serviceSecrets.current(), 'frame', grant, now);
  const deckUrl = `${folderUrl}/${frame}/${encodePath(link.served.entryPath)}${otherQuery(request)}`;
  const told = { seen: seenOf(grant, now), live: liveTicketOf(link.deck, grant, now) };
  sendDeckPage(call, { title: link.deck.title, deckUrl, ...told });
}

/** The gate for a reader whose grant has ended. The address has no token. */
async function sendGateAgain(call: RawCall, presentationId: string, again: string): Promise<void> {
  const id = readGateToken(serviceSecrets.accepted(), AGAIN, again, call.now);
  if (id?.presentationId !== presentationId) return fail('not-found');
  const link = await findLink(call.context, id, call.now);
  if (link.verdict === 'gated') return sendGate(call, link, { again });
  if (link.verdict !== 'open') return fail(link.verdict);
  fail('permission-denied', undefined, {
    message: 'Open the share link again.',
    nextAction: 'The rules of the link have changed. Open it again from where you got it.',
  });
}

/** The page at which a link asks who opens it. It tells nothing of the deck. */
async function sendGate(
  { context, request, response, now }: RawCall,
  { deck, token }: GatedLink,
  link: { token: string } | { again: string },
): Promise<void> {
  const { presentationId, organizationId } = deck;
  const { tokenId } = token;
  const [found] = await readFor(context, organizationRef(organizationId));
  const sealed = query(request).get('gate') ?? undefined;
  const state =
    sealed === undefined ? undefined : readPageState(serviceSecrets.accepted(), 'gate', tokenId, sealed, now);
  const secret = serviceSecrets.current();
  const isOwn = isOwnLoad(header(request, 'cookie'), deck, now);
  const logo = `${config.viewerUrl()}/share/${presentationId}/${LOGO}/${writePictureLink(secret, presentationId, tokenId)}`;
  const organization = {
    name: found?.name ?? 'Somebody',
    brandPrimary: found?.brandPrimary ?? null,
    logoUrl: found?.logo ? logo : null,
  };
  sendPage(response, request.method, {
    status: 200,
    html: gatePage({
      presentationId,
      link,
      organization,
      asksPasscode: token.passcode !== null,
      asksAddress: token.readers !== null,
      isCounted: token.maxOpenings !== null,
      isTracked: deck.tracking === 'full' && !asksForPrivacy(visitorHeaders(request)),
      state,
      sealed: state && sealed,
      from: state?.from ?? referrerHostOf(header(request, 'referer'), ownHosts()),
      own: isOwn ? writeGateToken(secret, 'own', { presentationId, tokenId }, now) : undefined,
      now,
    }),
    policy: gatePolicy(tokenId, organization),
    cacheControl: 'no-store',
    robots: ROBOTS,
  });
}

/** The page on which a person without a link asks for access. Nothing is read: it is the same for every label. */
function sendAskPage({ request, response, now }: RawCall, label: string): void {
  if (!labelShape.test(label)) return fail('not-found');
  const sealed = query(request).get('gate') ?? undefined;
  const state = sealed === undefined ? undefined : readPageState(serviceSecrets.accepted(), 'ask', label, sealed, now);
  sendPage(response, request.method, {
    status: 200,
    html: askPage({ label, state, sealed: state && sealed, now }),
    policy: askPolicy(),
    cacheControl: 'no-store',
    robots: ROBOTS,
  });
}

/** The logo of the organization, for the gate of one of its links. */
async function sendLogo(call: RawCall, presentationId: string, signed: string): Promise<void> {
  const { context, request, response, now } = call;
  const tokenId = readPictureLink(serviceSecrets.accepted(), presentationId, signed) ?? fail('not-found');
  const link = await findLink(context, { presentationId, tokenId }, now);
  if (link.verdict !== 'open' && link.verdict !== 'gated') return fail(link.verdict);
  const [organization] = await readFor(context, organizationRef(link.deck.organizationId));
  const logo = organization?.logo ?? fail('not-found');
  const bytes = (await readLogo(logo)) ?? fail('not-found');
  setViewerHeaders(response);
  response.setHeader('Content-Security-Policy', `default-src 'none'; style-src 'unsafe-inline'; sandbox`);
  response.setHeader('Cache-Control', 'private, max-age=300');
  response.setHeader('Content-Type', logo.contentType);
  response.setHeader('Content-Length', bytes.length);
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

/** The query of the request as the browser sent it, without what opens the deck. */
function otherQuery({ url }: Request): string {
  const sent = url.slice(url.indexOf('?') + 1).split('&');
  const others = sent.filter(
    (parameter) => parameter && !secrets.some((name) => new URLSearchParams(parameter).has(name)),
  );
  return others.length > 0 ? `?${others.join('&')}` : '';
}

async function sendPicture(call: RawCall, presentationId: string, signed: string): Promise<void> {
  const { context, request, response, now } = call;
  const tokenId = readPictureLink(serviceSecrets.accepted(), presentationId, signed) ?? fail('not-found');
  const link = await findLink(context, { presentationId, tokenId }, now);
  if (link.verdict !== 'open') return failClosed(link.verdict);
  const picture = (await pictureOfLink(context, link)) ?? fail('not-found');
  const file = fileOfPicture(picture);
  setViewerHeaders(response);
  response.setHeader('Content-Security-Policy', `default-src 'none'; sandbox`);
  await sendFile(request, response, {
    context,
    presentationId,
    file,
    place: picture.place,
    delivery: deliveryOf(request, file),
    // A shared cache must not keep it: it would answer after the link was revoked.
    cacheControl: 'private, max-age=300, must-revalidate',
  });
}
