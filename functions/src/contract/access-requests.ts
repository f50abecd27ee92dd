import { z } from 'zod';
import { example } from './example';
import { answeredEmail, deckId, id, time, title, tokenName } from './fields';

export const accessRequestId = id('requestId').meta({
  description: 'Id of a request for access.',
  example: example.accessRequestId,
});

export const accessRequestRow = z
  .object({
    requestId: z.uuidv7().meta({ description: 'Id of the request.', example: example.accessRequestId }),
    presentationId: deckId,
    title,
    tokenName: tokenName.meta({ description: 'Name that the link at whose address was asked had then.' }),
    email: answeredEmail.meta({ description: 'Address of the person who asks, proved with a mailed code.' }),
    message: z
      .string()
      .nullable()
      .meta({ description: 'What the person says, or null.', example: 'We met at the fair.' }),
    createdAt: time('When the person asked.'),
    status: z.enum(['open', 'allowed', 'declined']).meta({ description: 'Whether and how the request was answered.' }),
  })
  .meta({ id: 'AccessRequest', description: 'A request for access to a deck.' });
