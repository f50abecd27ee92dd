import { z } from 'zod';
import { event, eventType, type AnyEvent } from '../../contract/events';
import { cursor, nextCursor, pageLimit, presentationId } from '../../contract/fields';
import { aboutReaders } from '../../contract/webhook-rows';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { listEvents as listRecords } from '../../records/events';
import { eventView } from '../../rows/events';
import { writeCursor } from '../../values/cursor';

export const Input = z.object({
  type: eventType.optional().meta({ description: 'Only events of this type.' }),
  presentationId: presentationId.optional().meta({ description: 'Only events of this deck, also of a deleted one.' }),
  order: z
    .enum(['asc', 'desc'])
    .default('asc')
    .meta({
      description:
        'asc: the oldest first, up to 13 seconds ago; no event is skipped, and `nextCursor` is always there. desc: the ' +
        'newest first.',
      example: 'asc',
    }),
  includeReaders: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(false)
    .meta({
      description: aboutReaders,
      example: true,
      override: { type: 'boolean', enum: undefined },
    }),
  limit: pageLimit('events'),
  cursor,
});

export const Answer = z.object({
  events: z.array(event).meta({ description: 'The events by `createdAt`, and by `eventId` within a millisecond.' }),
  nextCursor: nextCursor.meta({
    description:
      'Cursor of the next page. In ascending order it is always there: call later with it for the events that follow. ' +
      'In descending order null on the last page. A cursor holds in both orders.',
  }),
});

/** Before every event. */
const BEGINNING = { time: new Date(0), id: '00000000-0000-7000-8000-000000000000' };

export const listEvents = endpoint({
  name: 'listEvents',
  about:
    "Lists what happened in the caller's organization in the last 30 days: its decks, links, views, collaborators, " +
    'mails, listings, keys and sessions. Each event was written together with the change that it tells. To follow the ' +
    'events, call again and again with the last `nextCursor`.',
  method: 'GET',
  caller: { scope: 'presentations:read' },
  input: Input,
  answer: Answer,
  errors: [],
  runtime: { class: 'list' },
  cost: { roundTrips: 2, reads: 11, writes: 0 },

  async handle({ input: { order, limit, cursor: after, includeReaders, ...filter }, caller, now }) {
    const { organizationId } = asMember(caller);
    const isAscending = order === 'asc';
    const { records, last, hasMore } = await listRecords(organizationId, filter, { isAscending, limit, after, now });
    const next = isAscending || hasMore ? (last ?? after ?? BEGINNING) : undefined;
    return {
      // `addEvent` took data that fit the type.
      events: records.map((each) => eventView(each, includeReaders) as AnyEvent),
      nextCursor: next ? writeCursor(next) : null,
    };
  },
});
