import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { BodyNotJson, BodyTooLarge, readBody, readJson, sendJson } from '../http/body';
import { serve } from '../http/serve';
import { DiskError } from '../data/errors';
import { AccountError, diskFull } from './errors';
import { followLink, type Followed } from './links';
import { clientOperations, projectOperations } from './operations';
import { AccountStore } from './store';

export interface AuthOptions {
  /** The server keeps all data in the subfolder `auth`. Only one server at a time may use it. */
  dataDir: string;
  /** 0 (the default) picks a free port. */
  port?: number;
  /**
   * Whether the folder is deleted at the end. Writes are then not flushed: they survive a killed process, not a power
   * failure.
   */
  isTemporary?: boolean;
  /** The only project that has accounts. */
  project: string;
}

export interface AuthServer {
  /** `address:port`, for FIREBASE_AUTH_EMULATOR_HOST. */
  host: string;
  port: number;
  /** Closes open connections, flushes and stops. Idempotent. */
  close(): Promise<void>;
}

/** Larger than any import of 1 000 users. */
const BODY_LIMIT_BYTES = 16 * 1024 * 1024;

/**
 * Serves the calls of the Identity Toolkit that the Admin SDK makes, and the calls of clients that turn its custom
 * tokens and links into tokens. Acknowledged writes are on disk.
 */
export async function startAuth({ dataDir, port = 0, project, isTemporary = false }: AuthOptions): Promise<AuthServer> {
  const store = new AccountStore(join(dataDir, 'auth'), isTemporary);
  try {
    await store.deleteExpiredCodes();
    const listening = await serve('Auth', port, (req, res) => handle(store, project, req, res));
    let closing: Promise<void> | undefined;
    return {
      host: `127.0.0.1:${listening.port}`,
      port: listening.port,
      close: () => (closing ??= listening.close().then(() => store.close())),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function handle(store: AccountStore, project: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  try {
    const url = new URL(req.url ?? '/', 'http://localhost');
    const base = `http://${req.headers.host || `127.0.0.1:${req.socket.localPort}`}`;
    if (req.method === 'GET' && url.pathname === '/emulator/action') {
      return answerLink(res, await followLink({ store, project, base }, url.searchParams));
    }
    const [, named, resource] =
      /^\/identitytoolkit\.googleapis\.com\/v1\/projects\/([^/:]+)((?:\/|:).+)$/.exec(url.pathname) ?? [];
    const operation =
      named === undefined
        ? clientOperations[`${req.method} ${url.pathname}`]
        : projectOperations[`${req.method} ${resource}`];
    const request = req.method === 'GET' ? Object.fromEntries(url.searchParams) : await requestBody(req);
    if (!operation) throw new AccountError('Not Found', 404, 'NOT_FOUND');
    if (named === undefined) assertClient(req, url);
    // Any credential is accepted. Requiring one refuses pages of other sites: they cannot send the header without a
    // preflight.
    else if (!req.headers.authorization) {
      throw new AccountError('Request is missing required authentication credential.', 401, 'UNAUTHENTICATED');
    } else if (named !== project) throw new AccountError('PROJECT_NOT_FOUND');
    if (typeof request !== 'object' || request === null || Array.isArray(request)) {
      throw new AccountError('INVALID_ARGUMENT : The body must be a JSON object.');
    }
    sendJson(res, 200, await operation({ store, project, base }, request as Record<string, unknown>));
  } catch (error) {
    const isBadBody = error instanceof BodyNotJson || error instanceof BodyTooLarge;
    const known = isBadBody
      ? new AccountError(`INVALID_ARGUMENT : ${error.message}`)
      : error instanceof DiskError
        ? diskFull(error.message)
        : error;
    if (!(known instanceof AccountError)) throw error;
    sendJson(res, known.status, known);
  }
}

/** The Secure Token API also takes forms. */
async function requestBody(req: IncomingMessage): Promise<unknown> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')) {
    return readJson(req, BODY_LIMIT_BYTES);
  }
  return Object.fromEntries(new URLSearchParams((await readBody(req, BODY_LIMIT_BYTES)).toString('utf8')));
}

/**
 * Refuses a client's call without an API key, and every call of a page: decks are foreign code, and a page can send
 * forms to other sites without a preflight.
 */
function assertClient(req: IncomingMessage, url: URL): void {
  if (!url.searchParams.get('key') && !req.headers['x-goog-api-key']) {
    throw new AccountError(
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
      403,
      'PERMISSION_DENIED',
    );
  }
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'none' && site !== 'same-origin') {
    throw new AccountError('Pages cannot use the local Auth.', 403, 'PERMISSION_DENIED');
  }
}

function answerLink(res: ServerResponse, { status, location, message }: Followed): void {
  res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...(location !== undefined && { location }) });
  res.end(`${message}\n`);
}
