import type { ServerResponse } from 'node:http';

/** Where a redirect leads, and what caches may do with it. */
interface Redirect {
  status: 302 | 303 | 308;
  location: string;
  cacheControl: string;
}

/** Answers a redirect. A browser keeps the fragment of its address when `location` has none. */
export function redirect(response: ServerResponse, { status, location, cacheControl }: Redirect): void {
  response.statusCode = status;
  response.setHeader('Location', location);
  response.setHeader('Cache-Control', cacheControl);
  response.end();
}
