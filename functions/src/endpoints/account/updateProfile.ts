import { z } from 'zod';
import { sessionUser } from '../../accounts/account-codes';
import { userView } from '../../rows/accounts';
import { accountUser, NO_FIELD, profileFields, someField } from '../../contract/account-fields';
import { always } from '../../contract/fields';
import { endpoint } from '../../http/endpoint';
import { readIn } from '../../records/database';
import { transact } from '../../records/transact';
import { renameUser, userRef } from '../../records/users';

export const Input = z
  .object({
    firstName: profileFields.firstName.optional().meta({ description: 'First name.', example: 'Ada' }),
    lastName: profileFields.lastName.meta({ description: 'Last name. Null removes it.', example: 'Lovelace' }),
  })
  .refine(someField, { ...always, path: ['firstName'], error: NO_FIELD })
  .meta({ minProperties: 1, example: { firstName: 'Ada', lastName: 'Lovelace' } });

export const Answer = z.object({ user: accountUser });

export const updateProfile = endpoint({
  name: 'updateProfile',
  about:
    'Changes the name of the user of the session. Fields that are left out keep their values. Mails, listings and ' +
    'versions show the new name from the next call on; the search of the marketplace finds it after 1 minute. The rows ' +
    'of collaborators show the name of the first use.',
  method: 'POST',
  caller: 'session',
  input: Input,
  answer: Answer,
  errors: ['USER_FIRST_NAME_REQUIRED', 'USER_NAME_TOO_LONG'],
  cost: { roundTrips: 3, reads: 2, writes: 3 },

  handle({ input: { firstName, lastName }, caller: { userId }, now }) {
    return transact(async (tx) => {
      const user = sessionUser((await readIn(tx, userRef(userId)))[0]);
      const names = { ...(firstName && { firstName }), ...(lastName !== undefined && { lastName: lastName || null }) };
      return { user: userView(renameUser(tx, user, names, now)) };
    });
  },
});
