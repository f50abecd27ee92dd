import { z } from 'zod';
import { config, serviceSecret, serviceSecrets } from '../../config';
import { example } from '../../contract/example';
import { time } from '../../contract/fields';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { exchangeForCookie, renewSession, type RenewedSession } from '../../records/dashboard-sessions';
import { cookiesOf, SITE_COOKIE, siteCookie } from '../../values/cookies';
import { MARK_SECONDS, writeOwnMark } from '../../values/own-marks';

export const Input = z.object({
  exchange: z
    .string()
    .nullish()
    .meta({
      description:
        'The `exchange` of createDashboardSession or completeDashboardSignup. Without it the call renews the session of ' +
        'the cookie.',
      example: example.exchange,
    }),
});

export const Answer = z.object({
  binder: z
    .string()
    .meta({
      description:
        'The header `X-Dashboard-Binder` of later calls, for the storage of the site. Only after an exchange.',
      example: example.binder,
    })
    .optional(),
  sessionToken: z.string().meta({
    description: 'Token of the session, to be sent as `Authorization: Bearer`. It lasts 15 minutes.',
    example: example.sessionToken,
  }),
  expiresAt: time('When the token expires.'),
});

/**
 * Decks of the same domain can plant cookies and send requests of the same site (SECURITY.md, Cookies on the domain of
 * decks). So a cookie alone signs nobody in: the binder, which only pages of the site can read, must be of the same
 * session, and the browser must say that a page of the site calls.
 */
export const dashboardSession = endpoint({
  name: 'dashboardSession',
  about:
    'Keeps a browser signed in at the dashboard: the pages of the site call it at `{viewer_url}/dashboardSession`, ' +
    'and programs use createDashboardSession. With `exchange` it sets the cookie `__session` and returns a binder. ' +
    'Later calls send the cookie and the binder and get a new token. A browser stays signed in for 30 days after its ' +
    'last call, and for 180 days at most.',
  method: 'POST',
  caller: 'anyone',
  input: Input,
  answer: Answer,
  errors: ['unauthenticated', 'permission-denied'],
  runtime: { class: 'hot', secrets: [serviceSecret] },
  cost: { roundTrips: 2, reads: 1, writes: 2 },
  isSameOrigin: true,
  setsCookies: true,

  async handle({ input: { exchange }, header, now, answerHeaders }) {
    answerHeaders['Cache-Control'] = 'private, no-store';
    assertSite(header('origin'));
    const country = countryOf(header('x-country-code'));
    const cookies = cookiesOf(header('cookie') ?? '', SITE_COOKIE);
    const session = exchange
      ? await exchangeForCookie(exchange, country, now)
      : await renewSession(cookies, header('x-dashboard-binder') ?? '', country, now);
    if (!session) return fail('unauthenticated', undefined, { nextAction: 'Sign in again.' });
    answerHeaders['Set-Cookie'] = cookiesFor(session, now);
    const { binder, token, expiresAt } = session;
    return { ...(binder !== undefined && { binder }), sessionToken: token, expiresAt: expiresAt.toISOString() };
  },
});

function assertSite(origin: string | undefined): void {
  if (origin !== undefined && config.siteOrigins().includes(origin)) return;
  fail('permission-denied', undefined, {
    message: 'Only the pages of the site may call this endpoint.',
    nextAction: 'Use createDashboardSession. Its token lasts 12 hours.',
  });
}

/** The cookie of the session, and the mark by which the share pages know the loads of the user's own decks. */
function cookiesFor({ userId, cookie, cookieExpiresAt }: RenewedSession, now: Date): string[] {
  const seconds = Math.floor((cookieExpiresAt.getTime() - now.getTime()) / 1000);
  const mark = writeOwnMark(serviceSecrets.current(), userId, now);
  return [
    siteCookie({ scope: 'dashboard', value: cookie, seconds }, config.isSiteSecure()),
    siteCookie({ scope: 'share', value: mark, seconds: MARK_SECONDS }, config.isSiteSecure()),
  ];
}

/** The country that Hosting adds to the request. */
const countryOf = (code: string | undefined): string | null => (/^[A-Z]{2}$/.test(code ?? '') ? code! : null);
