import { z } from 'zod';
import { resendApiKey, serviceSecret } from '../../config';
import { codeSent, deviceToken, email } from '../../contract/fields';
import { endpoint } from '../../http/endpoint';
import { deliverCode } from '../../mail/deliver-code';
import { CODE_TTL_SECONDS } from '../../policy/codes';
import { issueCode } from '../../records/code-requests';

export const Input = z.object({
  email: email.meta({ description: 'Address of the new account. The service trims it and converts it to lower case.' }),
  deviceToken,
});

export const Answer = codeSent;

export const cliRequestSignupOtp = endpoint({
  name: 'cliRequestSignupOtp',
  about:
    'Emails a 6-digit code to an address that has no account. Within 10 minutes cliCompleteSignup creates an ' +
    'account from the code. An address may get 1 code in 30 seconds, 20 in an hour and 40 ' +
    'in a day, a client network 60 in an hour.',
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
  cost: { roundTrips: 3, reads: 5, writes: 4 },

  async handle({ input: { email, deviceToken }, clientAddress, header, now, requestId }) {
    const issued = await issueCode({ email, purpose: 'signup', deviceToken, clientAddress, now }, (user) =>
      user?.organizationId ? 'USER_ALREADY_HAS_ORGANIZATION' : undefined,
    );
    await deliverCode({ email, use: 'signup', userAgent: header('user-agent'), now }, issued, requestId);
    return { email, expiresInSeconds: CODE_TTL_SECONDS, requestToken: issued.requestToken };
  },
});
