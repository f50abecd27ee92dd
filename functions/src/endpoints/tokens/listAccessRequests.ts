import { z } from 'zod';
import { accessRequestRow } from '../../contract/access-requests';
import { cursor, nextCursor, pageLimit } from '../../contract/fields';
import { accessRequestView } from '../../decks/access-answers';
import { endpoint } from '../../http/endpoint';
import { listAccessRequests as listRequests } from '../../records/access-requests';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';

export const Input = z.object({
  limit: pageLimit('requests'),
  cursor,
});

export const Answer = z.object({
  requests: z.array(accessRequestRow).meta({ description: 'The requests, newest first.' }),
  nextCursor,
});

export const listAccessRequests = endpoint({
  name: 'listAccessRequests',
  about:
    "Lists the requests for access to the caller's own decks, answered ones included. A request is deleted after 7 " +
    'days, and listed no more when its deck is deleted. An API key may not call it.',
  method: 'GET',
  caller: 'session',
  input: Input,
  answer: Answer,
  errors: [],
  cost: { roundTrips: 3, reads: 3, writes: 0 },

  async handle({ input: { limit, cursor }, caller: { userId }, now }) {
    const { records, next } = await listRequests(userId, limit, cursor, now);
    const ids = [...new Set(records.flatMap(({ link }) => link?.presentationId ?? []))];
    const decks = new Map(
      (await read(...ids.map((id) => presentationRef(id)))).map((deck) => [deck?.presentationId, deck]),
    );
    const rows = records.flatMap((record) => {
      const deck = decks.get(record.link?.presentationId);
      return deck ? [accessRequestView({ ...record, deck })] : [];
    });
    return { requests: rows, nextCursor: next };
  },
});
