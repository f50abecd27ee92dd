import { batch, effect, untracked } from '@preact/signals';
import { isLoading, loadError, navigate, place, requested, shown, signInPath } from './navigation';
import { matchRoute } from './routes';
import { session } from './session';

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
  addEventListener('popstate', () => (requested.value = { isNew: false }));
  document.addEventListener('click', (event) => {
    const link = followedLink(event);
    if (!link) return;
    event.preventDefault();
    navigate(link.pathname + link.search + link.hash);
  });
  effect(() => {
    const { isNew } = requested.value;
    untracked(() => void show({ isNew }));
  });
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
