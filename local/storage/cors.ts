import { header, type Call } from './call';
import { CloudError } from './errors';
import { isSigned } from './signature';

/** A rule of a bucket's CORS configuration, as `gcloud storage buckets update --cors-file` takes it. */
export interface CorsRule {
  origin: string[];
  method: string[];
  responseHeader?: string[];
  maxAgeSeconds?: number;
}

/** A session's address is the permission to use it, from any origin. */
const ofSessions: CorsRule = {
  origin: ['*'],
  method: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
  responseHeader: ['*', 'Location', 'Range', 'Content-Range', 'ETag', 'Content-Length'],
};

/**
 * Browsers may use upload sessions, and signed URLs as far as the bucket's configuration lets them: without one an answer has no CORS headers,
 * as in the cloud. Everything else needs credentials there and has none here, so pages of other sites (decks, which are strangers' code) are
 * kept out. True when the request is answered by this.
 */
export function answerCors(call: Call): boolean {
  const { res, query } = call;
  const isSession = query.has('upload_id');
  if (!isSession && !isSigned(query)) {
    const site = header(call, 'sec-fetch-site');
    if (site === undefined || site === 'none' || site === 'same-origin') return false;
    throw new CloudError(403, 'forbidden', 'Pages may use upload sessions and signed URLs only.');
  }
  const isPreflight = call.method === 'OPTIONS';
  const method = isPreflight ? (header(call, 'access-control-request-method') ?? '') : call.method;
  const rule = (isSession ? [ofSessions] : call.cloud.cors).find((each) =>
    allows(each, header(call, 'origin'), method),
  );
  if (rule) {
    res.setHeader('access-control-allow-origin', '*');
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
