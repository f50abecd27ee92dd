import { getAccount } from '../../records/accounts';
import { z } from 'zod';
import { serviceSecret } from '../../config';
import { endpoint } from '../../http/endpoint';
import { createdApiKey, knownEmail, newApiKey, oneTimeCode } from '../../contract/fields';
import { acceptInvitations } from '../../decks/invitations';
import { createdKeyView } from '../../contract/views';
import { assertRoomForKey, createApiKey } from '../../records/api-keys';
import { withCode } from '../../records/one-time-codes';

/**
 * Turns a mailed code into a new API key; earlier keys stay valid. When the organization has 20 keys already, the code stays good, so
 * that it can be used after one of them is revoked.
 */

export const Input = z.object({
  email: knownEmail,
  code: oneTimeCode,
  apiKey: newApiKey,
});

export const Answer = z.object({ organizationId: z.string(), organizationName: z.string(), apiKey: createdApiKey });

export const cliCompleteLogin = endpoint({
  name: 'cliCompleteLogin',
  method: 'POST',
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: [
    'EMAIL_REQUIRED',
    'OTP_INVALID',
    'INVALID_EXPIRES_IN_DAYS',
    'OTP_NOT_FOUND',
    'OTP_EXPIRED',
    'OTP_ALREADY_USED',
    'OTP_PURPOSE_MISMATCH',
    'USER_HAS_NO_ORGANIZATION',
    'OTP_LOCKED_OUT',
    'MAX_API_KEYS_REACHED',
    'INTERNAL',
  ],
  runtime: { secrets: [serviceSecret] },

  async handle({ input: { email, code, apiKey }, now }) {
    const { user: loggedIn, ...answer } = await withCode({ email, purpose: 'login', code, now }, async (tx) => {
      const { user, organization } = await getAccount(tx, email);
      const { organizationId } = organization;
      await assertRoomForKey(tx, organizationId, now);
      const key = createApiKey(
        tx,
        { ...apiKey, scopes: ['presentations:write', 'presentations:read'], organizationId, userId: user.userId },
        now,
      );
      return { user, organizationId, organizationName: organization.name, apiKey: createdKeyView(key) };
    });
    await acceptInvitations(loggedIn, now);
    return answer;
  },
});
