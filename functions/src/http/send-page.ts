import type { ServerResponse } from 'node:http';

interface PageAnswer {
  status: number;
  html: string;
  /** Its Content-Security-Policy. */
  policy: string;
  cacheControl: string;
  /** What search engines may do with it, where that is not everything. */
  robots?: string | false;
}

/** Answers a page of ours, or its headers alone to HEAD. */
export function sendPage(response: ServerResponse, method: string, page: PageAnswer): void {
  response.statusCode = page.status;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(page.html));
  response.setHeader('Content-Security-Policy', page.policy);
  response.setHeader('Cache-Control', page.cacheControl);
  // The address of a share page holds its secret; nobody needs to know that of any other.
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  // A page that opens ours in a new window gets no hold on it, and neither does the deck on that page.
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin-allow-popups');
  if (page.robots) response.setHeader('X-Robots-Tag', page.robots);
  response.end(method === 'HEAD' ? undefined : page.html);
}
