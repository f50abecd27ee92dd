import { isPrefetch } from '../values/visitors';

/** The headers with which a browser says what a request is for. A missing one never prevents counting. */
export interface Purpose {
  /** `Sec-Purpose`, or what older browsers send instead. */
  purpose: string | undefined;
  /** `Sec-Fetch-Dest` */
  destination: string | undefined;
  /** `Sec-Fetch-Site` */
  site: string | undefined;
}

/** A window of the site, or of another deck, that opens a link gets a new grant for it. */
const NEW_GRANT_MS = 60_000;
const frames = new Set(['iframe', 'frame', 'embed', 'object']);

/**
 * Whether a navigation that the entry answers is a view. Not one: a prefetch; a frame, such as that of a presenter's
 * window; and a page of another deck that opens this one with a grant from before, which would count views for it.
 */
export function isView({ purpose, destination, site }: Purpose, grantedAt: Date, now: Date): boolean {
  if (isPrefetch(purpose)) return false;
  if (frames.has(destination ?? '')) return false;
  return site !== 'same-site' || now.getTime() - grantedAt.getTime() <= NEW_GRANT_MS;
}
