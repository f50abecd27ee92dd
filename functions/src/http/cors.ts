import type { ServerResponse as Response } from 'node:http';

const ALLOWED_HEADERS =
  'Authorization, Content-Type, Range, If-None-Match, If-Range, Idempotency-Key, MCP-Protocol-Version';
const EXPOSED_HEADERS = [
  'ETag',
  'Content-Range',
  'Accept-Ranges',
  'Content-Length',
  'X-Request-Id',
  'X-Service-Sha256',
  'Deck-Live',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotency-Replayed',
].join(', ');

/**
 * Lets pages of every origin read the answers. These endpoints read no cookies, or open nothing by them, so a browser
 * adds no credentials to a call: a page can only use a key that it holds itself.
 */
export function setCorsHeaders(response: Response): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
}

/** Answers the question of a browser whether a page may make a call with these methods. */
export function answerPreflight(response: Response, methods: readonly string[]): void {
  response.statusCode = 204;
  response.setHeader('Access-Control-Allow-Methods', [...methods, 'OPTIONS'].join(', '));
  response.setHeader('Access-Control-Allow-Headers', ALLOWED_HEADERS);
  response.setHeader('Access-Control-Max-Age', '3600');
  response.end();
}
