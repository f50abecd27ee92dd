import { z } from 'zod';
import { resendApiKey, serviceSecret } from '../../config';
import { codeSent, deviceToken, email } from '../../contract/fields';
import { endpoint } from '../../http/endpoint';
import { deliverCode } from '../../mail/deliver-code';
import { CODE_TTL_SECONDS } from '../../policy/codes';
import { issueCode } from '../../records/code-requests';

export const Input = z.object({
  email: email.meta({ description: 'Address of the account. The service trims it and converts it to lower case.' }),
  deviceToken,
});

export const Answer = codeSent;

export const cliRequestLoginOtp = endpoint({
  name: 'cliRequestLoginOtp',
  about:
    'Emails a 6-digit code to the address of an account. Within 10 minutes cliCompleteLogin creates an API key ' +
    'from the code, or createDashboardSession a session. An address may get 1 code in 30 seconds, 20 in an hour ' +
    'and 40 in a day, a client network 60 in an hour. A device with a `deviceToken` has a cooldown and 20 codes in ' +
    'an hour of its own.',
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
  cost: { roundTrips: 3, reads: 5, writes: 4 },

  async handle({ input: { email, deviceToken }, clientAddress, header, now, requestId }) {
    const issued = await issueCode({ email, purpose: 'login', deviceToken, clientAddress, now }, (user) => {
      if (!user) return 'USER_NOT_FOUND';
      return user.organizationId ? undefined : 'USER_HAS_NO_ORGANIZATION';
    });
    await deliverCode({ email, use: 'login', userAgent: header('user-agent'), now }, issued, requestId);
    return { email, expiresInSeconds: CODE_TTL_SECONDS, requestToken: issued.requestToken };
  },
});
