import { z } from 'zod';
import { example } from '../../contract/example';
import {
  answeredEmail,
  cursor,
  deckId,
  nextCursor,
  pageLimit,
  presentationId,
  time,
  tokenId,
} from '../../contract/fields';
import { mailOpening } from '../../contract/view-fields';
import { endpoint } from '../../http/endpoint';
import { deliveryFailures } from '../../policy/mail-deliveries';
import { read } from '../../records/database';
import { listEmailSends as listRecords } from '../../records/email-sends';
import { readLinkTotals, type LinkTotal } from '../../records/link-totals';
import { presentationRef } from '../../records/presentations';

export const Input = z.object({
  presentationId,
  limit: pageLimit('records'),
  cursor,
});

const Send = z
  .object({
    sendId: z.uuidv7().meta({ description: 'Id of the record.', example: '01936f55-7d20-7a4b-93c6-1f0e8b5d2a69' }),
    presentationId: deckId,
    email: answeredEmail.meta({
      description:
        'Address of the recipient, trimmed and in lower case. The record has at most 300 characters of an invalid ' +
        'address.',
    }),
    tokenId: tokenId.nullable().meta({
      description:
        'Id of the share token in the email. Null when the address was invalid or the recipient has unsubscribed.',
      example: example.tokenId,
    }),
    subject: z
      .string()
      .meta({ description: 'Subject of the email.', example: 'ada@example.com shared: Quarterly results' }),
    outcome: z
      .enum(['sent', 'failed'])
      .meta({ description: 'sent: the email provider accepted the email. failed: see `code`.' }),
    code: z
      .enum(deliveryFailures)
      .nullable()
      .meta({ description: 'Why the email was not sent. Null for a sent email.', example: null }),
    resendMessageId: z.string().nullable().meta({
      description: 'Id of the email at the email provider. Null for a failed email.',
      example: example.mailId,
    }),
    sentBy: z.string().meta({
      description: 'Id of the user who sent it, or of the key when an admin key did.',
      example: example.userId,
    }),
    keyId: z
      .string()
      .meta({ description: 'Id of the API key or dashboard session that sent it.', example: example.keyId }),
    requestId: z.string().meta({ description: 'Id of the request that sent it.', example: example.requestId }),
    sentAt: time('When the request was made.'),
    opening: mailOpening
      .meta({
        description:
          'What became of the link in the email, a minute ago. Null: no person has opened it. Left out for an admin key.',
      })
      .optional(),
  })
  .meta({ id: 'EmailSend', description: 'The record of one email to one recipient.' });

export const Answer = z.object({
  sends: z.array(Send).meta({ description: 'The records, newest first.' }),
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
  cost: { roundTrips: 4, reads: 4, writes: 0 },

  async handle({ input: { presentationId: id, limit, cursor }, caller, authorize }) {
    const [deck] = await read(presentationRef(id));
    authorize(deck);
    const { records, next } = await listRecords(id, limit, cursor);
    const isAdmin = caller.kind === 'admin';
    const totals = await readLinkTotals(id, isAdmin ? [] : records.flatMap(({ tokenId: of }) => of ?? []));
    const sends = records.map((record) => ({
      ...record,
      sentAt: record.sentAt.toISOString(),
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
