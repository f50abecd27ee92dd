import { z } from 'zod';
import { sessionUser, withChangeCodes } from '../../accounts/account-codes';
import { assertUnreserved, finishChanges } from '../../accounts/address-changes';
import { resendApiKey, serviceSecret } from '../../config';
import { accountUser } from '../../contract/account-fields';
import { example } from '../../contract/example';
import { email, oneTimeCode, requestToken } from '../../contract/fields';
import { endpoint } from '../../http/endpoint';
import { logWarning } from '../../log';
import { changeAddress } from '../../records/address-changes';
import { read } from '../../records/database';
import { userRef } from '../../records/users';
import { userView } from '../../rows/accounts';

export const Input = z.object({
  newEmail: email.meta({ description: 'The new address.', example: example.newEmail }),
  newCode: oneTimeCode.meta({
    description: 'The code that requestAccountCode mailed to the new address.',
    example: example.newCode,
  }),
  code: oneTimeCode.meta({ description: 'The code that it mailed to the present address.' }),
  newRequestToken: requestToken,
  requestToken,
});

export const Answer = z.object({ user: accountUser.meta({ description: 'The user with the new address.' }) });

export const changeEmail = endpoint({
  name: 'changeEmail',
  about:
    'Gives the user another address, with the two codes of requestAccountCode. API keys and sessions stay, edit access ' +
    'to decks of others moves along, and pending invitations of the new address become active. A mail tells the former ' +
    'address, with a link that takes the change back for 7 days. A wrong code is named by `details.field`.',
  method: 'POST',
  caller: 'session',
  input: Input,
  answer: Answer,
  errors: [
    'EMAIL_REQUIRED',
    'EMAIL_INVALID',
    'OTP_INVALID',
    'OTP_NOT_FOUND',
    'OTP_EXPIRED',
    'OTP_ALREADY_USED',
    'OTP_PURPOSE_MISMATCH',
    'USER_ALREADY_HAS_ORGANIZATION',
    'OTP_LOCKED_OUT',
    'IP_RATE_LIMITED',
    'rate-limited',
    'INTERNAL',
  ],
  runtime: { class: 'mail', secrets: [serviceSecret, resendApiKey] },
  cost: { roundTrips: 14, reads: 15, writes: 10 },

  async handle({ input, caller: { userId }, clientAddress, now }) {
    const { newEmail, newCode, code, newRequestToken, requestToken } = input;
    const present = sessionUser((await read(userRef(userId)))[0]);
    // A repeated call, whose first answer was lost.
    if (present.email === newEmail) return { user: userView(present) };
    await assertUnreserved(newEmail, userId);
    const next = { email: newEmail, code: newCode, requestToken: newRequestToken };
    const user = await withChangeCodes({ userId, code, requestToken, clientAddress, now }, next, (tx, of) =>
      changeAddress(tx, of, newEmail, now),
    );
    await finishChanges(userId, now).catch((error: unknown) =>
      logWarning('A change of address was left to the job.', error),
    );
    return { user: userView(user) };
  },
});
