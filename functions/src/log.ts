import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, sep } from 'node:path';
import { currentContext, TRACE, type Trail } from './context';
import { withSourceLines } from './source-lines';
import { withoutSecrets } from './values/redact';

/**
 * Runs the work of a request and writes its log line when the work is done and the answer has ended or was cut off. The
 * line names the function and not the address, because the address may hold a share token. Settles as `work` does.
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
  const done = work();
  void Promise.allSettled([done, closed]).then(() => {
    const durationMs = Math.round(performance.now() - startedAt);
    const line = requestLine(trail, request, response, durationMs, socket.bytesWritten - bytesBefore);
    if (line.severity === 'INFO') printTogether(line);
    else print(line);
  });
  return done;
}

/** The line with the field names of a LogEntry: Cloud Logging reads severity, message, httpRequest and stack_trace. */
function requestLine(
  trail: Trail,
  request: IncomingMessage,
  response: ServerResponse,
  durationMs: number,
  bytesSent: number,
) {
  const { fault, ...known } = trail;
  const method = request.method ?? '';
  // Without headers there was no answer, because the client closed the connection. Proxies use the status 499 for this.
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

const methods = { DEBUG: 'debug', INFO: 'info', WARNING: 'warn', ERROR: 'error' } as const;

/**
 * Prints one line of JSON, which Cloud Logging reads as an entry. The logger of firebase-functions prints the same line
 * after a search for circular fields, which is 9 % of a 304.
 */
function print(entry: { severity: keyof typeof methods; message: string }): void {
  console[methods[entry.severity]](JSON.stringify(entry));
}

/** Lines that wait for the end of this turn of the event loop. */
let waiting: string[] = [];

/**
 * Prints the line of a request without an error, in one write with those of the other requests that end in this turn of
 * the event loop: requests that share a read end together, and a write for each is 5 % of a 304.
 */
function printTogether(entry: object): void {
  if (waiting.push(JSON.stringify(entry)) > 1) return;
  process.nextTick(() => {
    const lines = waiting;
    waiting = [];
    console.info(lines.join('\n'));
  });
}

type Fields = Record<string, string | number | null>;

/** Logs a run that had nothing to do. */
export function logDebug(message: string, fields: Fields): void {
  write('DEBUG', message, fields);
}

/** Logs work that was done outside of a request. */
export function logInfo(message: string, fields: Fields): void {
  write('INFO', message, fields);
}

/** Logs a fault that does not fail the request, such as a lost count. */
export function logWarning(message: string, error: unknown, fields: Fields = {}, context = currentContext()): void {
  write('WARNING', message, { ...fields, error: String(error) }, context);
}

/** Logs a fault that an operator must look at, with the stack of the error. */
export function logError(message: string, error: unknown, fields: Fields = {}): void {
  write('ERROR', message, { ...fields, error: describe(error) });
}

/**
 * Writes one line, with the function and id of the request if there is one. Removes secrets from every text field.
 */
function write(
  severity: 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR',
  message: string,
  fields: Fields,
  context = currentContext(),
): void {
  const { function: name, requestId, [TRACE]: trace } = context?.trail ?? {};
  const clean = Object.entries(fields).map(([field, value]) => [
    field,
    typeof value === 'string' ? withoutSecrets(value) : value,
  ]);
  const known = { function: name, requestId, ...(trace && { [TRACE]: trace }) };
  print({ severity, message, ...known, ...(Object.fromEntries(clean) as Fields) });
}

/** The folder of the functions on this machine: above src and, in a deployment, above lib. */
const folder = dirname(__dirname);

/**
 * The stack of an error with places in the sources, whose paths begin with `functions/` wherever the functions are
 * installed.
 */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return withSourceLines(error.stack ?? error.message).replaceAll(`${folder}${sep}`, 'functions/');
}
