/** The line that the functions write for each request; one of each is enough for people, so tests collect and do not print them. */
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

/** The last of them, oldest first. */
export const requestLines: RequestLine[] = [];
const KEPT = 1000;

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
    if (!line) return print(...args);
    if (requestLines.push(line) > KEPT) requestLines.shift();
    // A fault of the functions is news, even where the test expects it.
    if (line.severity === 'ERROR') print(`${line.message}\n${line.stack_trace ?? ''}`);
  };
}
