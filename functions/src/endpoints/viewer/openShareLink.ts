import { z } from 'zod';
import { resendApiKey, serviceSecret } from '../../config';
import { example } from '../../contract/example';
import { time } from '../../contract/fields';
import { gateInput } from '../../contract/gate-input';
import { openAtGate } from '../../decks/open-gate';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { asksForPrivacy } from '../../values/visitors';

const proofs = ['token', 'again', 'grant'] as const;

export const Input = gateInput
  .extend({
    grant: z.string().max(2000).optional().meta({
      description: 'In place of the token: the `grant` in the address of an opened share page, to renew the address.',
      example: 'eyJ…',
    }),
  })
  .refine((input) => proofs.filter((proof) => input[proof] !== undefined).length === 1, {
    path: ['token'],
    error: 'Send one of token, again and grant.',
  })
  .meta({
    oneOf: proofs.map((proof) => ({ required: [proof] })),
    example: { presentationId: example.deckId, token: example.token, passcode: example.passcode },
  });

export const Answer = z.object({
  openUrl: z.url().meta({
    description:
      'Address that opens the deck once, within 60 seconds. Without deck origins: the address of a share page.',
    example: `https://abcdefghijklmnopqrstuvwxyz234567.decks.example.com/_open/eyJvZiI6e30`,
  }),
  expiresAt: time('When the address stops opening.'),
});

const words = {
  passcode: 'The passcode is wrong.',
  code: 'The code is wrong.',
};

export const openShareLink = endpoint({
  name: 'openShareLink',
  about:
    'Opens a link that asks who opens it, for 24 hours, and counts the opening. Each call sends all that is known; ' +
    'while something is missing it answers 403, and `details.needs` has all that is missing: passcode, email, code. A ' +
    'call with an address and without a code has a code mailed where the link admits the address, and looks the same ' +
    'where it does not.',
  method: 'POST',
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: ['EMAIL_REQUIRED', 'EMAIL_INVALID', 'permission-denied', 'revoked', 'not-found', 'expired', 'rate-limited'],
  runtime: { class: 'mail', secrets: [serviceSecret, resendApiKey] },
  cost: { roundTrips: 12, reads: 12, writes: 10 },

  async handle({ input, clientAddress, header, now }) {
    const isPrivate = asksForPrivacy({ privacyControl: header('sec-gpc'), doNotTrack: header('dnt') });
    const outcome = await openAtGate({ attempt: input, visitor: { isPrivate }, clientAddress, now });
    if ('openUrl' in outcome) return { openUrl: outcome.openUrl, expiresAt: outcome.expiresAt.toISOString() };
    const { provenPasscode: _, nextCodeAt: _at, ...details } = outcome.refusal;
    return fail(
      'permission-denied',
      { ...details },
      {
        message: details.wrong ? words[details.wrong] : 'The link asks who opens it.',
        nextAction: `Call again with ${details.needs.join(', ')}, and with all that you sent before.`,
      },
    );
  },
});
