import { z } from 'zod';
import { serviceSecret } from '../../config';
import { answeredEmail, email } from '../../contract/fields';
import { endpoint } from '../../http/endpoint';
import { requestRemoval } from '../../records/reader-removals';
import { recipientKey } from '../../records/recipient-key';
import { transact } from '../../records/transact';

export const Input = z.object({
  email: email.meta({ description: 'Address of the reader.', example: 'grace@example.com' }),
});

export const Answer = z.object({
  email: answeredEmail.meta({ description: 'Address of the reader, in lower case.', example: 'grace@example.com' }),
});

export const forgetReader = endpoint({
  name: 'forgetReader',
  about:
    'Removes the address of a reader from the decks of the organization: from views, openings, names of links, and ' +
    'the addresses for which links open. A job does it, and a mail to the caller says when it is done. The records of ' +
    'sent emails keep a keyed hash of the address.',
  method: 'POST',
  caller: 'session',
  input: Input,
  answer: Answer,
  isAccepted: true,
  errors: ['EMAIL_REQUIRED', 'EMAIL_INVALID'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 3, reads: 2, writes: 2 },

  async handle({ input: { email: of }, caller: { organizationId, userId }, now }) {
    const key = await recipientKey();
    return transact((tx) => {
      requestRemoval(tx, { organizationId, email: of, userId, requestedAt: now }, key);
      return Promise.resolve({ email: of });
    });
  },
});
