import { z } from 'zod';
import { cursor, nextCursor, pageLimit, presentationId } from '../../contract/fields';
import { viewFilters, viewRow } from '../../contract/view-fields';
import { tokenNames, viewView } from '../../decks/view-rows';
import { endpoint } from '../../http/endpoint';
import { read } from '../../records/database';
import { presentationRef } from '../../records/presentations';
import { listViews } from '../../records/views';

export const Input = z.object({
  presentationId,
  ...viewFilters,
  limit: pageLimit('views'),
  cursor,
});

export const Answer = z.object({
  views: z.array(viewRow).meta({ description: 'The views, newest first.' }),
  nextCursor,
});

export const listPresentationViews = endpoint({
  name: 'listPresentationViews',
  about:
    'Lists the views of a deck: the visits of people, each with the slides that were seen and for how long. Only the ' +
    'owner sees them. Visits of the owner and the devs, of robots, and of readers who ask not to be tracked are not ' +
    'recorded. A view is deleted after 400 days.',
  method: 'GET',
  path: ['presentationId'],
  caller: { scope: 'presentations:read', deck: 'owner', refusesAdmin: true },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { class: 'list' },
  cost: { roundTrips: 4, reads: 4, writes: 0 },

  async handle({ input, authorize }) {
    const { presentationId: id, limit, cursor: after, ...filter } = input;
    const [deck] = await read(presentationRef(id));
    authorize(deck);
    const { records, next } = await listViews(id, filter, limit, after);
    const names = await tokenNames(records);
    return { views: records.map((view) => viewView(view, names.get(view.tokenId)!)), nextCursor: next };
  },
});
