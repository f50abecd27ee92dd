import { z } from 'zod';
import { serviceSecret, serviceSecrets } from '../../config';
import { assetPath, presentationId as sharedDeckId, token as shareToken } from '../../contract/fields';
import { fileAnswers, folderRedirect, pageErrorTypes } from '../../contract/file-answers';
import { countLinkView } from '../../decks/link-views';
import { failClosed, openGrant, type Opened } from '../../decks/open-grant';
import { openLink } from '../../decks/open-link';
import { fail } from '../../errors';
import { sendRuntime } from '../../http/deck-runtime';
import type { RawCall } from '../../http/definition';
import { rawEndpoint } from '../../http/endpoint';
import { redirect } from '../../http/redirect';
import { pathSegments, query, type Request } from '../../http/request';
import { deliveryOf, sendFile, setViewerHeaders } from '../../http/send-file';
import { sendViewerError } from '../../http/viewer-errors';
import { startsAtZero } from '../../policy/delivery';
import { findFile } from '../../records/manifests';
import { isPreview, readGrant } from '../../values/deck-grants';
import { normalizePath } from '../../values/paths';

const Input = z.object({
  presentationId: sharedDeckId,
  token: shareToken.meta({ description: 'The share token: 64 characters. Below `_g`, the signed grant.' }),
  assetPath,
});

export const getSharedPresentation = rawEndpoint({
  name: 'getSharedPresentation',
  about:
    'Serves the files of a shared deck to everybody who has the share token. An unknown deck, a wrong token, a ' +
    'missing token and an unknown file give the same 404; a link that asks who opens it gives 403. A GET of the entry ' +
    'HTML counts a view. Below `_t` every file is exact; below `_f`, for decks in a frame, HTML that a browser ' +
    'navigates to begins with a script of the service; below `_g` as below `_f`, with a signed grant of openShareLink ' +
    'or previewPresentationVersion in place of the token, and no view for the latter.',
  input: Input,
  paths: {
    '': '/{presentationId}/_t/{token}/{assetPath}',
    Framed: '/{presentationId}/_f/{token}/{assetPath}',
    Granted: '/{presentationId}/_g/{token}/{assetPath}',
    ByQuery: '/{presentationId}/{assetPath}',
  },
  answers: { ...fileAnswers, ...folderRedirect },
  errorTypes: pageErrorTypes,
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['invalid-argument', 'permission-denied', 'revoked', 'not-found', 'expired', 'range-not-satisfiable'],
  runtime: { class: 'viewer', secrets: [serviceSecret] },
  cost: { roundTrips: 3, reads: 3, writes: 2, bucketCalls: 1 },
  passesContext: true,

  async handle(call) {
    const { context, request, response, now } = call;
    setViewerHeaders(response);
    const [folder, name] = pathSegments(request) ?? [];
    if (folder === '_deck' && sendRuntime(request, response, name ?? '')) return;
    const address = readAddress(request);
    if (!address.presentationId) {
      fail('invalid-argument', { errors: [{ location: 'path', message: 'A presentationId is needed.' }] });
    }
    if (address.needsSlash) {
      // The target is relative, because the function does not know its own base address.
      const location = `${encodeURIComponent(address.token)}/`;
      return redirect(response, { status: 308, location, cacheControl: 'private, no-store' });
    }

    const { opened, isOwn } = await open(call, address);
    if (opened.verdict !== 'open') return failClosed(opened.verdict);
    const { served } = opened;
    const { presentationId } = opened.deck;
    const path = normalizePath(address.assetPath) || served.entryPath;
    const file = (await findFile(context, presentationId, served, path)) ?? fail('not-found');

    const { runtime } = address;
    const delivery = deliveryOf(request, file, { runtime });
    const isView = path === served.entryPath && request.method === 'GET' && startsAtZero(delivery);
    await sendFile(request, response, {
      context,
      presentationId,
      file,
      delivery,
      runtime,
      cacheControl: 'private, max-age=300, must-revalidate',
      beforeEnd: isView && 'tokenId' in opened ? () => countLinkView(context, opened, isOwn, now) : undefined,
    });
  },

  handleError: (error, call) => sendViewerError(error, call, assetPathOf(call.request)),
});

interface Address {
  presentationId: string;
  /** The share token, or the signed grant of the form `_g`. */
  token: string;
  isGrant?: boolean;
  assetPath: string;
  /** Whether the last slash after the token is missing. Relative links would not resolve against the address. */
  needsSlash: boolean;
  /** How pages get the runtime. Without it they are exact. */
  runtime?: 'inline' | undefined;
}

/** What the token or the grant in the address opens, and whether it is of the owner or a dev. One round trip. */
async function open(
  { context, now }: RawCall,
  { presentationId, token, isGrant }: Address,
): Promise<{ opened: Opened; isOwn: boolean }> {
  if (!isGrant) return { opened: await openLink(context, presentationId, token, now), isOwn: false };
  const grant = readGrant(serviceSecrets.accepted(), 'frame', token, now);
  if (grant?.presentationId !== presentationId) return { opened: { verdict: 'not-found' }, isOwn: false };
  return { opened: await openGrant(context, grant, now), isOwn: !isPreview(grant) && grant.isOwn === true };
}

/** The forms with the token in the path: for exact files, for decks in a frame, and that with a grant for the token. */
const forms = ['_t', '_f', '_g'];

/**
 * `/{id}/_t/{token}/{assetPath}`, the same with `_f`, `/{id}/_g/{grant}/{assetPath}`, `/{id}/{assetPath}?token=`, or
 * everything in the query.
 */
function readAddress(request: Request): Address {
  const [first = '', ...rest] = pathSegments(request) ?? fail('not-found');
  const presentationId = first || (query(request).get('presentationId') ?? '');
  const [form = '', token, ...path] = rest;
  if (forms.includes(form) && token !== undefined) {
    return {
      presentationId,
      token,
      assetPath: path.join('/'),
      needsSlash: path.length === 0 && token !== '',
      isGrant: form === '_g',
      runtime: form === '_t' ? undefined : 'inline',
    };
  }
  const asked = query(request);
  const assetPath = first ? rest.join('/') : (asked.get('assetPath') ?? '');
  return { presentationId, token: asked.get('token') ?? '', assetPath, needsSlash: false };
}

/** The path of the file in the deck. Reads the address only, so it also works for an address that is refused. */
function assetPathOf(request: Request): string {
  const segments = pathSegments(request) ?? [];
  if (!segments[0]) return query(request).get('assetPath') ?? '';
  return segments.slice(forms.includes(segments[1] ?? '') ? 3 : 1).join('/');
}
