import { z } from 'zod';
import { resendApiKey, serviceSecret } from '../../config';
import { endpoint } from '../../http/endpoint';
import { email } from '../../contract/fields';
import { deliverCode } from '../../mail/deliver-code';
import { CODE_TTL_SECONDS } from '../../policy/codes';
import { issueCode } from '../../records/one-time-codes';

/** Mails a six-digit code with which an existing account can log in. A new code replaces a pending one. */

export const Input = z.object({ email });

export const Answer = z.object({ email: z.string(), expiresInSeconds: z.int() });

export const cliRequestLoginOtp = endpoint({
  name: 'cliRequestLoginOtp',
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
  runtime: { secrets: [serviceSecret, resendApiKey] },

  async handle({ input: { email }, clientAddress, now, requestId }) {
    const code = await issueCode({ email, purpose: 'login', clientAddress, now }, (user) => {
      if (!user) return 'USER_NOT_FOUND';
      return user.organizationId ? undefined : 'USER_HAS_NO_ORGANIZATION';
    });
    await deliverCode(email, 'login', code, requestId);
    return { email, expiresInSeconds: CODE_TTL_SECONDS };
  },
});
