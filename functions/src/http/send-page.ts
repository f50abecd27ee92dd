import type { ServerResponse } from 'node:http';

interface PageAnswer {
  status: number;
  html: string;
  /** The Content-Security-Policy. */
  policy: string;
  cacheControl: string;
  /** The X-Robots-Tag. Absent or false, search engines may index the page. */
  robots?: string | false;
}

/** Answers an HTML page. A HEAD request gets the headers only. */
export function sendPage(response: ServerResponse, method: string, page: PageAnswer): void {
  response.statusCode = page.status;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(page.html));
  response.setHeader('Content-Security-Policy', page.policy);
  response.setHeader('Cache-Control', page.cacheControl);
  // The address of a share page holds the share token. The other pages work with the same policy.
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  // A page of another site that opens this page in a new window gets no reference to it, and this page gets none to
  // that one.
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin-allow-popups');
  if (page.robots) response.setHeader('X-Robots-Tag', page.robots);
  response.end(method === 'HEAD' ? undefined : page.html);
}
