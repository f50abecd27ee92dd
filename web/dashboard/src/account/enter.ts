import { useEffect } from 'preact/hooks';
import { signIn } from '../access';
import { navigate } from '../navigation';
import type { Answer } from '../service';
import { session } from '../session';
import { keepDevice } from './device-tokens';

/** Begins the session of a login. */
export async function enter(answer: Answer<'createDashboardSession'>): Promise<void> {
  const { exchange, deviceToken, user, organizationId, organizationName } = answer;
  keepDevice(user.email, deviceToken);
  await signIn(exchange, { user, organization: { organizationId, name: organizationName } });
}

/** Opens the page to which the person wanted to go, as soon as somebody is signed in, in this tab or in another one. */
export function useWayOn(next: string, isReady = true): void {
  const isIn = isReady && session.value !== undefined;
  useEffect(() => {
    if (!isIn) return;
    if (/^\/dashboard(\/|\?|$)/.test(next)) navigate(next, { replace: true });
    else location.replace(next);
  }, [isIn]);
}
