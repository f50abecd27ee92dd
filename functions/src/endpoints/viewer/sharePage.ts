import { z } from 'zod';
import { config } from '../../config';
import { presentationId as sharedDeckId, token as shareToken } from '../../contract/fields';
import { pageAnswer, pageErrorTypes } from '../../contract/file-answers';
import { openLink } from '../../decks/open-link';
import { fail, type ErrorCode } from '../../errors';
import type { RawCall } from '../../http/definition';
import { rawEndpoint } from '../../http/endpoint';
import { pageSegments, query } from '../../http/request';
import { sendPage } from '../../http/send-page';
import { deckPage, noticePage, sharePagePolicy } from '../../pages/share-page';
import { encodePath } from '../../values/paths';

const Input = z.object({
  presentationId: sharedDeckId,
  token: shareToken.meta({ description: 'The share token: 64 characters.' }),
});

export const sharePage = rawEndpoint({
  name: 'sharePage',
  about:
    'The page behind a share URL at `{viewer_url}/share/{presentationId}?token=…`: the deck in a sandboxed frame. ' +
    "A request of the page counts no view. The frame's request of the entry HTML counts one.",
  input: Input,
  paths: ['/{presentationId}'],
  answers: pageAnswer('The page.'),
  errorTypes: pageErrorTypes,
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['not-found', 'revoked', 'expired', 'internal'],
  runtime: { class: 'page' },
  passesContext: true,

  async handle(call) {
    const { context, request, now } = call;
    const [presentationId = '', ...rest] = pageSegments(request, 'share');
    if (rest.length > 0) return fail('not-found');
    const token = query(request).get('token') ?? '';
    const link = await openLink(context, presentationId, token, now);
    if (link.verdict !== 'open') return fail(link.verdict);

    // The address has the full path of the entry, so that the relative links of an entry in a folder resolve. The page
    // contains the token only in this address.
    const entry = encodePath(link.served.entryPath);
    const deckUrl = `${config.baseUrl()}/getSharedPresentation/${presentationId}/_t/${token}/${entry}`;
    answer(call, 200, deckPage(link.deck.title, deckUrl));
  },

  handleError(error, call) {
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
  'method-not-allowed': ['This page can only be read', 'Open its address in a browser.'],
  internal: ['Something went wrong', 'The error is on our side. Try again in a minute.'],
};

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
