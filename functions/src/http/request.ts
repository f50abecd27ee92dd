import type { IncomingMessage } from 'node:http';
import { config } from '../config';
import { fail } from '../errors';
import { asksForDocument, asksForPart } from '../policy/deck-headers';
import { withoutPort } from '../values/networks';

/** A request as Node receives it. `url` is the address below the function's name. */
export type Request = IncomingMessage & {
  method: string;
  url: string;
  /** The body, when the server has read it: see http/body. */
  rawBody?: Buffer;
};

const address = (request: Request) => new URL(`http://host${request.url}`);

/** Most segments are not encoded. The test costs less than their decoding. */
const decoded = (segment: string) => (segment.includes('%') ? decodeURIComponent(segment) : segment);

/**
 * The decoded segments of the path below the function's name. Undefined when the percent-encoding is malformed, or when
 * a segment holds an encoded slash: every file has exactly one address.
 */
export function pathSegments(request: Request): string[] | undefined {
  try {
    const segments = address(request).pathname.split('/').slice(1).map(decoded);
    return segments.some((segment) => segment.includes('/')) ? undefined : segments;
  } catch {
    return undefined;
  }
}

/**
 * The decoded segments below the function's name, at most `count`. A slash may follow them. Throws not-found for more
 * segments and for a malformed path.
 */
export function onlySegments(request: Request, count: number): string[] {
  const segments = pathSegments(request) ?? fail('not-found');
  if (segments.slice(count).some((segment) => segment !== '')) fail('not-found');
  return segments.slice(0, count);
}

/** The fields of which the segments below the function's name hold the values. Throws not-found for more segments. */
export function pathFields(request: Request, names: readonly string[]): Record<string, string> {
  const segments = onlySegments(request, names.length);
  return Object.fromEntries(names.flatMap((name, i) => (segments[i] ? [[name, segments[i]]] : [])));
}

/**
 * The segments of a page's address after `mount`, without empty ones. Hosting passes the whole path, which begins with
 * `mount`. Without Hosting the path begins after the function's name. Throws not-found for a malformed path.
 */
export function pageSegments(request: Request, mount: string): string[] {
  const segments = (pathSegments(request) ?? fail('not-found')).filter((segment) => segment !== '');
  return segments[0] === mount ? segments.slice(1) : segments;
}

/** Whether the path begins with the function's name: Hosting passes the whole path, and the platform removes it. */
export const isThroughHosting = ({ url }: Request, functionName: string): boolean =>
  /^\/(\w+)(?:[/?]|$)/.exec(url)?.[1] === functionName;

export function query({ url }: Request): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start));
}

export function header(request: Request, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Why a browser loads something before somebody opens it: `Sec-Purpose`, or what older browsers send instead. */
export const purposeOf = (request: Request): string | undefined =>
  header(request, 'sec-purpose') ??
  header(request, 'purpose') ??
  header(request, 'x-moz') ??
  header(request, 'x-purpose');

/** Whether a browser asks for a document of a window or frame. */
export const isNavigation = (request: Request): boolean =>
  asksForDocument(header(request, 'sec-fetch-mode'), header(request, 'accept'));

/** Whether a browser asks for a part of a page. Nobody reads a page that is answered to it. */
export const isPart = (request: Request): boolean => asksForPart(header(request, 'sec-fetch-dest'));

/** The id of the platform's trace of the request. */
export function traceOf(request: Request): string | undefined {
  const [ofCloudTrace, ofStandard] = ['x-cloud-trace-context', 'traceparent'].map((name) => header(request, name));
  const found = /^([\da-f]{32})\//i.exec(ofCloudTrace ?? '') ?? /^[\da-f]{2}-([\da-f]{32})-/.exec(ofStandard ?? '');
  return found?.[1];
}

/**
 * The entries of X-Forwarded-For as the function received them. The proxy nearest to the function wrote the last one.
 */
export function forwardedFor(request: Request): string[] {
  const received = header(request, 'x-forwarded-for');
  return received === undefined ? [] : received.split(',').map((entry) => entry.trim());
}

/**
 * The network address of the client, as the outermost trusted proxy saw it. The client can write the entries further
 * left in X-Forwarded-For, so they are never used. A port in the entry is dropped.
 */
export function clientAddress(request: Request): string {
  const hops = config.trustedProxyHops();
  const seen = hops > 0 ? forwardedFor(request).at(-hops) : undefined;
  return seen ? withoutPort(seen) : (request.socket.remoteAddress ?? 'unknown');
}
