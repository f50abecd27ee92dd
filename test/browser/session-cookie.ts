import type { BrowserContext } from 'playwright-core';

/** Gives a browser the cookie of a dashboard session, as `/dashboardSession` sets it. */
export async function giveCookie(context: BrowserContext, site: string, value: string): Promise<void> {
  const { hostname: domain } = new URL(site);
  const path = '/dashboardSession';
  await context.addCookies([{ name: '__session', value, domain, path, httpOnly: true, sameSite: 'Strict' }]);
}
