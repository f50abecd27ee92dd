import { z } from 'zod';
import { endpoint } from '../../http/endpoint';
import { presentationId, timestamp } from '../../contract/fields';
import { iso } from '../../contract/views';
import { LAST_MOMENT_MS } from '../../values/cursor';
import { fail } from '../../errors';
import { readIn } from '../../records/database';
import { transact } from '../../records/transact';
import { presentationRef, setExpiry } from '../../records/presentations';

/** Sets when a deck's links stop opening, or takes it back with null. The deck itself stays. */

export const Input = z.object({
  presentationId,
  expiresAt: z.iso
    .datetime({ offset: true, error: 'An ISO 8601 time, or null.' })
    .transform((text) => new Date(text))
    .refine((time) => time.getTime() <= LAST_MOMENT_MS, 'The time lies behind the year 9999.')
    .nullable(),
});

export const Answer = z.object({ presentationId: z.uuidv7(), expiresAt: timestamp.nullable() });

export const setPresentationExpiry = endpoint({
  name: 'setPresentationExpiry',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  errors: ['not-found'],

  handle({ input: { presentationId: id, expiresAt }, authorize, now }) {
    return transact(async (tx) => {
      const [deck] = await readIn(tx, presentationRef(id));
      authorize(deck);
      if (expiresAt && expiresAt <= now) {
        fail('invalid-argument', {
          errors: [{ location: 'body.expiresAt', message: 'The time must lie in the future.' }],
        });
      }
      setExpiry(tx, id, expiresAt);
      return { presentationId: id, expiresAt: iso(expiresAt) };
    });
  },
});
