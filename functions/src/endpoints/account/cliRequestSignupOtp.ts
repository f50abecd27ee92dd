import { z } from 'zod';
import { resendApiKey, serviceSecret } from '../../config';
import { endpoint } from '../../http/endpoint';
import { email } from '../../contract/fields';
import { deliverCode } from '../../mail/deliver-code';
import { CODE_TTL_SECONDS } from '../../policy/codes';
import { issueCode } from '../../records/one-time-codes';

/** Mails a six-digit code with which an address without an account can sign up. A new code replaces a pending one. */

export const Input = z.object({ email });

export const Answer = z.object({ email: z.string(), expiresInSeconds: z.int() });

export const cliRequestSignupOtp = endpoint({
  name: 'cliRequestSignupOtp',
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
  runtime: { secrets: [serviceSecret, resendApiKey] },

  async handle({ input: { email }, clientAddress, now, requestId }) {
    const code = await issueCode({ email, purpose: 'signup', clientAddress, now }, (user) =>
      user?.organizationId ? 'USER_ALREADY_HAS_ORGANIZATION' : undefined,
    );
    await deliverCode(email, 'signup', code, requestId);
    return { email, expiresInSeconds: CODE_TTL_SECONDS };
  },
});
