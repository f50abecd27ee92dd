/** Where the person goes after signing in: a path of this site, and never another site. */
export const nextPath = (query: URLSearchParams, otherwise: string): string =>
  pathOfThisSite(query.get('next') ?? '') ?? otherwise;

/**
 * The path that a browser would open for `asked`. The browser resolves this path once more, so the path must lead to
 * the same address: `/.//evil.example` resolves to the path `//evil.example`, which names another site.
 */
function pathOfThisSite(asked: string): string | undefined {
  if (!asked.startsWith('/')) return undefined;
  try {
    const { origin, href, pathname, search, hash } = new URL(asked, location.origin);
    const path = pathname + search + hash;
    return origin === location.origin && new URL(path, location.origin).href === href ? path : undefined;
  } catch {
    return undefined; // The text is not an address, such as `//[`.
  }
}

/** The other of the two pages, with the same way back and the same invitation. */
export function pathWithNext(path: string, query: URLSearchParams): string {
  const kept = new URLSearchParams();
  for (const name of ['next', 'invitation']) {
    const value = query.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept.size > 0 ? `${path}?${kept}` : path;
}
