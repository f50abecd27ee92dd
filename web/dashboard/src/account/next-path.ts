/** Where the person goes after signing in: a path of this site, and never another site. */
export function nextPath(query: URLSearchParams, otherwise: string): string {
  const asked = query.get('next') ?? '';
  if (!/^\/(?![/\\])/.test(asked)) return otherwise;
  const url = new URL(asked, location.origin);
  return url.origin === location.origin ? url.pathname + url.search + url.hash : otherwise;
}

/** The other of the two pages, with the same way back. */
export function pathWithNext(path: string, query: URLSearchParams): string {
  const next = query.get('next');
  return next === null ? path : `${path}?next=${encodeURIComponent(next)}`;
}
