import { request, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { DECKS_HOST } from '../../local/host/deck-origins';

export interface OriginAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  /** The bytes as UTF-8. */
  text: string;
}

export type OriginRequest = {
  method?: string;
  headers?: Record<string, string | string[] | undefined>;
  body?: string;
};

/** What browsers send with the navigation of a window whose address the viewer entered. */
export const navigation = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
  'sec-fetch-user': '?1',
};

/**
 * Requests a local URL from this machine, whatever its host name is: browsers resolve the names below `localhost`, Node
 * does not. Follows no redirect. Resolves when the server has closed the connection. By then it has also finished its
 * work after the last byte, such as counting a view.
 */
export function requestLocally(url: string, options: OriginRequest = {}): Promise<OriginAnswer> {
  const { origin, pathname, search } = new URL(url);
  return requestTarget(origin, pathname + search, options);
}

/** Requests a target as it is: `URL` would resolve its `..` and its backslashes. `host: undefined` sends no `Host`. */
export function requestTarget(origin: string, target: string, { method = 'GET', headers, body }: OriginRequest = {}) {
  const { host, port } = new URL(origin);
  const given = Object.entries({ host, ...headers, connection: 'close' }).filter(([, value]) => value !== undefined);
  return new Promise<OriginAnswer>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: target, method, headers: Object.fromEntries(given), agent: false };
    request({ ...options, setHost: false } as RequestOptions, (response) => {
      const closed = new Promise((done) => response.socket.once('close', done));
      Promise.all([buffer(response), closed]).then(
        ([bytes]) =>
          resolve({ status: response.statusCode!, headers: response.headers, bytes, text: bytes.toString('utf8') }),
        reject,
      );
    })
      .on('error', reject)
      .end(body);
  });
}

/** The address at the host of the site, where the local Hosting leads every window that opens it at another host. */
export function atSite(url: string): string {
  return Object.assign(new URL(url), { hostname: DECKS_HOST }).href;
}

/** A share link that was opened on the origin of its deck, as a browser opens it. */
export interface OpenedLink {
  /** Without a trailing slash. */
  origin: string;
  /** The address with the ticket, which sets the cookie. */
  ticketUrl: string;
  /** `__Host-deck=…`, as the browser sends it back. */
  cookie: string;
  /** Requests a path of the origin with the cookie. */
  get(path: string, options?: OriginRequest): Promise<OriginAnswer>;
}

/** Opens a share link as a browser does: the ticket, then the cookie. Fails when one of them is missing. */
export async function openOnOrigin(shareUrl: string, headers: OriginRequest['headers'] = {}): Promise<OpenedLink> {
  const shared = await requestLocally(atSite(shareUrl), { headers: { ...navigation, ...headers } });
  expect(shared.status).toBe(303);
  const ticketUrl = shared.headers.location!;
  const opened = await requestLocally(ticketUrl, { headers: { ...navigation, 'sec-fetch-site': 'cross-site' } });
  expect(opened.status).toBe(303);
  const [cookie = ''] = opened.headers['set-cookie']!.map((each) => each.split(';', 1)[0]!);
  const { origin } = new URL(ticketUrl);
  const get: OpenedLink['get'] = (path, { headers, ...options } = {}) =>
    requestLocally(`${origin}${path}`, { ...options, headers: { cookie, ...headers } });
  return { origin, ticketUrl, cookie, get };
}

/** A signed text in which one text is another one, with the signature of before. */
export function forged(text: string, from: string, to: string): string {
  const [payload = '', signature] = text.split('.');
  const changed = Buffer.from(payload, 'base64url').toString().replace(from, to);
  expect(Buffer.from(changed).toString('base64url')).not.toBe(payload);
  return `${Buffer.from(changed).toString('base64url')}.${signature}`;
}
