import { z } from 'zod';
import { config, serviceSecret, serviceSecrets } from '../../config';
import { presentationId as sharedDeckId, token as shareToken } from '../../contract/fields';
import { fileAnswers, pageErrorTypes } from '../../contract/file-answers';
import { descriptionInTime } from '../../decks/deck-preview';
import { openGrantedLink, openLink } from '../../decks/open-link';
import { fileOfPicture, pictureOfLink } from '../../decks/shown-pictures';
import { isOwnLoad } from '../../decks/own-loads';
import { fail } from '../../errors';
import type { RawCall } from '../../http/definition';
import { rawEndpoint } from '../../http/endpoint';
import { redirect } from '../../http/redirect';
import { header, pageSegments, query, type Request } from '../../http/request';
import { deliveryOf, sendFile, setViewerHeaders } from '../../http/send-file';
import { sendErrorPage, sendPage } from '../../http/send-page';
import { noticePage } from '../../pages/notice-page';
import { noticeOf } from '../../pages/notice-words';
import { deckPage, sharePagePolicy } from '../../pages/share-page';
import { writeGrant, type LinkGrant } from '../../values/deck-grants';
import { labelOfToken, originOf } from '../../values/deck-origins';
import { encodePath } from '../../values/paths';
import { readPictureLink, writePictureLink } from '../../values/picture-links';

/** `/{presentationId}/picture/{signed}` is the address of the deck's picture. */
const PICTURE = 'picture';
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
  errors: ['not-found', 'revoked', 'expired', 'range-not-satisfiable', 'internal'],
  runtime: { class: 'page', secrets: [serviceSecret] },
  cost: { roundTrips: 2, reads: 3, writes: 0 },
  passesContext: true,

  async handle(call) {
    const { context, request, response, now } = call;
    const [presentationId = '', folder, signed, ...rest] = pageSegments(request, 'share');
    if (folder === PICTURE && signed !== undefined && rest.length === 0)
      return sendPicture(call, presentationId, signed);
    if (folder !== undefined) return fail('not-found');
    const token = query(request).get('token') ?? '';
    const link = await openLink(context, presentationId, token, now);
    if (link.verdict !== 'open') return fail(link.verdict);

    response.setHeader('Vary', 'Sec-Fetch-Mode');
    const deckOrigin = config.deckOrigin();
    // Not `isNavigation`, which believes an Accept header where Sec-Fetch-Mode is missing: robots send one too, and
    // they must get this page.
    if (deckOrigin !== undefined && header(request, 'sec-fetch-mode') === 'navigate') {
      const isOwn = isOwnLoad(header(request, 'cookie'), link.deck, now);
      const address = openingAddress(deckOrigin, { presentationId, tokenId: link.tokenId, isOwn }, now);
      response.setHeader('Referrer-Policy', 'no-referrer');
      response.setHeader('X-Robots-Tag', ROBOTS);
      // The ticket in the address is valid for 60 seconds.
      const cacheControl = 'no-store';
      return redirect(response, { status: 303, location: `${address}${otherQuery(request)}`, cacheControl });
    }
    // The address has the full path of the entry, so that the relative links of an entry in a folder resolve. The page
    // contains the token only in this address.
    const entry = encodePath(link.served.entryPath);
    const folderUrl = `${config.baseUrl()}/getSharedPresentation/${presentationId}/_f/${token}`;
    const deckUrl = `${folderUrl}/${entry}${otherQuery(request)}`;
    const [description, picture] = await Promise.all([
      descriptionInTime(context, presentationId, link.served),
      pictureOfLink(context, link),
    ]);
    const pictureUrl = picture ? pictureAddress(presentationId, link.tokenId) : undefined;
    const html = deckPage({ title: link.deck.title, description, pictureUrl, deckUrl });
    sendPage(response, request.method, {
      status: 200,
      html,
      policy: sharePagePolicy(new URL(config.baseUrl()).origin),
      // The page contains the share token, so a cache must not store it.
      cacheControl: 'no-store',
      robots: ROBOTS,
    });
  },

  handleError(error, call) {
    const html = noticePage.html(noticeOf('deck', error), call.requestId);
    sendErrorPage(call, error, { html, policy: noticePage.policy(), robots: ROBOTS });
  },
});

/** The address at which a browser gets the grant for the link, on the origin of the link's deck. */
function openingAddress(deckOrigin: string, link: LinkGrant, now: Date): string {
  const ticket = writeGrant(serviceSecrets.current(), 'ticket', link, now);
  return `${originOf(deckOrigin, labelOfToken(link.tokenId))}/_open/${ticket}`;
}

/** The query of the request as the browser sent it, without the share token. */
function otherQuery({ url }: Request): string {
  const sent = url.slice(url.indexOf('?') + 1).split('&');
  const others = sent.filter((parameter) => parameter && !new URLSearchParams(parameter).has('token'));
  return others.length > 0 ? `?${others.join('&')}` : '';
}

/** An address for robots: it opens the picture while the link is open, and nothing else. */
function pictureAddress(presentationId: string, tokenId: string): string {
  const signed = writePictureLink(serviceSecrets.current(), presentationId, tokenId);
  return `${config.viewerUrl()}/share/${presentationId}/${PICTURE}/${signed}`;
}

async function sendPicture(call: RawCall, presentationId: string, signed: string): Promise<void> {
  const { context, request, response, now } = call;
  const tokenId = readPictureLink(serviceSecrets.accepted(), presentationId, signed) ?? fail('not-found');
  const link = await openGrantedLink(context, { presentationId, tokenId }, now);
  if (link.verdict !== 'open') return fail(link.verdict);
  const file = fileOfPicture((await pictureOfLink(context, link)) ?? fail('not-found'));
  setViewerHeaders(response);
  response.setHeader('Content-Security-Policy', `default-src 'none'; sandbox`);
  await sendFile(request, response, {
    context,
    presentationId,
    file,
    delivery: deliveryOf(request, file),
    // A shared cache must not keep it: it would answer after the link was revoked.
    cacheControl: 'private, max-age=300, must-revalidate',
  });
}
