import { z } from 'zod';
import { resendApiKey, serviceSecret } from '../../config';
import { example } from '../../contract/example';
import {
  always,
  answeredEmail,
  boundedArray,
  deckId,
  linkRules,
  notBothOf,
  presentationId,
  requireEmail,
  shareUrl,
  shortUrl,
  tokenId,
} from '../../contract/fields';
import { mailMessage, mailSubject } from '../../contract/mail-fields';
import { runMailing } from '../../decks/mailing';
import { code } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { deliveryFailures } from '../../policy/mail-deliveries';
import { MAX_RECIPIENTS } from '../../policy/mail-rates';

/** The most addresses with duplicates. */
const MAX_ADDRESSES = 5 * MAX_RECIPIENTS;
/** The answer and the record cut an invalid address to this length in characters. A valid address is shorter. */
const SHOWN_MAX_LENGTH = 300;

const rules = [...(Object.keys(linkRules) as (keyof typeof linkRules)[]), 'requireEmail'] as const;

export const Input = z
  .object({
    presentationId,
    emails: boundedArray(
      z
        .string()
        .trim()
        .toLowerCase()
        .overwrite(cut)
        .meta({ description: 'Address of a recipient.', example: 'grace@example.com' }),
      {
        min: 1,
        tooFew: code('missing-recipients'),
        max: MAX_ADDRESSES,
        tooMany: code('too-many-recipients'),
        error: ({ input }) => (input === undefined || input === null ? code('missing-recipients') : undefined),
      },
      (array) =>
        array
          .transform((addresses) => [...new Set(addresses)])
          .refine((addresses) => addresses.length <= MAX_RECIPIENTS, code('too-many-recipients')),
    ).meta({
      description: 'The recipients: 1 to 20 different addresses. Case does not matter. The service drops duplicates.',
      example: ['grace@example.com', 'alan@example.com'],
    }),
    message: mailMessage,
    subject: mailSubject,
    tokenId: z
      .string()
      .regex(/^[A-Za-z0-9_-]{22}$/, 'The deck has no such token.')
      .nullish()
      .meta({
        description:
          'Id of an active share token that all recipients get. Without it the service creates a share token for ' +
          'each recipient, named by the address.',
        example: example.tokenId,
      }),
    ...linkRules,
    requireEmail,
  })
  .refine((input) => !input.tokenId || rules.every((rule) => !input[rule]), {
    ...always,
    path: ['tokenId'],
    error: 'Rules are for new links: send tokenId, or rules.',
  })
  .refine((input) => !input.requireEmail || !input.allowedEmails, {
    ...always,
    path: ['requireEmail'],
    error: 'Send requireEmail or allowedEmails.',
  })
  .meta(notBothOf('tokenId', 'expiresAt'));

const count = (description: string, value: number) => z.int().nonnegative().meta({ description, example: value });
export const Answer = z.object({
  presentationId: deckId,
  sent: z
    .array(
      z
        .object({
          email: answeredEmail.meta({ description: 'The recipient.' }),
          tokenId: tokenId.meta({ description: 'Id of the share token in the email.' }),
          resendMessageId: z
            .string()
            .meta({ description: 'Id of the email at the email provider.', example: example.mailId }),
          shareUrl,
          shortUrl: shortUrl
            .meta({ description: 'Short address of the new link. Left out unless the call asks for one.' })
            .optional(),
        })
        .meta({ id: 'SentEmail', description: 'An email that the email provider accepted.' }),
    )
    .meta({ description: 'The recipients whose email the email provider accepted.' }),
  failed: z
    .array(
      z
        .object({
          email: answeredEmail.meta({
            description:
              'Address of the recipient, trimmed and in lower case. The answer has at most 300 characters of an ' +
              'invalid address.',
            example: 'grace@example',
          }),
          code: z.enum(deliveryFailures).meta({
            description:
              'invalid-email: not an email address. recipient-suppressed: the recipient has unsubscribed. ' +
              'provider-rejected: the email provider refuses the address. ' +
              'provider-rate-limited and provider-unavailable: try again in a few minutes.',
          }),
          message: z
            .string()
            .meta({ description: 'The reason as a sentence.', example: 'That is not an email address.' }),
        })
        .meta({ id: 'FailedEmail', description: 'A recipient to whom no email was sent.' }),
    )
    .meta({
      description: 'The recipients to whom no email was sent. The service revokes the share tokens made for them.',
    }),
  summary: z
    .object({
      total: count('Number of recipients.', 2),
      sent: count('Number of sent emails.', 1),
      failed: count('Number of failed emails.', 1),
    })
    .meta({ description: 'The counts of the call.' }),
});

export const sharePresentationViaEmail = endpoint({
  name: 'sharePresentationViaEmail',
  about:
    'Emails the link of a deck to 1 to 20 recipients. When an email fails, the call still succeeds and lists its ' +
    'recipient in `failed`. An organization may send 100 emails an hour and 500 a day (plan free: 50, and 20 in its ' +
    'first 7 days); one recipient may get 3 emails a day about one deck, 5 from one organization and 10 from all, and ' +
    'addresses that differ only in a `+…` before the `@` are one recipient. A call that exceeds one of these rates ' +
    'sends nothing and answers 429.',
  command: `deck email grace@example.com alan@example.com --deck ${example.deckId}`,
  method: 'POST',
  caller: { scope: 'presentations:write', deck: 'owner' },
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['missing-recipients', 'too-many-recipients', 'message-too-long', 'not-found', 'conflict', 'rate-limited'],
  // A call waits up to 45 seconds for the email provider (MAIL_PATIENCE_SECONDS). Then it must write the outcomes.
  runtime: { class: 'mail', secrets: [serviceSecret, resendApiKey] },
  cost: { roundTrips: 5, reads: 11, writes: 16 },

  handle: runMailing,
});

function cut(text: string): string {
  return text.length > SHOWN_MAX_LENGTH ? `${text.slice(0, SHOWN_MAX_LENGTH - 1).toWellFormed()}…` : text;
}
