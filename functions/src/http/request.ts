import type { Request } from 'firebase-functions/https';
import { config } from '../config';
import { fail } from '../errors';

export type { Request };

const address = (request: Request) => new URL(`http://host${request.url}`);

/**
 * The path below the function's name, split and decoded; undefined when it is no valid percent-encoding, or hides a slash in a segment:
 * one file has one address.
 */
export function pathSegments(request: Request): string[] | undefined {
  try {
    const segments = address(request).pathname.split('/').slice(1).map(decodeURIComponent);
    return segments.some((segment) => segment.includes('/')) ? undefined : segments;
  } catch {
    return undefined;
  }
}

/** The segments of a page's address. Hosting keeps the whole path, which begins with `mount`; without Hosting it begins behind the function's name. */
export function pageSegments(request: Request, mount: string): string[] {
  const segments = (pathSegments(request) ?? fail('not-found')).filter((segment) => segment !== '');
  return segments[0] === mount ? segments.slice(1) : segments;
}

export function query(request: Request): URLSearchParams {
  return address(request).searchParams;
}

export function header(request: Request, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * The client's network address as the outermost proxy that we trust saw it. Entries further left in X-Forwarded-For are the
 * client's own words and are never used.
 */
export function clientAddress(request: Request): string {
  const hops = config.trustedProxyHops();
  const forwarded = (header(request, 'x-forwarded-for') ?? '').split(',').map((entry) => entry.trim());
  const seen = hops > 0 ? forwarded.at(-hops) : undefined;
  return seen || (request.socket.remoteAddress ?? 'unknown');
}
