import { request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** Firebase Hosting gives a function this long to answer, whatever the function's own limit is. */
const TIMEOUT_MS = 60_000;
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
 * Hands a request to a function with its whole path, method, query and body, and streams the answer back. The function sees who
 * asked in X-Forwarded-For, -Host and -Proto, and of all cookies only `__session`. 504 after 60 s, 502 when it cannot be reached.
 */
export async function proxy(req: IncomingMessage, res: ServerResponse, functionUrl: string): Promise<void> {
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
    // A function may answer without reading the body, so the answer counts even when the sending fails.
    pipeline(req, upstream).catch(() => {});
    const answer = await answered;
    res.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEndHeaders(answer.headers));
    await pipeline(answer, res);
  } catch (error) {
    if (res.destroyed) return;
    if (res.headersSent) return void res.destroy();
    const status = error instanceof FunctionTimeout ? 504 : 502;
    res.writeHead(status, { 'content-type': 'text/plain' }).end(`The function did not answer (${status}).\n`);
  } finally {
    clearTimeout(timeout);
  }
}

class FunctionTimeout extends Error {}

function forwardedHeaders(req: IncomingMessage): IncomingHttpHeaders {
  const { cookie, host, ...headers } = endToEndHeaders(req.headers);
  // Answered here already.
  delete headers.expect;
  const session = cookie?.split(/;\s*/).find((each) => each.startsWith('__session='));
  const forwardedFor = [headers['x-forwarded-for'], req.socket.remoteAddress].flat().filter(Boolean).join(', ');
  return {
    ...headers,
    ...(session && { cookie: session }),
    ...(req.headers['transfer-encoding'] && { 'transfer-encoding': 'chunked' }),
    'x-forwarded-for': forwardedFor,
    'x-forwarded-host': host,
    'x-forwarded-proto': 'http',
  };
}

function endToEndHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHopHeaders.has(name)));
}
