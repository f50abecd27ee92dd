import type { ServerResponse } from 'node:http';
import { config } from '../../config';
import { rawEndpoint } from '../../http/endpoint';
import { fail, type ErrorCode } from '../../policy/errors';
import { encodePath } from '../../policy/paths';
import { pathSegments, query } from '../../http/request';
import { deckPage, noticePage, sharePagePolicy } from '../../pages/share-page';
import { openLink } from '../../records/links';

/**
 * The page behind a share URL (Hosting sends `/share/**` here): the deck in a sandboxed frame, with its title for link previews. Fetching
 * the page counts no view; the frame does. The token stands nowhere in it but in the frame's address.
 */
export const sharePage = rawEndpoint({
  name: 'sharePage',
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['not-found', 'revoked', 'expired', 'internal'],

  async handle({ request, response, now }) {
    // Hosting keeps the path that it was asked for; without Hosting it begins behind the function's name.
    const segments = (pathSegments(request) ?? fail('not-found')).filter(
      (segment, i) => segment !== '' && !(i === 0 && segment === 'share'),
    );
    const [presentationId = ''] = segments;
    if (segments.length !== 1) return fail('not-found');
    const token = query(request).get('token') ?? '';
    const link = await openLink(presentationId, token, now);
    if (link.verdict !== 'open') return fail(link.verdict);

    // The entry's full path, so that the relative links of an entry in a folder resolve.
    const entry = encodePath(link.served.entryPath);
    const deckUrl = `${config.baseUrl()}/getSharedPresentation/${presentationId}/_t/${token}/${entry}`;
    sendPage(response, 200, deckPage(link.deck.title, deckUrl), request.method);
  },

  handleError(error, { request, response }) {
    const [heading, text] = notices[error.code] ?? notices.internal;
    sendPage(response, error.status, noticePage(heading, text), request.method);
  },
});

const notices: Partial<Record<ErrorCode, readonly [string, string]>> & { internal: readonly [string, string] } = {
  'not-found': [
    'This link does not lead anywhere',
    'It may be mistyped or cut off. Ask whoever sent it to you for the whole link.',
  ],
  revoked: [
    'This link was revoked',
    'Its owner has closed it. Ask them for a new one if you should still see the presentation.',
  ],
  expired: ['This presentation has expired', 'Its owner shared it for a limited time. Ask them if you still need it.'],
  'method-not-allowed': ['This address is only for looking', 'Open it in a browser.'],
  internal: ['Something went wrong', 'It is our fault, not yours. Try again in a moment.'],
};

function sendPage(response: ServerResponse, status: number, html: string, method: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(html));
  response.setHeader('Content-Security-Policy', sharePagePolicy(new URL(config.baseUrl()).origin));
  // The address holds the secret: no cache keeps the page, and no link that is followed carries it away.
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  // A page that opens the link in a new window gets no hold on it, and neither does the deck on that page.
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin-allow-popups');
  response.setHeader('X-Robots-Tag', 'noindex, nofollow');
  response.end(method === 'HEAD' ? undefined : html);
}
