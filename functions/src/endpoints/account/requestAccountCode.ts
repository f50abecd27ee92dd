import { z } from 'zod';
import { mailAccountCodes } from '../../accounts/account-codes';
import { resendApiKey, serviceSecret } from '../../config';
import { example } from '../../contract/example';
import { always, answeredEmail, codeSent, email } from '../../contract/fields';
import { code } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { accountPurposes, CODE_TTL_SECONDS } from '../../policy/codes';

export const Input = z
  .object({
    purpose: z.enum(accountPurposes).meta({
      description:
        'delete: delete the account. change-email: change its address. export: export its data. The mail names the ' +
        'act, and the code is good for nothing else.',
      example: 'delete',
    }),
    newEmail: email
      .optional()
      .meta({ description: 'The new address, for change-email only.', example: example.newEmail }),
  })
  .refine(({ purpose, newEmail }) => purpose !== 'change-email' || newEmail !== undefined, {
    ...always,
    path: ['newEmail'],
    error: code('EMAIL_REQUIRED'),
  });

export const Answer = codeSent.extend({
  newEmail: answeredEmail
    .meta({ description: 'The new address, to which another code was sent. Only for change-email.' })
    .optional(),
  newRequestToken: z
    .string()
    .meta({ description: 'The token of the request for that other code.', example: example.requestToken })
    .optional(),
});

export const requestAccountCode = endpoint({
  name: 'requestAccountCode',
  about:
    'Emails a 6-digit code to the address of the user, who confirms with it what changes the whole account. For a ' +
    'change of address it emails another code to the new address. The codes are valid for 10 minutes. The limits are ' +
    'those of cliRequestLoginOtp: of a known device for the address of the user, of an unknown one for the new address.',
  method: 'POST',
  caller: 'session',
  input: Input,
  answer: Answer,
  errors: [
    'EMAIL_REQUIRED',
    'EMAIL_INVALID',
    'OTP_RESEND_COOLDOWN',
    'EMAIL_RATE_LIMITED',
    'IP_RATE_LIMITED',
    'USER_ALREADY_HAS_ORGANIZATION',
    'INTERNAL',
  ],
  runtime: { class: 'mail', secrets: [serviceSecret, resendApiKey] },
  cost: { roundTrips: 5, reads: 7, writes: 3 },

  async handle({ input: { purpose, newEmail }, caller: { userId }, header, clientAddress, now, requestId }) {
    const of = { purpose, newEmail: purpose === 'change-email' ? newEmail : undefined };
    const asker = { userAgent: header('user-agent'), clientAddress, now, requestId };
    const { present, next } = await mailAccountCodes(userId, of, asker);
    const added = next && { newEmail: next.email, newRequestToken: next.requestToken };
    return { ...present, expiresInSeconds: CODE_TTL_SECONDS, ...added };
  },
});
