import type { Request } from 'firebase-functions/https';
import { config } from '../config';

export type { Request };

/** The path below the function's name, decoded and split; undefined when it is not valid percent-encoding. */
export function pathSegments(request: Request): string[] | undefined {
  try {
    return new URL(request.url, 'http://host').pathname.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

export function query(request: Request): URLSearchParams {
  return new URL(request.url, 'http://host').searchParams;
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
