import type { ServerResponse as Response } from 'node:http';
import type { ZodError } from 'zod';
import { detailsOf, fail, isErrorCode, locationOf, ServiceError, type ErrorCode } from '../errors';
import { isFresh } from '../policy/delivery';
import { header, type Request } from './request';

/**
 * Sends `{success: true, data}`. No cache may store the answer unless `headers` holds a Cache-Control, because answers
 * change and may hold secrets. When `headers` holds an ETag that If-None-Match names, sends 304.
 */
export function sendData(
  request: Request,
  response: Response,
  data: unknown,
  { headers = {}, status = 200 }: { headers?: Record<string, string | string[]>; status?: 200 | 202 } = {},
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const { ETag: etag } = headers;
  if (typeof etag === 'string' && isFresh(header(request, 'if-none-match'), etag)) {
    response.statusCode = 304;
    response.end();
    return;
  }
  sendJson(response, status, { success: true, data });
}

/** Sends `{success: false, error}` with the headers of the error. */
export function sendError(response: Response, error: ServiceError, requestId: string): void {
  setErrorHeaders(response, error);
  const { code, status, message, nextAction, details } = error;
  const isOneTimeCodeFlow = code === code.toUpperCase();
  sendJson(response, status, {
    success: false,
    error: {
      code,
      ...(isOneTimeCodeFlow && { status }),
      message,
      nextAction,
      ...(details && { details }),
      // The contract places serverVersion beside the code; the details hold it, too.
      ...(details && 'serverVersion' in details && { serverVersion: details['serverVersion'] }),
      requestId,
    },
  });
}

/**
 * Sets WWW-Authenticate for a 401, Content-Range for a 416, and for a 429 with `retryInSeconds` Retry-After and the
 * IETF RateLimit fields (draft-ietf-httpapi-ratelimit-headers).
 */
export function setErrorHeaders(response: Response, error: ServiceError): void {
  if (error.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  if (error.status === 416) response.setHeader('Content-Range', `bytes */${String(error.details?.['size'])}`);
  const { retryInSeconds, limit, windowSeconds } = (error.details ?? {}) as Record<string, number | undefined>;
  if (error.status !== 429 || retryInSeconds === undefined) return;
  response.setHeader('Retry-After', String(retryInSeconds));
  response.setHeader('RateLimit', `"default";r=0;t=${retryInSeconds}`);
  response.setHeader('RateLimit-Policy', `"default";q=${limit ?? 1};w=${windowSeconds ?? retryInSeconds}`);
}

/** Sends a JSON document that is not in the envelope. No cache may store it unless Cache-Control is set. */
export function sendJson(response: Response, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes.length);
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(bytes);
}

/**
 * Throws every problem of an input as one error. The message of a problem may be an error code, and otherwise stands
 * for invalid-argument. Of these codes the error gets the first of the one-time-code flow, else invalid-argument if
 * present, else the first.
 */
export function failInput(error: ZodError, source: 'body' | 'query'): never {
  const codes = error.issues.map((issue): ErrorCode =>
    isErrorCode(issue.message) ? issue.message : 'invalid-argument',
  );
  const code =
    codes.find((each) => each === each.toUpperCase()) ?? codes.find((each) => each === 'invalid-argument') ?? codes[0]!;
  const problems = error.issues.map((issue) => ({
    location: locationOf(source, issue.path),
    message: isErrorCode(issue.message) ? new ServiceError(issue.message).message : issue.message,
  }));
  return fail(code, detailsOf(problems));
}
