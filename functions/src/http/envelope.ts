import type { ServerResponse as Response } from 'node:http';
import type { ZodError } from 'zod';
import { isFresh } from '../policy/delivery';
import { header, type Request } from './request';
import { fail, isErrorCode, ServiceError, type ErrorCode, type ErrorDetails } from '../errors';

/**
 * `{success: true, data}`. Answers hold secrets and change, so nobody may keep them, unless the endpoint says so in `headers`. With an ETag
 * among those, a client that has this very answer gets a 304.
 */
export function sendData(
  request: Request,
  response: Response,
  data: unknown,
  headers: Record<string, string> = {},
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const { ETag: etag } = headers;
  if (etag !== undefined && isFresh(header(request, 'if-none-match'), etag)) {
    response.statusCode = 304;
    response.end();
    return;
  }
  sendJson(response, 200, { success: true, data });
}

/** `{success: false, error}` with the headers that belong to the error. */
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
      // A client that lost a race needs this one without digging.
      ...(details && 'serverVersion' in details && { serverVersion: details['serverVersion'] }),
      requestId,
    },
  });
}

/** Retry-After and the IETF RateLimit fields (draft-ietf-httpapi-ratelimit-headers) of a 429, WWW-Authenticate of a 401, Content-Range of a 416. */
export function setErrorHeaders(response: Response, error: ServiceError): void {
  if (error.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  if (error.status === 416) response.setHeader('Content-Range', `bytes */${String(error.details?.['size'])}`);
  const { retryInSeconds, limit, windowSeconds } = (error.details ?? {}) as Record<string, number | undefined>;
  if (error.status !== 429 || retryInSeconds === undefined) return;
  response.setHeader('Retry-After', String(retryInSeconds));
  response.setHeader('RateLimit', `"default";r=0;t=${retryInSeconds}`);
  response.setHeader('RateLimit-Policy', `"default";q=${limit ?? 1};w=${windowSeconds ?? retryInSeconds}`);
}

function sendJson(response: Response, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes.length);
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.end(bytes);
}

/** How many problems of an input are spelled out; the rest is counted. An answer must not be a thousand times its request. */
const MAX_PROBLEMS = 200;

/**
 * Every problem of an input in one error. A schema may name a code of the catalogue as its message; one of the one-time-code flow
 * gives the answer its code, then invalid-argument, then any other.
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

/** The details of an invalid input: its first problems, and how many more there are. */
export function detailsOf(problems: readonly { location: string; message: string }[]): ErrorDetails {
  const more = problems.length - MAX_PROBLEMS;
  return { errors: problems.slice(0, MAX_PROBLEMS), ...(more > 0 && { moreErrors: more }) };
}

/** `body.files[3].path` */
function locationOf(source: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => text + (typeof part === 'number' ? `[${part}]` : `.${String(part)}`),
    source,
  );
}
