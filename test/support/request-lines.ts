/** The line that the functions write for each request. Tests write thousands: they are collected, not printed. */
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

/** The last of them, by their request's id. */
const lines = new Map<string, RequestLine>();
const KEPT = 1000;
const waiting = new Map<string, (line: RequestLine) => void>();

/** The line of a request, which is written when its answer has ended. */
export async function requestLineOf(requestId: string): Promise<RequestLine> {
  return lines.get(requestId) ?? new Promise((resolve) => waiting.set(requestId, resolve));
}

function collect(line: RequestLine): void {
  lines.set(line.requestId, line);
  if (lines.size > KEPT) lines.delete(lines.keys().next().value!);
  waiting.get(line.requestId)?.(line);
  waiting.delete(line.requestId);
}

/** The line, if that is one. */
export function parseRequestLine(text: unknown): RequestLine | undefined {
  if (typeof text !== 'string' || !text.startsWith('{')) return undefined;
  try {
    const line = JSON.parse(text) as RequestLine;
    return line.httpRequest ? line : undefined;
  } catch {
    return undefined;
  }
}

for (const name of ['info', 'warn', 'error'] as const) {
  const print = console[name].bind(console);
  console[name] = (...args: unknown[]) => {
    const line = parseRequestLine(args[0]);
    if (!line) {
      // That a job has run is no news.
      if (!String(args[0]).startsWith('{"severity":"INFO"')) print(...args);
      return;
    }
    collect(line);
    // A fault of the functions is news, even where the test expects it.
    if (line.severity === 'ERROR') print(`${line.message}\n${line.stack_trace ?? ''}`);
  };
}

// Node's own limit. Jest sets 100 frames, and the Firestore client makes a stack for each of its calls.
Error.stackTraceLimit = 10;
