import { z } from 'zod';
import { organizationView, userView } from '../../rows/accounts';
import { accountOrganization, accountUser } from '../../contract/account-fields';
import { timeOrNull } from '../../contract/fields';
import { iso } from '../../rows/fields';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { read } from '../../records/database';
import { organizationRef } from '../../records/organizations';
import { userRef } from '../../records/users';

export const Input = z.object({});

export const Answer = z.object({
  user: accountUser,
  organization: accountOrganization,
  expiresAt: timeOrNull('When the key or session that sends the request expires. Null for a key that does not expire.'),
});

export const getAccount = endpoint({
  name: 'getAccount',
  about: 'Returns the user of the key or session, and the organization of the user.',
  command: 'deck account',
  method: 'GET',
  caller: { scope: 'presentations:read' },
  input: Input,
  answer: Answer,
  errors: [],
  runtime: { class: 'read' },
  cost: { roundTrips: 2, reads: 3, writes: 0 },

  async handle({ caller }) {
    const { organizationId, userId } = asMember(caller);
    const [user, organization] = await read(userRef(userId), organizationRef(organizationId));
    if (!user || !organization) throw new Error(`The user or the organization of ${caller.keyId} does not exist.`);
    const { expiresAt } = caller.kind === 'session' ? caller : caller.key;
    return { user: userView(user), organization: organizationView(organization), expiresAt: iso(expiresAt) };
  },
});
