import { batch, signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { matchRoute, type Params } from './routes';
import { session } from './session';

/** What a page gets. */
export interface PageProps {
  /** The parts of the path that the route names with a colon. */
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

/** Opens a page of the dashboard. `replace` leaves no entry in the history. */
export function navigate(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  void show({ isNew: true });
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

let latest = 0;

/** Loads and shows the page of the present address. Without a session, most pages lead to the sign-in page. */
async function show({ isNew }: { isNew: boolean }): Promise<void> {
  const own = ++latest;
  const path = location.pathname;
  const { route, params } = matchRoute(path);
  if (!route.isPublic && !session.value) return navigate(signInPath(), { replace: true });
  isLoading.value = true;
  try {
    const { default: Page } = await route.load();
    if (own !== latest) return;
    const key = `${route.path} ${params['id'] ?? params['slug'] ?? ''}`;
    const isSamePage = shown.value?.key === key;
    batch(() => {
      place.value = path + location.search;
      shown.value = { Page, params, query: new URLSearchParams(location.search), key };
      loadError.value = undefined;
    });
    if (isNew && !isSamePage) scrollTo(0, 0);
  } catch (error) {
    if (own === latest) loadError.value = error;
  } finally {
    if (own === latest) isLoading.value = false;
  }
}

/** Shows the page of the address, and follows the history and the links of the dashboard. */
export function startRouter(): void {
  addEventListener('popstate', () => void show({ isNew: false }));
  document.addEventListener('click', (event) => {
    const link = followedLink(event);
    if (!link) return;
    event.preventDefault();
    navigate(link.pathname + link.search + link.hash);
  });
  void show({ isNew: false });
}

/** The link to a page of the dashboard that a plain click follows in this tab. */
function followedLink(event: MouseEvent): HTMLAnchorElement | undefined {
  const { button, metaKey, ctrlKey, shiftKey, altKey, target, defaultPrevented } = event;
  if (defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return undefined;
  const link = target instanceof Element ? target.closest('a') : null;
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return undefined;
  const isHere = link.pathname === location.pathname && link.search === location.search;
  if (isHere && link.hash) return undefined;
  return /^\/dashboard(\/|$)/.test(link.pathname) ? link : undefined;
}
