import { exchangeForCookie } from '../../functions/src/records/dashboard-sessions';
import type { Account, World } from './world';

/** Signs a browser in, as the exchange writes it. Its pages renew the session with the headers. */
export async function aBrowser(world: World, account: Account) {
  const { sessionId, exchange } = await world.aLogin(account);
  const { cookie, binder } = (await exchangeForCookie(exchange, null, new Date()))!;
  const headers = {
    origin: world.cloud.hostingUrl,
    cookie: `__session=${cookie}`,
    'x-dashboard-binder': binder!,
  };
  return { sessionId, cookie, binder: binder!, headers };
}

/** A browser that is signed in at the dashboard. */
export type SignedInBrowser = Awaited<ReturnType<typeof aBrowser>>;
