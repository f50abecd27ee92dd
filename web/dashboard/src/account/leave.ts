import { forgetToken, signOut } from '../access';
import { forgetDrafts } from '../draft';
import { navigate } from '../navigation';
import { endSession } from '../session';
import { toast } from '../ui/toast';
import { words } from '../words/en';

/**
 * Ends the session in all tabs of this browser at once, and then at the service. If that call fails, the session
 * expires there; without its binder nobody can renew it.
 */
export async function leave(to = '/dashboard/sign-in'): Promise<void> {
  const ended = signOut();
  shut(to);
  toast(words.shell.signedOut);
  await ended.catch(() => undefined);
}

/** Ends all sessions of the person. Rejects when the service could not do it: then all of them go on. */
export async function leaveEverywhere(): Promise<void> {
  await signOut({ all: true });
  shut('/dashboard/sign-in');
  toast(words.shell.signedOut);
}

/** For a deleted account, whose sessions the service has ended. */
export function leaveDeleted(): void {
  forgetToken();
  shut('/dashboard/account-deleted');
}

function shut(to: string): void {
  endSession({ isSignOut: true });
  forgetDrafts();
  navigate(to);
}
