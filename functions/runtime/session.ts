/** What the dashboard keeps of its session on the same origin. Undefined for what it does not keep. */
interface KeptSession {
  /** The text that renews the session with its cookie. */
  binder?: string | undefined;
  /** The name of the person who signed in. */
  name?: string | undefined;
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

export function keptSession(): KeptSession {
  try {
    const kept = JSON.parse(localStorage.getItem('deckhost.session') ?? 'null') as {
      binder?: unknown;
      user?: { displayName?: unknown };
    } | null;
    return { binder: text(kept?.binder), name: text(kept?.user?.displayName) };
  } catch {
    return {};
  }
}
