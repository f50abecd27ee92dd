import { z } from 'zod';
import { serviceSecret } from '../../config';
import {
  createdApiKey,
  issuedDeviceToken,
  knownEmail,
  newApiKey,
  oneTimeCode,
  organizationId,
  organizationName,
  requestToken,
} from '../../contract/fields';
import { createdKeyView } from '../../rows/accounts';
import { acceptInvitations } from '../../decks/invitations';
import { endpoint } from '../../http/endpoint';
import { getAccount } from '../../records/accounts';
import { assertRoomForKey, createApiKey } from '../../records/api-keys';
import { deviceTokenFor } from '../../records/devices';
import { withCode } from '../../records/one-time-codes';

export const Input = z.object({
  email: knownEmail.meta({ description: 'Address to which the login code was sent.' }),
  code: oneTimeCode,
  requestToken,
  apiKey: newApiKey,
});

export const Answer = z.object({
  organizationId,
  organizationName,
  apiKey: createdApiKey,
  deviceToken: issuedDeviceToken,
});

export const cliCompleteLogin = endpoint({
  name: 'cliCompleteLogin',
  about:
    'Creates an API key with the scopes presentations:write and presentations:read from an emailed login code. ' +
    'Earlier keys stay valid. When the organization already has 20 active keys, the call fails and the code stays ' +
    'valid. The caller can revoke a key and try again.',
  command: 'deck login --email ada@example.com --code 042137',
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
    'IP_RATE_LIMITED',
    'MAX_API_KEYS_REACHED',
    'INTERNAL',
  ],
  runtime: { class: 'hot', secrets: [serviceSecret] },
  cost: { roundTrips: 6, reads: 7, writes: 4 },

  async handle({ input: { email, code, requestToken, apiKey }, clientAddress, now }) {
    const sent = { email, purpose: 'login', code, requestToken, clientAddress, now } as const;
    const { user: loggedIn, ...answer } = await withCode(sent, async (tx) => {
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
    return { ...answer, deviceToken: deviceTokenFor(loggedIn, now) };
  },
});
