import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import {
  answeredEmail,
  knownEmail,
  oneTimeCode,
  organizationId,
  organizationName,
  time,
  userId,
} from '../../contract/fields';
import { acceptInvitations } from '../../decks/invitations';
import { endpoint } from '../../http/endpoint';
import { getAccount } from '../../records/accounts';
import { createDashboardSession as createSession } from '../../records/dashboard-sessions';
import { withCode } from '../../records/one-time-codes';
import { displayNameOf } from '../../records/users';

export const Input = z.object({
  email: knownEmail.meta({ description: 'Address to which the login code was sent.' }),
  code: oneTimeCode,
});

export const Answer = z.object({
  sessionToken: z.string().meta({
    description:
      'Token of the session, to be sent as `Authorization: Bearer`. The service returns it in this answer only.',
    example: example.sessionToken,
  }),
  expiresAt: time('When the session expires.'),
  organizationId,
  organizationName,
  user: z
    .object({
      userId,
      displayName: z.string().meta({ description: 'Name of the user.', example: 'Ada Lovelace' }),
      email: answeredEmail,
    })
    .meta({ description: 'The user of the session.' }),
});

export const createDashboardSession = endpoint({
  name: 'createDashboardSession',
  about:
    'Creates a dashboard session from an emailed login code. The session lasts 12 hours. It may create, list and ' +
    'revoke API keys. It does not count towards the 20 active keys of the organization.',
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
