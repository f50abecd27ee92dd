import { forgetDrafts } from '../draft';
import { navigate } from '../navigation';
import { service } from '../service';
import { endSession } from '../session';
import { toast } from '../ui/toast';
import { words } from '../words/en';

/** Ends the session in this tab at once, and then at the service. The session expires there if the call fails. */
export async function leave(): Promise<void> {
  const ended = service().post('endDashboardSession', {}, { canRepeat: false });
  endSession();
  forgetDrafts();
  navigate('/dashboard/sign-in');
  toast(words.shell.signedOut);
  await ended.catch(() => undefined);
}
