import { z } from 'zod';
import { serviceSecret } from '../../config';
import { pageErrorTypes } from '../../contract/file-answers';
import { example } from '../../contract/example';
import { fail } from '../../errors';
import { rawEndpoint } from '../../http/endpoint';
import { redirect } from '../../http/redirect';
import { pageSegments, type Request } from '../../http/request';
import { sendErrorPage } from '../../http/send-page';
import { noticePage } from '../../pages/notice-page';
import { noticeOf } from '../../pages/notice-words';
import { findByShortCode, shareUrlOf } from '../../records/share-tokens';
import { isWellFormedCode } from '../../values/short-codes';

const ROBOTS = 'noindex, nofollow';

const Input = z.object({
  code: z
    .string()
    .meta({ description: 'The code of the short address: 16 characters of base58.', example: example.shortCode }),
});

export const shortLink = rawEndpoint({
  name: 'shortLink',
  about:
    'The short address of a link at `{viewer_url}/s/{code}`. It leads to the share URL, also when the link is revoked ' +
    'or has expired: the page of the share URL says so. An unknown code answers 404.',
  input: Input,
  paths: { '': '/{code}' },
  answers: {
    303: { description: '`Location` is the share URL of the link.', headers: ['Location', 'Cache-Control'] },
  },
  errorTypes: pageErrorTypes,
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['not-found'],
  runtime: { class: 'page', secrets: [serviceSecret] },
  cost: { roundTrips: 1, reads: 1, writes: 0 },

  async handle({ request, response }) {
    const [code = '', ...rest] = pageSegments(request, 's');
    // Nobody can guess one of 58¹⁶ codes, and the database finds a code by its hash: the time of an answer tells
    // nothing.
    const found = rest.length === 0 && isWellFormedCode(code) ? await findByShortCode(code) : undefined;
    const address = (found && shareUrlOf(found.presentationId, found.token)) ?? fail('not-found');
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('X-Robots-Tag', ROBOTS);
    // A cache must not keep it: the address ends with the link, or alone.
    redirect(response, { status: 303, location: `${address}${queryOf(request)}`, cacheControl: 'no-store' });
  },

  handleError(error, call) {
    const html = noticePage.html(noticeOf('deck', error), call.requestId);
    sendErrorPage(call, error, { html, policy: noticePage.policy(), robots: ROBOTS });
  },
});

/** The query of the request, which the deck gets. The share token comes first, so that no other one counts. */
function queryOf({ url }: Request): string {
  const [, query = ''] = /\?(.+)$/s.exec(url) ?? [];
  return query && `&${query}`;
}
