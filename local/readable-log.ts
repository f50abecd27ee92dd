/** A structured log line of the functions, in the format of Cloud Logging. */
interface LogEntry {
  severity?: string;
  message?: string;
  function?: string;
  errorCode?: string;
  durationMs?: number;
  httpRequest?: object;
  error?: string;
  stack_trace?: string;
}

/**
 * Turns structured log lines into short ones: `200 POST precheckAssets 12 ms`. Returns any other line unchanged. The
 * functions print the lines of requests that end together in one text.
 */
function toReadableLines(text: string): string {
  return text.split('\n').map(toReadableLine).join('\n');
}

function toReadableLine(text: string): string {
  const entry = parse(text);
  if (!entry) return text;
  const { message = '', errorCode, durationMs, error, stack_trace: stack } = entry;
  const line = entry.httpRequest
    ? [message, errorCode, `${durationMs ?? 0} ms`]
    : [entry.severity?.toLowerCase(), entry.function, message, countsOf(entry)];
  return [line.filter(Boolean).join(' '), error, stack].filter(Boolean).join('\n');
}

/** The numbers of a scheduled run: `12 ms: folded 3, failed 0`. Empty for other lines. */
function countsOf({ durationMs, ...fields }: LogEntry): string {
  if (durationMs === undefined) return '';
  const counts = Object.entries<unknown>(fields).flatMap(([name, value]) =>
    typeof value === 'number' ? [`${name} ${value}`] : [],
  );
  return `${durationMs} ms: ${counts.join(', ')}`;
}

const isJson = (text: unknown): text is string => typeof text === 'string' && text.startsWith('{');

function parse(text: unknown): LogEntry | undefined {
  if (!isJson(text)) return undefined;
  try {
    const entry = JSON.parse(text) as LogEntry;
    return typeof entry.severity === 'string' && typeof entry.message === 'string' ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** A console that writes readable lines to standard error. It omits structured lines of the severity DEBUG. */
export function readableConsole(): Console {
  const made = new console.Console(process.stderr, process.stderr);
  for (const name of ['debug', 'info', 'warn', 'error'] as const) {
    const print = made[name].bind(made);
    made[name] = (first?: unknown, ...rest: unknown[]) => {
      if (parse(first)?.severity !== 'DEBUG') print(isJson(first) ? toReadableLines(first) : first, ...rest);
    };
  }
  return made;
}
