import { navigate } from '../navigation';
import type { Answer } from '../service';
import { beginSession } from '../session';
import { keepDevice } from './device-tokens';

/** Begins the session and opens the page to which the person wanted to go. */
export function enter(answer: Answer<'createDashboardSession'>, next: string): void {
  const { sessionToken, expiresAt, deviceToken, user, organizationId, organizationName } = answer;
  keepDevice(user.email, deviceToken);
  beginSession({ token: sessionToken, expiresAt, user, organization: { organizationId, name: organizationName } });
  if (/^\/dashboard(\/|\?|$)/.test(next)) navigate(next, { replace: true });
  else location.replace(next);
}
