import { z } from 'zod';
import { assertCodeWithoutName, completeSignup } from '../../accounts/signup';
import { serviceSecret } from '../../config';
import { isNewUser, signupInput } from '../../contract/account-fields';
import { createdApiKey, issuedDeviceToken, organizationId, organizationName } from '../../contract/fields';
import { createdKeyView } from '../../rows/accounts';
import { endpoint } from '../../http/endpoint';
import { createApiKey } from '../../records/api-keys';
import { deviceTokenFor } from '../../records/devices';
import { MB } from '../../values/units';

export const Answer = z.object({
  organizationId,
  organizationName,
  apiKey: createdApiKey,
  isNewUser,
  deviceToken: issuedDeviceToken,
});

export const cliCompleteSignup = endpoint({
  name: 'cliCompleteSignup',
  about:
    'Creates an account from an emailed signup code: a user, an organization that this user owns, and an API key ' +
    'with the scopes presentations:write and presentations:read. When the call fails, no account is created. ' +
    'A call without a first name checks the code and does not use it. ' +
    'Pending invitations of the address become active.',
  command: 'deck signup --email ada@example.com --code 042137 --first-name Ada',
  method: 'POST',
  caller: 'anyone',
  limit: 3 * MB,
  input: signupInput,
  answer: Answer,
  errors: [
    'EMAIL_REQUIRED',
    'OTP_INVALID',
    'USER_FIRST_NAME_REQUIRED',
    'USER_NAME_TOO_LONG',
    'COMPANY_NAME_TOO_LONG',
    'BRAND_COLOR_INVALID',
    'LOGO_TOO_LARGE',
    'LOGO_INVALID_FORMAT',
    'LOGO_DECODE_FAILED',
    'INVALID_EXPIRES_IN_DAYS',
    'OTP_NOT_FOUND',
    'OTP_EXPIRED',
    'OTP_ALREADY_USED',
    'OTP_PURPOSE_MISMATCH',
    'USER_ALREADY_HAS_ORGANIZATION',
    'OTP_LOCKED_OUT',
    'IP_RATE_LIMITED',
    'INTERNAL',
  ],
  runtime: { class: 'hot', secrets: [serviceSecret] },
  cost: { roundTrips: 6, reads: 10, writes: 7 },

  onRefusedInput: assertCodeWithoutName,

  async handle({ input, clientAddress, now }) {
    const caller = { clientAddress, now };
    const { user, credential, ...answer } = await completeSignup(input, caller, (tx, { userId, organizationId }) => {
      const key = { ...input.apiKey, scopes: ['presentations:write' as const, 'presentations:read' as const] };
      return createApiKey(tx, { ...key, organizationId, userId }, now);
    });
    const deviceToken = deviceTokenFor(user, now);
    return { ...answer, organizationId: user.organizationId, apiKey: createdKeyView(credential), deviceToken };
  },
});
