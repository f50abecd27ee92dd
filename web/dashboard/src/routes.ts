import type { ComponentType } from 'preact';
import type { PageProps, Params } from './navigation';

interface Route {
  /** A part with a colon is a parameter, one with a question mark behind it may be absent. */
  path: string;
  /** The code of a page is loaded when the page is opened. */
  load: () => Promise<{ default: ComponentType<PageProps> }>;
  /** Whether people see it without a session. */
  isPublic?: true;
}

const missing: Route = { path: '*', load: () => import('./pages/missing'), isPublic: true };

/** Every page of the dashboard. */
const routes: Route[] = [
  { path: '/dashboard', load: () => import('./pages/home') },
  { path: '/dashboard/decks', load: () => import('./pages/decks') },
  { path: '/dashboard/sign-in', load: () => import('./pages/sign-in'), isPublic: true },
  { path: '/dashboard/sign-up', load: () => import('./pages/sign-up'), isPublic: true },
  { path: '/dashboard/account-deleted', load: () => import('./pages/account-deleted'), isPublic: true },
  { path: '/dashboard/new', load: () => import('./pages/new') },
  { path: '/dashboard/decks/:id/:tab?', load: () => import('./pages/deck') },
  { path: '/dashboard/keys', load: () => import('./pages/keys') },
  { path: '/dashboard/webhooks', load: () => import('./pages/webhooks') },
  { path: '/dashboard/activity', load: () => import('./pages/activity') },
  { path: '/dashboard/requests', load: () => import('./pages/requests') },
  { path: '/dashboard/usage', load: () => import('./pages/usage') },
  { path: '/dashboard/settings', load: () => import('./pages/settings') },
  { path: '/dashboard/remix/:slug', load: () => import('./pages/remix') },
];

/** The route of a path, and its parameters. Another path gets the page that says so. */
export function matchRoute(path: string): { route: Route; params: Params } {
  for (const route of routes) {
    const params = paramsOf(route.path, path);
    if (params) return { route, params };
  }
  return { route: missing, params: {} };
}

function paramsOf(pattern: string, path: string): Params | undefined {
  const names = pattern.split('/');
  const parts = path.replace(/\/$/, '').split('/');
  if (parts.length > names.length) return undefined;
  const params: Params = {};
  for (const [i, name] of names.entries()) {
    const part = parts[i];
    if (!name.startsWith(':')) {
      if (part !== name) return undefined;
      continue;
    }
    if (part === undefined && !name.endsWith('?')) return undefined;
    params[name.replace(/^:|\?$/g, '')] = part === undefined ? undefined : decoded(part);
  }
  return params;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
