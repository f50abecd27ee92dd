import { z } from 'zod';
import { endpoint } from '../../http/endpoint';
import { presentationId, timestamp } from '../../contract/fields';
import { pageCursor } from '../../values/cursor';
import { deliveryFailures } from '../../policy/mail-deliveries';
import { read } from '../../records/database';
import { listEmailSends as listRecords } from '../../records/email-sends';
import { presentationRef } from '../../records/presentations';

/** What was mailed about a deck, recipient by recipient, newest first. Two round trips. */

export const Input = z.object({
  presentationId,
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: pageCursor.optional(),
});

export const Answer = z.object({
  sends: z.array(
    z.object({
      sendId: z.uuidv7(),
      presentationId: z.uuidv7(),
      email: z.string(),
      tokenId: z.string().nullable(),
      subject: z.string(),
      outcome: z.enum(['sent', 'failed']),
      code: z.enum(deliveryFailures).nullable(),
      resendMessageId: z.string().nullable(),
      sentBy: z.string(),
      keyId: z.string(),
      requestId: z.string(),
      sentAt: timestamp,
    }),
  ),
  nextCursor: z.string().nullable(),
});

export const listEmailSends = endpoint({
  name: 'listEmailSends',
  method: 'GET',
  path: ['presentationId'],
  caller: { scope: 'presentations:read', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],

  async handle({ input: { presentationId: id, limit, cursor }, authorize }) {
    const [deck] = await read(presentationRef(id));
    authorize(deck);
    const { records, next } = await listRecords(id, limit, cursor);
    return { sends: records.map((record) => ({ ...record, sentAt: record.sentAt.toISOString() })), nextCursor: next };
  },
});
