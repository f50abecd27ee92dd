import { z } from 'zod';
import { serviceSecret, serviceSecrets } from '../../config';
import { liveTicket } from '../../contract/live-fields';
import { audienceTicket, feed, readLive, stateOf } from '../../decks/live-streams';
import { fail } from '../../errors';
import { rawEndpoint } from '../../http/endpoint';
import { sendData } from '../../http/envelope';
import { EventStream } from '../../http/event-stream';
import { header, query } from '../../http/request';
import { ASK_EVERY_SECONDS } from '../../policy/live';
import { readLiveTicket, type LiveRole } from '../../values/live-tickets';

const Input = z.object({
  ticket: liveTicket('A ticket of a follower or of the presenter. That of a follower is valid for 10 minutes.'),
  remote: z.literal('1').optional().meta({
    description: 'With the ticket of the presenter: the stream is of a remote control, which shows no deck.',
    example: '1',
  }),
});

const roles: readonly LiveRole[] = ['audience', 'presenter'];

export const followLiveSession = rawEndpoint({
  name: 'followLiveSession',
  about:
    'Tells where the presenter of a live session is. With `Accept: text/event-stream` it answers a stream of ' +
    'server-sent events: `state` at once and after each move, `ticket` with a renewed ticket, `command` and `followers` ' +
    '(how many follow, and how many pages of presenters show the deck) for the presenter, `end` when the session has ended, and `ask` when the session has no room for another stream. ' +
    'Without that header it answers the state as JSON, with a renewed ticket: ask again every 5 seconds.',
  method: 'GET',
  caller: 'anyone',
  input: Input,
  answers: {
    200: {
      description: 'The state as JSON, or a stream of events. The service ends a stream after 40 to 60 minutes.',
      contentTypes: ['application/json', 'text/event-stream'],
      headers: ['Cache-Control'],
    },
  },
  errors: ['permission-denied', 'expired'],
  runtime: { class: 'live', secrets: [serviceSecret] },
  cost: { roundTrips: 1, reads: 3, writes: 0 },

  async handle({ request, response, now }) {
    const text = query(request).get('ticket') ?? '';
    const { role, ticket } = readTicket(text, now);
    const session = await readLive(ticket, now);
    if (!session) {
      return fail('expired', undefined, {
        message: 'The live session has ended.',
        nextAction: 'Look at the deck by yourself.',
      });
    }
    if (header(request, 'accept') !== 'text/event-stream') {
      const renewed = role === 'audience' ? audienceTicket(ticket, now) : text;
      return sendData(request, response, { ...stateOf(session), ticket: renewed, everySeconds: ASK_EVERY_SECONDS });
    }
    // Followers whose streams end together come back one after the other.
    const stream = new EventStream(response, Math.round(1000 + 4000 * Math.random()));
    const isRemote = role === 'presenter' && query(request).get('remote') === '1';
    await feed(
      stream,
      isRemote ? 'remote' : role,
      { ticket, session, lastEventId: header(request, 'last-event-id') ?? '' },
      now,
    );
  },
});

function readTicket(text: string, now: Date) {
  for (const role of roles) {
    const ticket = readLiveTicket(serviceSecrets.accepted(), role, text, now);
    if (ticket) return { role, ticket };
  }
  return fail('permission-denied', undefined, {
    message: 'This ticket is not valid any more.',
    nextAction: 'Open the share link again.',
  });
}
