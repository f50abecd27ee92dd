import { z } from 'zod';
import { config, serviceSecret, serviceSecrets } from '../../config';
import { presentationId as sharedDeckId, token as shareToken } from '../../contract/fields';
import { fileAnswers, pageAnswer, pageErrorTypes } from '../../contract/file-answers';
import { previewInTime, previewOf } from '../../decks/deck-preview';
import { openGrantedLink, openLink } from '../../decks/open-link';
import { fail, type ErrorCode } from '../../errors';
import type { RawCall } from '../../http/definition';
import { setErrorHeaders } from '../../http/envelope';
import { rawEndpoint } from '../../http/endpoint';
import { header, pageSegments, query, type Request } from '../../http/request';
import { deliveryOf, sendFile, setViewerHeaders } from '../../http/send-file';
import { sendPage } from '../../http/send-page';
import { deckPage, noticePage, sharePagePolicy } from '../../pages/share-page';
import { writeGrant } from '../../values/deck-grants';
import { labelOfToken, originOf } from '../../values/deck-origins';
import { encodePath } from '../../values/paths';
import { readPictureLink, writePictureLink } from '../../values/picture-links';

/** `/{presentationId}/picture/{signed}` is the address of the deck's picture. */
const PICTURE = 'picture';

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
    ...pageAnswer('The page, or the picture that it names for link previews.'),
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
  passesContext: true,

  async handle(call) {
    const { context, request, now } = call;
    const [presentationId = '', folder, signed, ...rest] = pageSegments(request, 'share');
    if (folder === PICTURE && signed !== undefined && rest.length === 0)
      return sendPicture(call, presentationId, signed);
    if (folder !== undefined) return fail('not-found');
    const token = query(request).get('token') ?? '';
    const link = await openLink(context, presentationId, token, now);
    if (link.verdict !== 'open') return fail(link.verdict);

    call.response.setHeader('Vary', 'Sec-Fetch-Mode');
    const deckOrigin = config.deckOrigin();
    if (deckOrigin !== undefined && header(request, 'sec-fetch-mode') === 'navigate') {
      return redirect(call, `${openingAddress(deckOrigin, presentationId, link.tokenId, now)}${otherQuery(request)}`);
    }
    // The address has the full path of the entry, so that the relative links of an entry in a folder resolve. The page
    // contains the token only in this address.
    const entry = encodePath(link.served.entryPath);
    const deckUrl = `${config.baseUrl()}/getSharedPresentation/${presentationId}/_f/${token}/${entry}${otherQuery(request)}`;
    const { description, picture } = await previewInTime(context, presentationId, link.served);
    const pictureUrl = picture && pictureAddress(presentationId, link.tokenId);
    answer(call, 200, deckPage({ title: link.deck.title, description, pictureUrl, deckUrl }));
  },

  handleError(error, call) {
    setErrorHeaders(call.response, error);
    const [heading, text] = notices[error.code] ?? notices.internal;
    answer(call, error.status, noticePage(heading, text));
  },
});

const notices: Partial<Record<ErrorCode, readonly [string, string]>> & { internal: readonly [string, string] } = {
  'not-found': [
    'This link does not open a presentation',
    'The link may be mistyped or incomplete. Ask the sender for the whole link.',
  ],
  revoked: ['This link was revoked', 'The owner of the presentation revoked it. Ask the owner for a new link.'],
  expired: ['This presentation has expired', 'The owner shared it for a limited time. Ask the owner for more time.'],
  'range-not-satisfiable': ['The picture has no such part', 'Ask for the whole picture.'],
  'method-not-allowed': ['This page can only be read', 'Open its address in a browser.'],
  internal: ['Something went wrong', 'The error is on our side. Try again in a minute.'],
};

/** The address at which a browser gets the grant for the link, on the origin of the link's deck. */
function openingAddress(deckOrigin: string, presentationId: string, tokenId: string, now: Date): string {
  const ticket = writeGrant(serviceSecrets.current(), 'ticket', { presentationId, tokenId }, now);
  return `${originOf(deckOrigin, labelOfToken(tokenId))}/_open/${ticket}`;
}

/** The query of the request as the browser sent it, without the share token. */
function otherQuery({ url }: Request): string {
  const sent = url.slice(url.indexOf('?') + 1).split('&');
  const others = sent.filter((parameter) => parameter && !new URLSearchParams(parameter).has('token'));
  return others.length > 0 ? `?${others.join('&')}` : '';
}

/** The browser keeps the fragment of its address, because `address` has none. */
function redirect({ response }: RawCall, address: string): void {
  response.statusCode = 303;
  response.setHeader('Location', address);
  // The ticket in the address is valid for 60 seconds.
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Robots-Tag', 'noindex, nofollow');
  response.end();
}

/** An address for robots: it opens the picture while the link is open, and nothing else. */
const pictureAddress = (presentationId: string, tokenId: string) =>
  `${config.viewerUrl()}/share/${presentationId}/${PICTURE}/${writePictureLink(serviceSecrets.current(), presentationId, tokenId)}`;

async function sendPicture(call: RawCall, presentationId: string, signed: string): Promise<void> {
  const { context, request, response, now } = call;
  const tokenId = readPictureLink(serviceSecrets.accepted(), presentationId, signed) ?? fail('not-found');
  const link = await openGrantedLink(context, { presentationId, tokenId }, now);
  if (link.verdict !== 'open') return fail(link.verdict);
  const { picture: file = fail('not-found') } = await previewOf(context, presentationId, link.served);
  setViewerHeaders(response);
  response.setHeader('Content-Security-Policy', `default-src 'none'; sandbox`);
  await sendFile(request, response, {
    ...{ context, presentationId, file },
    delivery: deliveryOf(request, file),
    // A shared cache must not keep it: it would answer after the link was revoked.
    cacheControl: 'private, max-age=300, must-revalidate',
  });
}

function answer({ request, response }: RawCall, status: number, html: string): void {
  sendPage(response, request.method, {
    status,
    html,
    policy: sharePagePolicy(new URL(config.baseUrl()).origin),
    // The page contains the share token, so a cache must not store it.
    cacheControl: 'no-store',
    robots: 'noindex, nofollow',
  });
}
