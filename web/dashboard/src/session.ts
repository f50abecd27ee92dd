import { computed, signal } from '@preact/signals';

/** Who is signed in with this browser, for the pages of the site. The cookie of the session is out of their reach. */
export interface Session {
  /** The service renews the session only with the cookie and this text, which no other origin can read. */
  binder: string;
  user: { userId: string; displayName: string; email: string };
  organization: { organizationId: string; name: string };
}

/** The browser keeps the session for all tabs. The page of a listing reads the binder, too. */
const KEY = 'deckhost.session';
/** What a person leaves who signs out. An ended session leaves nothing. */
const SIGNED_OUT = 'null';

const current = signal<Session | undefined>(stored());

/** The session of this browser, or undefined when nobody is signed in. */
export const session = computed(() => current.value);

export function beginSession(begun: Session): void {
  current.value = begun;
  keep(JSON.stringify(begun));
}

/** `isSignOut` when the person wants it. */
export function endSession({ isSignOut = false } = {}): void {
  current.value = undefined;
  keep(isSignOut ? SIGNED_OUT : undefined);
}

/** Reads again what the browser keeps: another tab may have changed it. */
export function readSession(): void {
  current.value = stored();
}

/** Tells when another tab has begun or ended a session, or has changed the names in it. */
export function onOtherTab(change: (how: { isSignOut: boolean }) => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === KEY || key === null) change({ isSignOut: newValue === SIGNED_OUT });
  });
}

/** Replaces the names and the address in the header after the person has changed them. */
export function renameInSession(changes: { displayName?: string; email?: string; organizationName?: string }): void {
  const known = current.value;
  if (!known) return;
  beginSession({
    ...known,
    user: {
      ...known.user,
      displayName: changes.displayName ?? known.user.displayName,
      email: changes.email ?? known.user.email,
    },
    organization: { ...known.organization, name: changes.organizationName ?? known.organization.name },
  });
}

/** Undefined when nothing is stored, or when it is not a session. */
function stored(): Session | undefined {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Session | null;
    return found?.binder && found.user?.email && found.organization ? found : undefined;
  } catch {
    return undefined;
  }
}

/** A browser may refuse to store. Then the session ends with the page. */
function keep(text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, text);
  } catch {
    // The session stays in memory.
  }
}
