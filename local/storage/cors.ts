import { header, type Call } from './call';
import { StorageError } from './errors';
import type { CorsRule } from './options';

/** The pages that may use an upload session: those of the origin that the start of the session named. */
const sessionRule = (origin: string | undefined): CorsRule => ({
  origin: origin === undefined ? [] : [origin],
  method: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
  responseHeader: ['Location', 'Range', 'Content-Range', 'ETag', 'Content-Length'],
});

/**
 * Applies the CORS rules. Returns true when the request is answered.
 *
 * Pages may use an upload session that was started for their origin. They may use signed URLs as far as the bucket's
 * CORS configuration allows. Without a matching rule the answer has no CORS headers, as in the cloud. Every other
 * request needs credentials in the cloud. This server does not check credentials, so it refuses such requests from
 * pages of other sites: decks are foreign code.
 */
export function answerCors(call: Call): boolean {
  const { res, query } = call;
  const sessionId = query.get('upload_id');
  if (sessionId === null && !query.has('X-Goog-Signature')) {
    const site = header(call, 'sec-fetch-site');
    if (site === undefined || site === 'none' || site === 'same-origin') return false;
    throw new StorageError(403, 'forbidden', 'Pages may use upload sessions and signed URLs only.');
  }
  const isPreflight = call.method === 'OPTIONS';
  const method = isPreflight ? (header(call, 'access-control-request-method') ?? '') : call.method;
  const rules = sessionId === null ? call.state.cors : [sessionRule(call.state.store.findSession(sessionId)?.origin)];
  const rule = rules.find((each) => allows(each, header(call, 'origin'), method));
  if (rule) {
    res.setHeader('access-control-allow-origin', rule.origin[0] ?? '*');
    res.setHeader('access-control-expose-headers', (rule.responseHeader ?? []).join(', '));
  }
  if (!isPreflight) return false;
  if (rule) {
    res.setHeader('access-control-allow-methods', rule.method.join(', '));
    res.setHeader('access-control-allow-headers', header(call, 'access-control-request-headers') ?? '*');
    res.setHeader('access-control-max-age', String(rule.maxAgeSeconds ?? 3600));
  }
  res.writeHead(rule ? 204 : 403).end();
  return true;
}

function allows(rule: CorsRule, origin: string | undefined, method: string): boolean {
  return (
    (rule.origin.includes('*') || (origin !== undefined && rule.origin.includes(origin))) &&
    rule.method.includes(method)
  );
}
