import { z } from 'zod';
import { resendApiKey, serviceSecret } from '../../config';
import { codeSent, email } from '../../contract/fields';
import { endpoint } from '../../http/endpoint';
import { deliverCode } from '../../mail/deliver-code';
import { CODE_TTL_SECONDS } from '../../policy/codes';
import { issueCode } from '../../records/one-time-codes';

export const Input = z.object({
  email: email.meta({ description: 'Address of the new account. The service trims it and converts it to lower case.' }),
});

export const Answer = codeSent;

export const cliRequestSignupOtp = endpoint({
  name: 'cliRequestSignupOtp',
  about:
    'Emails a 6-digit code to an address that has no account. Within 10 minutes cliCompleteSignup creates an ' +
    'account from the code. A new request replaces the pending code of the address. An address may get 1 code in ' +
    '30 seconds and 20 codes in an hour, a client network 60 codes in an hour.',
  command: 'deck signup --email ada@example.com',
  method: 'POST',
  caller: 'anyone',
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
  cost: { roundTrips: 3, reads: 4, writes: 4 },

  async handle({ input: { email }, clientAddress, now, requestId }) {
    const code = await issueCode({ email, purpose: 'signup', clientAddress, now }, (user) =>
      user?.organizationId ? 'USER_ALREADY_HAS_ORGANIZATION' : undefined,
    );
    await deliverCode(email, 'signup', code, requestId);
    return { email, expiresInSeconds: CODE_TTL_SECONDS };
  },
});
