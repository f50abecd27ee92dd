import { z } from 'zod';
import { withAccountCode } from '../../accounts/account-codes';
import { endIdentity } from '../../accounts/delete-account';
import { serviceSecret } from '../../config';
import { answeredEmail, oneTimeCode, requestToken } from '../../contract/fields';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { logWarning } from '../../log';
import { beginAccountDeletion } from '../../records/account-deletions';
import { readIn } from '../../records/database';
import { organizationRef } from '../../records/organizations';
import { recipientKey } from '../../records/recipient-key';

export const Input = z.object({
  code: oneTimeCode,
  confirm: z.string().trim().max(1000).meta({
    description: 'The name of the organization, as getAccount answers it.',
    example: "Ada's workspace",
  }),
  requestToken,
});

export const Answer = z.object({
  status: z.literal('deleting').meta({ description: 'Always deleting: the account has ended, and a job deletes it.' }),
  email: answeredEmail.meta({ description: 'The address that is told when everything is deleted.' }),
});

export const deleteAccount = endpoint({
  name: 'deleteAccount',
  about:
    'Deletes the account for good, with a code that requestAccountCode mailed for it. Sessions, API keys and webhooks ' +
    'end at once, so a repeated call answers 401. A job closes the decks with their links and listings, the newest ' +
    'first, and then deletes everything else. What others remixed from the decks stays.',
  method: 'POST',
  caller: 'session',
  input: Input,
  answer: Answer,
  isAccepted: true,
  errors: [
    'OTP_INVALID',
    'OTP_NOT_FOUND',
    'OTP_EXPIRED',
    'OTP_ALREADY_USED',
    'OTP_PURPOSE_MISMATCH',
    'OTP_LOCKED_OUT',
    'IP_RATE_LIMITED',
  ],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 11, reads: 16, writes: 10 },

  async handle({ input: { confirm, ...sent }, caller: { organizationId, userId }, clientAddress, now }) {
    const key = await recipientKey();
    const email = await withAccountCode({ ...sent, userId, clientAddress, now }, 'delete', async (tx, user) => {
      const [organization] = await readIn(tx, organizationRef(organizationId));
      // The code stays valid.
      if (confirm !== organization?.name) failConfirm();
      await beginAccountDeletion(tx, { ...user, organizationId }, key, now);
      return user.email;
    });
    await endIdentity(userId).catch((error: unknown) =>
      logWarning('The identity of a deleted account was left to the job.', error),
    );
    return { status: 'deleting' as const, email };
  },
});

const failConfirm = () =>
  fail('invalid-argument', {
    errors: [{ location: 'body.confirm', message: 'confirm must be the name of the organization.' }],
  });
