import { getAccount } from '../../records/accounts';
import { z } from 'zod';
import { serviceSecret } from '../../config';
import { endpoint } from '../../http/endpoint';
import { knownEmail, oneTimeCode, timestamp } from '../../contract/fields';
import { acceptInvitations } from '../../decks/invitations';
import { createDashboardSession as createSession } from '../../records/dashboard-sessions';
import { withCode } from '../../records/one-time-codes';
import { displayNameOf } from '../../records/users';

/** Turns a mailed login code into a session of the dashboard: twelve hours in which keys can be made and revoked. It is no key and counts as none. */

export const Input = z.object({ email: knownEmail, code: oneTimeCode });

export const Answer = z.object({
  sessionToken: z.string(),
  expiresAt: timestamp,
  organizationId: z.string(),
  organizationName: z.string(),
  user: z.object({ userId: z.string(), displayName: z.string(), email: z.string() }),
});

export const createDashboardSession = endpoint({
  name: 'createDashboardSession',
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
    'INTERNAL',
  ],
  runtime: { secrets: [serviceSecret] },

  async handle({ input: { email, code }, now }) {
    const { loggedIn, ...answer } = await withCode({ email, purpose: 'login', code, now }, async (tx) => {
      const { user, organization } = await getAccount(tx, email);
      const { userId } = user;
      const { organizationId } = organization;
      const { token, expiresAt } = createSession(tx, { organizationId, userId }, now);
      return {
        loggedIn: user,
        sessionToken: token,
        expiresAt: expiresAt.toISOString(),
        organizationId,
        organizationName: organization.name,
        user: { userId, displayName: displayNameOf(user), email },
      };
    });
    await acceptInvitations(loggedIn, now);
    return answer;
  },
});
