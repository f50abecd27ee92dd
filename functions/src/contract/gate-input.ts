import { z } from 'zod';
import { MAX_PASSCODE } from '../values/passcodes';
import { example } from './example';
import { email, presentationId } from './fields';

const signed = z.string().max(2000);

/** What a reader sends at the gate of a link. */
export const gateInput = z.object({
  presentationId,
  token: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'The share token: 64 characters.', example: example.token }),
  again: signed.optional().meta({
    description: 'Stands in place of the token: the end of the address `/share/{presentationId}/again/{again}`.',
    example: 'eyJ…',
  }),
  passcode: z
    .string()
    .max(4 * MAX_PASSCODE)
    .optional()
    .meta({ description: 'The passcode of the link.', example: example.passcode }),
  email: email.optional().meta({ description: 'The address of the reader. A code is mailed to it.' }),
  code: z
    .string()
    .max(40)
    .transform((text) => text.replace(/\s/g, ''))
    .optional()
    .meta({ description: 'The 6 digits of the mail. Spaces do not matter.', example: '042137' }),
  requestToken: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'The `requestToken` of the answer that had the code mailed.', example: example.requestToken }),
  own: signed.optional().meta({
    description: 'The mark of an own load, which the gate has for the owner and the devs of the deck.',
    example: 'eyJ…',
  }),
});
