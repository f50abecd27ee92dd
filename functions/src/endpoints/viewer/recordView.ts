import { z } from 'zod';
import { serviceSecret, serviceSecrets } from '../../config';
import { beacon } from '../../contract/beacon';
import { setLiveHeader } from '../../decks/live-header';
import { BEACON_BYTES, readBeacon, recordBeacon, visitorHeaders } from '../../decks/seen';
import { readBody } from '../../http/body';
import { rawEndpoint } from '../../http/endpoint';
import { sendNothing } from '../../http/nothing';
import { grantedAt, isPreview, readGrant } from '../../values/deck-grants';

const Input = beacon.extend({
  ticket: z.string().max(2000).meta({ description: 'The signed ticket of the share page.', example: 'eyJ…' }),
});

export const recordView = rawEndpoint({
  name: 'recordView',
  about:
    'Takes what the page of a deck in a frame tells of its reader: a beacon with the totals of one load of the page. ' +
    'It answers 204 to everything, so that nothing can be learned from it.',
  input: Input,
  bodyType: 'application/json',
  answers: {
    204: { description: 'Nothing, also for a beacon that is not recorded.', headers: ['Cache-Control', 'Deck-Live'] },
  },
  method: 'POST',
  caller: 'anyone',
  errors: [],
  runtime: { class: 'hot', secrets: [serviceSecret] },
  cost: { roundTrips: 3, reads: 4, writes: 1 },

  passesContext: true,

  async handle(call) {
    const { context, request, response, now } = call;
    const body = await readBody(request, BEACON_BYTES).catch(() => undefined);
    const sent = body && readBeacon(body);
    const grant = sent?.ticket && readGrant(serviceSecrets.accepted(), 'seen', sent.ticket, now);
    if (grant && !isPreview(grant)) {
      const sighting = { grant, grantedAt: grantedAt(grant, 'seen'), headers: visitorHeaders(request), now };
      const { beacon: told } = sent;
      await Promise.all([told && recordBeacon(context, sighting, told), setLiveHeader(call, grant)]);
    }
    sendNothing(response);
  },
});
