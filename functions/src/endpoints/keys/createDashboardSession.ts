import { z } from 'zod';
import { openSession } from '../../accounts/sessions';
import { serviceSecret } from '../../config';
import { createdSession } from '../../contract/account-fields';
import { knownEmail, oneTimeCode, requestToken } from '../../contract/fields';
import { acceptInvitations } from '../../decks/invitations';
import { endpoint } from '../../http/endpoint';
import { getAccount } from '../../records/accounts';
import { withCode } from '../../records/one-time-codes';

export const Input = z.object({
  email: knownEmail.meta({ description: 'Address to which the login code was sent.' }),
  code: oneTimeCode,
  requestToken,
});

export const Answer = createdSession;

export const createDashboardSession = endpoint({
  name: 'createDashboardSession',
  about:
    'Creates a dashboard session from an emailed login code. Its token lasts 12 hours. It may do what a key of its ' +
    'user with all scopes may do, and it may also create and revoke API keys and change the account. It does not ' +
    'count towards the 20 active keys of the organization.',
  method: 'POST',
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: [
    'EMAIL_REQUIRED',
    'OTP_INVALID',
    'OTP_NOT_FOUND',
    'OTP_EXPIRED',
    'OTP_ALREADY_USED',
    'OTP_PURPOSE_MISMATCH',
    'USER_HAS_NO_ORGANIZATION',
    'OTP_LOCKED_OUT',
    'IP_RATE_LIMITED',
    'INTERNAL',
  ],
  runtime: { class: 'hot', secrets: [serviceSecret] },
  cost: { roundTrips: 5, reads: 6, writes: 4 },

  async handle({ input: { email, code, requestToken }, clientAddress, header, now }) {
    const sent = { email, purpose: 'login', code, requestToken, clientAddress, now } as const;
    const { user, answer } = await withCode(sent, async (tx) => {
      const { user, organization } = await getAccount(tx, email);
      return { user, answer: openSession(tx, user, organization, { userAgent: header('user-agent'), now }) };
    });
    await acceptInvitations(user, now);
    return answer;
  },
});
