import { fail } from '../../errors';
import { rawEndpoint } from '../../http/endpoint';
import { pageSegments } from '../../http/request';
import { sendDocument } from '../../http/send-document';
import { pageOfListings } from '../../marketplace/listings';
import { atomFeed } from '../../pages/feed';
import { filterToken } from '../../policy/listings';

const ENTRIES = 30;

export const marketplaceFeed = rawEndpoint({
  name: 'marketplaceFeed',
  about: `The ${ENTRIES} newest public listings as an Atom feed, at \`{marketplace_url}/marketplace/feed.xml\`.`,
  paths: { '': '' },
  answers: {
    200: {
      description: 'The feed, newest listing first.',
      contentTypes: ['application/atom+xml'],
      headers: ['Cache-Control', 'Content-Length'],
    },
  },
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['not-found'],
  cost: { roundTrips: 3, reads: 42, writes: 0 },

  async handle({ request, response }) {
    const [file = 'feed.xml', ...rest] = pageSegments(request, 'marketplace');
    if (file !== 'feed.xml' || rest.length > 0) return fail('not-found');
    const { rows } = await pageOfListings(filterToken({}), 'recent', ENTRIES, undefined);
    sendDocument(response, request.method, {
      contentType: 'application/atom+xml; charset=utf-8',
      text: atomFeed(rows),
      cacheControl: 'public, max-age=600',
    });
  },
});
