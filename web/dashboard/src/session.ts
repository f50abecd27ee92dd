import { computed, signal } from '@preact/signals';

/** The credentials of a signed-in person. Other pages of this site may read it, such as the marketplace. */
export interface Session {
  token: string;
  /** ISO 8601. */
  expiresAt: string;
  user: { userId: string; displayName: string; email: string };
  organization: { organizationId: string; name: string };
}

/** The tab keeps the session. A new tab, which a link opens, has none. */
const KEY = 'deckhost.session';

const current = signal<Session | undefined>(stored());

/** The session of this tab, or undefined when nobody is signed in. */
export const session = computed(() => current.value);

export function beginSession(begun: Session): void {
  current.value = begun;
  keep(begun);
}

export function endSession(): void {
  current.value = undefined;
  keep(undefined);
}

/** Replaces the names in the header after the person has changed them. */
export function renameInSession(changes: { displayName?: string; organizationName?: string }): void {
  const known = current.value;
  if (!known) return;
  beginSession({
    ...known,
    user: { ...known.user, displayName: changes.displayName ?? known.user.displayName },
    organization: { ...known.organization, name: changes.organizationName ?? known.organization.name },
  });
}

/** Undefined when nothing is stored, when it has expired, or when it is not a session. */
function stored(): Session | undefined {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Session | null;
    if (!found?.token || !found.user?.email || !found.organization) return undefined;
    return Date.parse(found.expiresAt) > Date.now() ? found : undefined;
  } catch {
    return undefined;
  }
}

/** A browser may refuse to store. Then the session ends with the page. */
function keep(kept: Session | undefined): void {
  try {
    if (kept) sessionStorage.setItem(KEY, JSON.stringify(kept));
    else sessionStorage.removeItem(KEY);
  } catch {
    // The session stays in memory.
  }
}
