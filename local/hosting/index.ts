import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { isLoopback, serve } from '../http/serve';
import { assertServable, globMatcher, type HostingConfig } from './config';
import { keepFromDeckOrigins } from './no-deck-origins';
import { addressOnSiteHost } from './one-host';
import { encodePath, ERROR_PAGE, fileFinder, pageFinder, sendErrorPage, sendPage } from './pages';
import { proxy } from './proxy';

export type { HostingConfig };

export interface HostingOptions {
  /** The hosting part of firebase.json. */
  config: HostingConfig;
  /** The project's folder, which contains `config.public`. */
  root: string;
  /** The address of the functions, without a trailing slash. */
  functionsBaseUrl: string;
  /** With deck origins: the host name of the site. Requests to the other names of this machine are served, too. */
  hostName?: string | undefined;
  /** 0 (the default) picks a free port. */
  port?: number;
  /** What the static texts name, and what they get in its place. Read at each request. */
  replaced?: () => ReadonlyMap<string, string>;
}

/** A running site. `url` has no trailing slash. `close` closes open connections and is idempotent. */
export interface Hosting {
  url: string;
  port: number;
  close(): Promise<void>;
}

/**
 * Serves the public folder in Firebase Hosting's order: redirects, files, rewrites (to a file or a function), 404.html.
 * Every answer but a configured redirect has the configured headers, which override those of a function. Throws for
 * unsupported settings.
 */
export async function startHosting(options: HostingOptions): Promise<Hosting> {
  const { config, root, functionsBaseUrl, hostName, port = 0, replaced = () => new Map() } = options;
  assertServable(config);
  const folder = join(root, config.public);
  const source = () => ({ folder, replaced: replaced() });
  const isFile = fileFinder(folder, config);
  const findPage = pageFinder(isFile, config);
  const headers = (config.headers ?? []).map((rule) => ({ ...rule, matches: globMatcher(rule.source) }));
  const redirects = (config.redirects ?? []).map((rule) => ({ ...rule, matches: globMatcher(rule.source) }));
  const rewrites = (config.rewrites ?? []).map((rule) => ({ ...rule, matches: globMatcher(rule.source) }));

  const handle = async (req: IncomingMessage, res: ServerResponse) => {
    if (hostName) keepFromDeckOrigins(req);
    const path = decodedPath(req);
    if (path === undefined) return void res.writeHead(400, { 'content-type': 'text/plain' }).end('Bad request\n');
    const moved = hostName && addressOnSiteHost(req, hostName);
    if (moved) return redirectTo(res, 303, moved);
    // The cloud keeps these paths for its own files.
    if (/^\/+__(\/|$)/.test(path)) return notFound(req, res);
    const redirect = redirects.find(({ matches }) => matches(path));
    if (redirect) {
      const query = queryOf(req);
      const { destination } = redirect;
      const joined = destination.includes('?') ? query.replace('?', '&') : query;
      return redirectTo(res, redirect.type ?? 301, destination + joined);
    }

    // Of two rules for one header, the last one wins.
    const configured = headers.filter(({ matches }) => matches(path)).flatMap((rule) => rule.headers);
    for (const { key, value } of configured) res.setHeader(key, value);
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const found = isRead ? await findPage(path) : undefined;
    if (found && 'redirect' in found) return redirectTo(res, 301, encodePath(found.redirect) + queryOf(req));
    if (found?.file === ERROR_PAGE) return sendErrorPage(req, res, source(), 404, ERROR_PAGE);
    if (found) return sendPage(req, res, source(), found.file);

    const rewrite = rewrites.find(({ matches }) => matches(path));
    if (rewrite?.function) {
      const name = typeof rewrite.function === 'string' ? rewrite.function : rewrite.function.functionId;
      const overrides = new Map(configured.map(({ key, value }) => [key.toLowerCase(), value]));
      const isAnswered = await proxy(req, res, `${functionsBaseUrl}/${name}`, overrides);
      return isAnswered ? undefined : notFound(req, res);
    }
    if (rewrite?.destination && isRead && (await isFile(rewrite.destination))) {
      return sendPage(req, res, source(), rewrite.destination);
    }

    return notFound(req, res);
  };

  const notFound = async (req: IncomingMessage, res: ServerResponse) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (isRead && (await isFile(ERROR_PAGE))) return sendErrorPage(req, res, source(), 404, ERROR_PAGE);
    res.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n');
  };

  const server = await serve('hosting', port, handle, (name) => isLoopback(name) || name === hostName);
  return { url: server.url, port: server.port, close: () => server.close() };
}

/** Undefined for a malformed path. An encoded slash stays encoded: it is a part of a name. */
function decodedPath(req: IncomingMessage): string | undefined {
  const [path = ''] = (req.url ?? '/').split('?', 1);
  try {
    if (!path.startsWith('/')) return undefined;
    return path
      .split('/')
      .map((name) => decodeURIComponent(name).replaceAll('/', '%2F'))
      .join('/');
  } catch {
    return undefined;
  }
}

function queryOf(req: IncomingMessage): string {
  const url = req.url ?? '';
  return url.includes('?') ? url.slice(url.indexOf('?')) : '';
}

function redirectTo(res: ServerResponse, status: number, location: string): void {
  res.writeHead(status, { location, 'content-length': 0 }).end();
}
