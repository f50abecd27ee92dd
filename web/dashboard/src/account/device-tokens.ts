/**
 * The tokens of the addresses that have signed in with this browser, the newest last. With its token a browser gets a
 * code even while a stranger uses up the codes of the address. It opens nothing, so signing out keeps it.
 */
const KEY = 'deckhost.devices';
/** A computer that many people share keeps the newest. */
const MAX_ADDRESSES = 10;

const normal = (email: string) => email.trim().toLowerCase();

/** The token of an address, or undefined when nobody has signed in with it here. */
export const deviceTokenOf = (email: string): string | undefined =>
  stored().find(([address]) => address === normal(email))?.[1];

export function keepDevice(email: string, token: string): void {
  const others = stored().filter(([address]) => address !== normal(email));
  try {
    localStorage.setItem(KEY, JSON.stringify([...others, [normal(email), token]].slice(-MAX_ADDRESSES)));
  } catch {
    // A browser may refuse to store. Then it is a new device the next time.
  }
}

function stored(): [address: string, token: string][] {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? '[]') as unknown;
    return Array.isArray(found) ? found.filter(isEntry) : [];
  } catch {
    return [];
  }
}

const isEntry = (entry: unknown): entry is [string, string] =>
  Array.isArray(entry) && entry.length === 2 && entry.every((part) => typeof part === 'string');
