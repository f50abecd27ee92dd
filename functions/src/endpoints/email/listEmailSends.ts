import { z } from 'zod';
import { example } from '../../contract/example';
import { cursor, nextCursor, pageLimit, presentationId } from '../../contract/fields';
import { emailSendRow } from '../../contract/rows';
import type { mailOpening } from '../../contract/view-fields';
import { endpoint } from '../../http/endpoint';
import { read } from '../../records/database';
import { emailEventsRef, newestOf } from '../../records/email-events';
import { listEmailSends as listRecords } from '../../records/email-sends';
import { readLinkTotals, type LinkTotal } from '../../records/link-totals';
import { presentationRef } from '../../records/presentations';
import { emailSendView, withDeliveryFor } from '../../rows/decks';

export const Input = z.object({
  presentationId,
  limit: pageLimit('records'),
  cursor,
});

export const Answer = z.object({
  sends: z.array(emailSendRow).meta({ description: 'The records, newest first.' }),
  nextCursor,
});

export const listEmailSends = endpoint({
  name: 'listEmailSends',
  about:
    'Lists the emails that sharePresentationViaEmail sent for a deck, one record for each recipient. The service ' +
    'deletes the records only together with the deck.',
  command: `deck email --log --deck ${example.deckId}`,
  method: 'GET',
  path: ['presentationId'],
  caller: { scope: 'presentations:read', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],
  runtime: { class: 'list' },
  cost: { roundTrips: 4, reads: 5, writes: 0 },

  async handle({ input: { presentationId: id, limit, cursor }, caller, authorize }) {
    const [deck] = await read(presentationRef(id));
    authorize(deck);
    const { records, next } = await listRecords(id, limit, cursor);
    const isAdmin = caller.kind === 'admin';
    const [totals, events] = await Promise.all([
      readLinkTotals(id, isAdmin ? [] : records.flatMap(({ tokenId: of }) => of ?? [])),
      read(...records.map(({ sendId, outcome }) => (outcome === 'sent' ? emailEventsRef(id, sendId) : undefined))),
    ]);
    const sends = records.map((record, i) => ({
      ...withDeliveryFor(caller, emailSendView(record, newestOf(events[i]))),
      ...(!isAdmin && { opening: openingOf(totals.get(record.tokenId ?? '')) }),
    }));
    return { sends, nextCursor: next };
  },
});

function openingOf(total: LinkTotal | undefined): z.input<typeof mailOpening> {
  if (!total) return null;
  const { views, lastSeenAt, maxSlide, slideCount } = total;
  return { views, lastSeenAt: lastSeenAt.toISOString(), maxSlide, slideCount };
}
