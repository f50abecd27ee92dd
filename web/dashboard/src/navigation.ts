import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';

/** The values of the parts of a path that a route names with a colon. */
export type Params = Record<string, string | undefined>;

/** What a page gets. */
export interface PageProps {
  params: Params;
  query: URLSearchParams;
}

interface Shown extends PageProps {
  Page: ComponentType<PageProps>;
  /** A page with another key starts anew: another route, or another deck. The tabs of one deck share a key. */
  key: string;
}

/** The page that is shown, or undefined until the first page has loaded. */
export const shown = signal<Shown | undefined>(undefined);
/** Whether the next page is loading. */
export const isLoading = signal(false);
/** Why the code of a page did not load: the connection failed, or a newer dashboard was deployed. */
export const loadError = signal<unknown>(undefined);
/** The path and the query of the shown page. */
export const place = signal(location.pathname + location.search);
/** Changes with each address that the router must show. `isNew` is false where the history led to the address. */
export const requested = signal({ isNew: false });

/** Opens a page of the dashboard. `replace` leaves no entry in the history. */
export function navigate(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  requested.value = { isNew: true };
}

/** Changes the query of the shown page without leaving it. */
export function setQuery(changes: Record<string, string | undefined>): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  navigate(url.pathname + url.search, { replace: true });
}

/** The address of the sign-in page that leads back to `path`. */
export const signInPath = (path = location.pathname + location.search): string =>
  `/dashboard/sign-in?next=${encodeURIComponent(path)}`;
