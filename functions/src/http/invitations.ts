import { logWarning } from '../log';
import { activateInvitations } from '../records/collaborators';
import type { User } from '../records/users';

/** Accepts what is pending for somebody who has just proved an address. The login stands, whatever happens: the next one tries again. */
export async function acceptInvitations(user: User, now: Date): Promise<void> {
  try {
    await activateInvitations(user, now);
  } catch (error) {
    logWarning('Pending invitations were not accepted.', error);
  }
}
