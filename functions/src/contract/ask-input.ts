import { z } from 'zod';
import { hasWebAddress, MAX_ASK_MESSAGE } from '../values/ask-message';
import { labelShape } from '../values/deck-origins';
import { example } from './example';
import { optionalText } from './human-text';

/** What a person says who asks for access. Strangers have it mailed, so it holds no web address. */
export const askMessage = optionalText({ max: MAX_ASK_MESSAGE, lines: true }).refine(
  (text) => !hasWebAddress(text ?? ''),
  'The message must not contain web addresses.',
);

/**
 * The form of the page. The endpoint checks address and message itself, and leads back to the page with what is wrong.
 */
export const askForm = z
  .object({
    label: z.string().regex(labelShape, 'This is not a label.').meta({
      description: 'First label of the host name of the page that the person wants to see.',
      example: example.label,
    }),
    email: z.string().max(500).optional().meta({ description: 'Address of the person.', example: example.email }),
    message: z
      .string()
      .max(2000)
      .optional()
      .meta({
        description: `What the owner reads: at most ${MAX_ASK_MESSAGE} characters, without web addresses.`,
        example: 'We met at the fair.',
      }),
    code: z.string().max(40).optional().meta({ description: 'The 6 digits of the mail.', example: '042137' }),
    gate: z
      .string()
      .max(6000)
      .optional()
      .meta({ description: 'What the page before has remembered, sealed.', example: 'AbC…' }),
  })
  .meta({ example: { label: example.label, email: example.email, message: 'We met at the fair.' } });
