import { request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** Firebase Hosting's time limit for a function's answer. The function's own limit does not change it. */
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
 * Forwards a request to a function with its whole path, method, query and body, and streams the answer back.
 * X-Forwarded-For, -Host and -Proto name the client. Of all cookies, only `__session` is forwarded. Answers 504 after
 * 60 s, and 502 when the function cannot be reached.
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
    // A function may answer without reading the body, so the proxy forwards the answer even when sending the body
    // fails.
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
  // This server has answered `Expect` already.
  delete headers.expect;
  const session = cookie?.split(/;\s*/).find((each) => each.startsWith('__session='));
  const forwardedFor = [headers['x-forwarded-for'], req.socket.remoteAddress].flat().filter(Boolean).join(', ');
  return {
    ...headers,
    ...(session && { cookie: session }),
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
