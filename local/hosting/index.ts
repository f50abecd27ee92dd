import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { serve } from '../http/serve';
import { assertServable, globMatcher, type HostingConfig } from './config';
import { pageFinder, sendErrorPage, sendPage } from './pages';
import { proxy } from './proxy';

export type { HostingConfig };

export interface HostingOptions {
  /** The hosting part of firebase.json. */
  config: HostingConfig;
  /** The project's folder, which contains `config.public`. */
  root: string;
  /** The address of the functions, without a trailing slash. */
  functionsBaseUrl: string;
  /** 0 (the default) picks a free port. */
  port?: number;
}

/** A running site. `url` has no trailing slash. `close` closes open connections and is idempotent. */
export interface Hosting {
  url: string;
  port: number;
  close(): Promise<void>;
}

/**
 * Serves the public folder in Firebase Hosting's order: redirects, files, rewrites (to a file or a function), 404.html.
 * Every answer has the configured headers; a function's own headers override them. Throws for unsupported settings.
 */
export async function startHosting({ config, root, functionsBaseUrl, port = 0 }: HostingOptions): Promise<Hosting> {
  assertServable(config);
  const folder = join(root, config.public);
  const findPage = pageFinder(folder, config);
  const headers = (config.headers ?? []).map((rule) => ({ ...rule, matches: globMatcher(rule.source) }));
  const redirects = (config.redirects ?? []).map((rule) => ({ ...rule, matches: globMatcher(rule.source) }));
  const rewrites = (config.rewrites ?? []).map((rule) => ({ ...rule, matches: globMatcher(rule.source) }));

  const handle = async (req: IncomingMessage, res: ServerResponse) => {
    const path = decodedPath(req);
    if (path === undefined) return void res.writeHead(400, { 'content-type': 'text/plain' }).end('Bad request\n');
    for (const rule of headers.filter(({ matches }) => matches(path))) {
      for (const { key, value } of rule.headers) res.setHeader(key, value);
    }
    const redirect = redirects.find(({ matches }) => matches(path));
    if (redirect) return redirectTo(res, redirect.type ?? 301, redirect.destination);

    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const found = isRead ? await findPage(path) : undefined;
    if (found && 'redirect' in found) return redirectTo(res, 301, encodeURI(found.redirect) + queryOf(req));
    if (found) return sendPage(req, res, folder, found.file);

    const rewrite = rewrites.find(({ matches }) => matches(path));
    if (rewrite?.function) {
      const name = typeof rewrite.function === 'string' ? rewrite.function : rewrite.function.functionId;
      return proxy(req, res, `${functionsBaseUrl}/${name}`);
    }
    if (rewrite?.destination && isRead) return sendPage(req, res, folder, rewrite.destination);

    const page = await findPage('/404.html');
    if (page && isRead) return sendErrorPage(req, res, folder, 404, '/404.html');
    res.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n');
  };

  const server = await serve('hosting', port, handle);
  return { url: server.url, port: server.port, close: () => server.close() };
}

/** Undefined for a malformed path. */
function decodedPath(req: IncomingMessage): string | undefined {
  const [path = ''] = (req.url ?? '/').split('?', 1);
  try {
    return path.startsWith('/') ? decodeURIComponent(path) : undefined;
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
