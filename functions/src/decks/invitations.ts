import { setTimeout as pause } from 'node:timers/promises';
import { eachOf } from '../values/each-of';
import { logWarning } from '../log';
import { activateInvitation, pendingInvitations } from '../records/collaborators';
import type { User } from '../records/users';

/** Anybody may invite an address as often as their own mails allow: what a login takes up is bounded, and the next one goes on. */
const AT_MOST = 50;
const WIDTH = 5;
const WAIT_MS = 5_000;

/**
 * Accepts what is pending for somebody who has just proved an address: the newest fifty invitations, each by itself, for five seconds. The login
 * stands, whatever happens to them.
 */
export async function acceptInvitations(user: User, now: Date): Promise<void> {
  let isOver = false;
  const accept = async (presentationId: string) => {
    if (isOver) return;
    await activateInvitation(presentationId, user, now).catch((error: unknown) =>
      logWarning('An invitation was not accepted.', error, { presentationId }),
    );
  };
  const acceptAll = async () => {
    await eachOf(await pendingInvitations(user.email, AT_MOST), WIDTH, accept);
  };
  const accepting = acceptAll().catch((error: unknown) => logWarning('No invitation was accepted.', error));
  await Promise.race([accepting, pause(WAIT_MS, undefined, { ref: false })]);
  isOver = true;
}
