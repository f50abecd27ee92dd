import { exchangeForCookie } from '../../functions/src/records/dashboard-sessions';
import type { Account, World } from './world';

/** A browser that is signed in at the dashboard. */
export interface SignedInBrowser {
  sessionId: string;
  cookie: string;
  binder: string;
  /** The headers with which its pages renew the session. */
  headers: Record<string, string>;
}

/** Signs a browser in, as the exchange writes it. */
export async function aBrowser(world: World, account: Account): Promise<SignedInBrowser> {
  const { sessionId, exchange } = await world.aLogin(account);
  const { cookie, binder } = (await exchangeForCookie(exchange, null, new Date()))!;
  const headers = {
    origin: world.cloud.hostingUrl,
    cookie: `__session=${cookie}`,
    'x-dashboard-binder': binder!,
  };
  return { sessionId, cookie, binder: binder!, headers };
}
