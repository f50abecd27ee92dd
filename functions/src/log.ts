import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { logger } from 'firebase-functions';
import { withoutSecrets } from './values/redact';

/** What is known of a request for its line in the log; gathered while the request is served. */
export interface Trail {
  function: string;
  requestId: string;
  /** The id of the key or session, never the key. */
  keyId?: string;
  errorCode?: string;
  /** What the caller is not told: it makes the line an error with a stack. */
  fault?: unknown;
  /** Documents as they are billed. */
  databaseReads: number;
  databaseWrites: number;
}

const trails = new AsyncLocalStorage<Trail>();

/** The trail of the request that is being served, if one is. */
export const currentTrail = (): Trail | undefined => trails.getStore();

/**
 * Serves a request and writes its one line when the work is done and the answer has ended, or was cut off. The line names the
 * function and never the address: that may hold a share token.
 */
export function logRequest(
  trail: Trail,
  request: IncomingMessage,
  response: ServerResponse,
  work: () => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  const { socket } = request;
  const bytesBefore = socket.bytesWritten;
  const closed = new Promise<void>((resolve) => {
    if (response.closed) resolve();
    else response.once('close', resolve);
  });
  const done = trails.run(trail, work);
  void Promise.allSettled([done, closed]).then(() => {
    const durationMs = Math.round(performance.now() - startedAt);
    logger.write(requestLine(trail, request, response, durationMs, socket.bytesWritten - bytesBefore));
  });
  return done;
}

/** In the words of Cloud Logging's LogEntry, which takes severity, message, httpRequest and stack_trace for its own. */
function requestLine(
  trail: Trail,
  request: IncomingMessage,
  response: ServerResponse,
  durationMs: number,
  bytesSent: number,
) {
  const { fault, ...known } = trail;
  const method = request.method ?? '';
  // Without headers there was no answer: the client had gone. 499 is the number that proxies use for that.
  const status = response.headersSent ? response.statusCode : 499;
  const userAgent = request.headers['user-agent'];
  return {
    severity: fault !== undefined || status >= 500 ? 'ERROR' : status >= 400 ? 'WARNING' : 'INFO',
    message: `${status} ${method} ${trail.function}`,
    ...known,
    method,
    status,
    durationMs,
    ...(!response.writableFinished && { isCutOff: true }),
    httpRequest: {
      requestMethod: method,
      status,
      latency: `${durationMs / 1000}s`,
      responseSize: String(bytesSent),
      ...(userAgent && { userAgent: withoutSecrets(userAgent.slice(0, 200)) }),
    },
    ...(fault !== undefined && { stack_trace: withoutSecrets(describe(fault)) }),
  } as const;
}

type Fields = Record<string, string | number | null>;

/** Logs what was done outside of a request. */
export function logInfo(message: string, fields: Fields): void {
  write('INFO', message, fields);
}

/** Logs something that went wrong beside a request without failing it, such as a counter. */
export function logWarning(message: string, error: unknown, fields: Fields = {}): void {
  write('WARNING', message, { ...fields, error: String(error) });
}

/** Logs something that somebody should look at, with the stack of an error. */
export function logError(message: string, error: unknown, fields: Fields = {}): void {
  write('ERROR', message, { ...fields, error: describe(error) });
}

/** One line, found from its request when there is one. Whatever an error brought along, no secret is written. */
function write(severity: 'INFO' | 'WARNING' | 'ERROR', message: string, fields: Fields): void {
  const { function: name, requestId } = currentTrail() ?? {};
  const clean = Object.entries(fields).map(([field, value]) => [
    field,
    typeof value === 'string' ? withoutSecrets(value) : value,
  ]);
  logger.write({ severity, message, function: name, requestId, ...(Object.fromEntries(clean) as Fields) });
}

const describe = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));
