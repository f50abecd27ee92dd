import { BrowserTransport, DeckService, isFailure } from 'deckhost-client/browser';
import { navigate, signInPath } from './navigation';
import { beginSession, endSession, readSession, session, type Session } from './session';

/**
 * The tokens of the session. The service gives a page a token of 15 minutes for the cookie and the binder of the
 * session. Only this page has the token, in memory: each tab has another one.
 */

/** A token is renewed before it ends: calls that run then need it. */
const RENEWED_AFTER_MS = 14 * 60_000;

let held: { token: string; since: number } | undefined;
let renewing: Promise<string> | undefined;

const transport = new BrowserTransport();

/** The calls at the address of the site, to which the browser adds the cookie. */
const site = (binder?: string): DeckService =>
  new DeckService({
    baseUrl: location.origin,
    transport: {
      exchange: ({ headers, ...outgoing }) =>
        transport.exchange({ ...outgoing, headers: { ...headers, ...(binder && { 'X-Dashboard-Binder': binder }) } }),
      close: () => {},
    },
  });

const hold = (token: string): string => {
  held = { token, since: Date.now() };
  return token;
};

/**
 * The token for the next call. Calls at the same time share one renewal. Rejects when the service does not accept the
 * session any more: then the sign-in page opens.
 */
export async function accessToken(): Promise<string> {
  if (held && Date.now() - held.since < RENEWED_AFTER_MS) return held.token;
  return (renewing ??= renew().finally(() => (renewing = undefined)));
}

/** Forgets a token that the service refused. The next call renews it. */
export function forgetToken(refused = held?.token): void {
  if (held?.token === refused) held = undefined;
}

async function renew(): Promise<string> {
  const binder = session.value?.binder;
  try {
    return hold((await site(binder).post('dashboardSession', {})).sessionToken);
  } catch (error) {
    // A session that the person has ended meanwhile is not one that ended.
    if (!isFailure(error, 'unauthenticated') || !session.value) throw error;
    readSession();
    // Another tab has signed in, and this tab has not noticed it before its call.
    if (session.value && session.value.binder !== binder) return renew();
    leaveEnded();
    throw error;
  }
}

/** For a session that the service has ended. */
export function leaveEnded(): void {
  forgetToken();
  endSession();
  navigate(`${signInPath()}&ended=1`, { replace: true });
}

/** Begins the session of a login in this browser. */
export async function signIn(exchange: string, of: Omit<Session, 'binder'>): Promise<void> {
  const { binder, sessionToken } = await site().post('dashboardSession', { exchange });
  if (!binder) throw new Error('The service has not begun a session.');
  hold(sessionToken);
  beginSession({ binder, ...of });
}

/** Ends the session of this browser in all tabs, or all sessions of the person. The service removes the cookies. */
export async function signOut(which: { all?: true } = {}): Promise<void> {
  const token = await accessToken();
  await site().withKey(token).post('endDashboardSession', which, { canRepeat: false });
  forgetToken(token);
}
