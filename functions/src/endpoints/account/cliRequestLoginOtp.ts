import { z } from 'zod';
import { resendApiKey, serviceSecret } from '../../config';
import { codeSent, email } from '../../contract/fields';
import { endpoint } from '../../http/endpoint';
import { deliverCode } from '../../mail/deliver-code';
import { CODE_TTL_SECONDS } from '../../policy/codes';
import { issueCode } from '../../records/one-time-codes';

export const Input = z.object({
  email: email.meta({ description: 'Address of the account. The service trims it and converts it to lower case.' }),
});

export const Answer = codeSent;

export const cliRequestLoginOtp = endpoint({
  name: 'cliRequestLoginOtp',
  about:
    'Emails a 6-digit code to the address of an account. Within 10 minutes cliCompleteLogin creates an API key ' +
    'from the code, or createDashboardSession a session. A new request replaces the pending code of the address. ' +
    'An address may get 1 code in 30 seconds and 20 codes in an hour, a client network 60 codes in an hour.',
  command: 'deck login --email ada@example.com',
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
    'USER_NOT_FOUND',
    'USER_HAS_NO_ORGANIZATION',
    'INTERNAL',
  ],
  runtime: { class: 'mail', secrets: [serviceSecret, resendApiKey] },
  cost: { roundTrips: 3, reads: 4, writes: 4 },

  async handle({ input: { email }, clientAddress, now, requestId }) {
    const code = await issueCode({ email, purpose: 'login', clientAddress, now }, (user) => {
      if (!user) return 'USER_NOT_FOUND';
      return user.organizationId ? undefined : 'USER_HAS_NO_ORGANIZATION';
    });
    await deliverCode(email, 'login', code, requestId);
    return { email, expiresInSeconds: CODE_TTL_SECONDS };
  },
});
