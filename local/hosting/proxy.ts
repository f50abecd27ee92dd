import { request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** Firebase Hosting's time limit for a function's answer. The function's own limit does not change it. */
const TIMEOUT_MS = 60_000;
/** What the cloud adds to the Vary header of a function's answer. */
const FUNCTION_VARY = ['x-fh-requested-host', 'accept-encoding', 'cookie', 'authorization'];
const hopByHopHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Forwards a request to a function with its whole path, method, query and body, and sends the answer back. An answer
 * whose length is not known before is held back until its end, as Firebase Hosting does it (firebase-tools issue 9774).
 * X-Forwarded-For, -Host and -Proto name the client. Of all cookies, only those named `__session` are forwarded.
 * Answers 504 after 60 s, and 502 when the function cannot be reached. Returns false, without an answer, when the
 * function passes the request on: 404 with `X-Cascade: PASS`. The headers `overrides` (by names in lower case) replace
 * those of the function.
 */
export async function proxy(
  req: IncomingMessage,
  res: ServerResponse,
  functionUrl: string,
  overrides: ReadonlyMap<string, string> = new Map(),
): Promise<boolean> {
  const upstream = request(`${functionUrl}${req.url}`, {
    method: req.method,
    headers: forwardedHeaders(req),
    agent: false,
  });
  const timeout = setTimeout(() => upstream.destroy(new FunctionTimeout()), TIMEOUT_MS);
  res.once('close', () => upstream.destroy());
  try {
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      upstream.once('response', resolve);
      upstream.once('error', reject);
      upstream.once('close', () => reject(new Error('The function closed the connection.')));
    });
    // A function may answer without reading the body, so the proxy forwards the answer even when sending the body
    // fails.
    pipeline(req, upstream).catch(() => {});
    const answer = await answered;
    if (answer.statusCode === 404 && /^pass$/i.test(String(answer.headers['x-cascade']))) {
      answer.resume();
      return false;
    }
    const headers = { ...publicHeaders(answer.headers, functionUrl), ...Object.fromEntries(overrides) };
    const isStream = answer.headers['content-length'] === undefined && req.method !== 'HEAD';
    const held = isStream ? await buffer(answer) : undefined;
    res.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
    if (held) res.end(held);
    else await pipeline(answer, res);
    return true;
  } catch (error) {
    if (res.destroyed) return true;
    if (res.headersSent) {
      res.destroy();
      return true;
    }
    const status = error instanceof FunctionTimeout ? 504 : 502;
    res.writeHead(status, { 'content-type': 'text/plain' }).end(`The function did not answer (${status}).\n`);
    return true;
  } finally {
    clearTimeout(timeout);
  }
}

/**
 * The headers of a function's answer as the cloud sends them: private unless the function decides otherwise, varying by
 * what Hosting's cache varies by, without cookies on an answer that shared caches may store, and with addresses of the
 * site. https://firebase.google.com/docs/hosting/manage-cache
 */
function publicHeaders(answer: IncomingHttpHeaders, functionUrl: string): IncomingHttpHeaders {
  const headers = endToEndHeaders(answer);
  headers['cache-control'] ??= 'private';
  if (!headers['cache-control'].includes('private')) delete headers['set-cookie'];
  const named = (headers.vary ?? '').split(',').map((name) => name.trim());
  const added = named.filter((name) => name !== '' && !FUNCTION_VARY.includes(name.toLowerCase()));
  headers.vary = [...added, ...FUNCTION_VARY].join(', ');
  const { origin } = new URL(functionUrl);
  if (headers.location?.startsWith(`${origin}/`)) headers.location = headers.location.slice(origin.length);
  return headers;
}

class FunctionTimeout extends Error {}

function forwardedHeaders(req: IncomingMessage): IncomingHttpHeaders {
  const { cookie, host, ...headers } = endToEndHeaders(req.headers);
  // This server has answered `Expect` already.
  delete headers.expect;
  const sessions = cookie?.split(/;\s*/).filter((each) => each.startsWith('__session=')) ?? [];
  const forwardedFor = [headers['x-forwarded-for'], req.socket.remoteAddress].flat().filter(Boolean).join(', ');
  return {
    ...headers,
    ...(sessions.length > 0 && { cookie: sessions.join('; ') }),
    ...(req.headers['transfer-encoding'] && { 'transfer-encoding': 'chunked' }),
    'x-forwarded-for': forwardedFor,
    // HTTP/1.0 allows a request without a host.
    ...(host !== undefined && { 'x-forwarded-host': host }),
    'x-forwarded-proto': 'http',
  };
}

function endToEndHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHopHeaders.has(name)));
}
