/** The log line of each request. A test run writes thousands of these lines, so they are collected and not printed. */
export interface RequestLine {
  severity: 'INFO' | 'WARNING' | 'ERROR';
  message: string;
  function: string;
  requestId: string;
  keyId?: string;
  errorCode?: string;
  method: string;
  status: number;
  durationMs: number;
  databaseReads: number;
  databaseWrites: number;
  isCutOff?: true;
  httpRequest: Record<string, unknown>;
  stack_trace?: string;
}

/** The newest lines by request id. */
const lines = new Map<string, RequestLine>();
const KEPT = 1000;
const waiting = new Map<string, (line: RequestLine) => void>();

/** The line of a request. The functions write it when the answer has ended. */
export async function requestLineOf(requestId: string): Promise<RequestLine> {
  return lines.get(requestId) ?? new Promise((resolve) => waiting.set(requestId, resolve));
}

function collect(line: RequestLine): void {
  lines.set(line.requestId, line);
  if (lines.size > KEPT) lines.delete(lines.keys().next().value!);
  waiting.get(line.requestId)?.(line);
  waiting.delete(line.requestId);
}

/** The parsed line, or undefined when the text is not a request line. */
export function parseRequestLine(text: unknown): RequestLine | undefined {
  if (typeof text !== 'string' || !text.startsWith('{')) return undefined;
  try {
    const line = JSON.parse(text) as RequestLine;
    return line.httpRequest ? line : undefined;
  } catch {
    return undefined;
  }
}

let watcher: ((text: string) => void) | undefined;

/** Passes every text of the log to `watch` from now on, and prints nothing any more. */
export function watchLog(watch: (text: string) => void): void {
  watcher = watch;
}

for (const name of ['debug', 'info', 'warn', 'error'] as const) {
  const print = console[name].bind(console);
  console[name] = (...args: unknown[]) => {
    watcher?.(args.map(String).join(' '));
    // The lines of requests that end together come in one text.
    const lines = String(args[0]).split('\n').map(parseRequestLine);
    for (const line of lines) {
      if (line) collect(line);
      // An unexpected error of the functions is printed, even where the test provokes it.
      if (line?.severity === 'ERROR' && !watcher) print(`${line.message}\n${line.stack_trace ?? ''}`);
    }
    // A job logs a line of the severity INFO for each run.
    const isPrinted = !watcher && !lines[0] && !/^\{"severity":"(INFO|DEBUG)"/.test(String(args[0]));
    if (isPrinted) print(...args);
  };
}

// Node's own limit. Jest sets 100 frames, and the Firestore client makes a stack for each of its calls.
Error.stackTraceLimit = 10;
