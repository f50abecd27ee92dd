import { z } from 'zod';
import { resendApiKey, serviceSecret } from '../../config';
import { presentationId } from '../../contract/fields';
import { runMailing } from '../../decks/mailing';
import { endpoint } from '../../http/endpoint';
import { deliveryFailures } from '../../policy/mail-deliveries';
import { MAX_RECIPIENTS } from '../../policy/mail-rates';

/**
 * Mails a deck's link to up to 20 addresses, each with a link of its own unless one is given. Links are made before the mails go out and open when the
 * provider has taken them (decision 9); an address that cannot be mailed fails alone.
 */

/** What is no address is shown and recorded as it was written, but not longer than this; an address is shorter. */
const SHOWN_MAX_LENGTH = 300;

export const Input = z.object({
  presentationId,
  emails: z
    .array(z.string().trim().toLowerCase().overwrite(cut), {
      error: ({ input }) => (input === undefined || input === null ? 'missing-recipients' : undefined),
    })
    .min(1, 'missing-recipients')
    .transform((addresses) => [...new Set(addresses)])
    .refine((addresses) => addresses.length <= MAX_RECIPIENTS, 'too-many-recipients'),
  message: z.string().max(2000, 'message-too-long').nullish(),
  subject: z.string().max(200).nullish(),
  tokenId: z
    .string()
    .regex(/^[A-Za-z0-9_-]{22}$/, 'The deck has no such token.')
    .nullish(),
});

const count = z.int().nonnegative();
export const Answer = z.object({
  presentationId: z.uuidv7(),
  sent: z.array(z.object({ email: z.string(), tokenId: z.string(), resendMessageId: z.string(), shareUrl: z.url() })),
  failed: z.array(z.object({ email: z.string(), code: z.enum(deliveryFailures), message: z.string() })),
  summary: z.object({ total: count, sent: count, failed: count }),
});

export const sharePresentationViaEmail = endpoint({
  name: 'sharePresentationViaEmail',
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['missing-recipients', 'too-many-recipients', 'message-too-long', 'not-found', 'conflict', 'rate-limited'],
  // Waiting for the provider may take most of a minute, and what became of the mails must be written after it.
  runtime: { secrets: [serviceSecret, resendApiKey], timeoutSeconds: 120 },

  handle: runMailing,
});

function cut(text: string): string {
  return text.length > SHOWN_MAX_LENGTH ? `${text.slice(0, SHOWN_MAX_LENGTH - 1).toWellFormed()}…` : text;
}
