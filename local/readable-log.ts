/** What the functions write about a request; in the cloud, Cloud Logging shows it. */
interface Entry {
  severity?: string;
  message?: string;
  function?: string;
  errorCode?: string;
  durationMs?: number;
  httpRequest?: object;
  error?: string;
  stack_trace?: string;
}

/** One line for people of a structured one: `200 POST precheckAssets 12 ms`. Anything else stays as it is. */
export function toReadableLine(text: unknown): unknown {
  const entry = parse(text);
  if (!entry) return text;
  const { message = '', errorCode, durationMs, error, stack_trace: stack } = entry;
  const line = entry.httpRequest
    ? [message, errorCode, `${durationMs ?? 0} ms`]
    : [entry.severity?.toLowerCase(), entry.function, message];
  return [line.filter(Boolean).join(' '), error, stack].filter(Boolean).join('\n');
}

function parse(text: unknown): Entry | undefined {
  if (typeof text !== 'string' || !text.startsWith('{')) return undefined;
  try {
    const entry = JSON.parse(text) as Entry;
    return typeof entry.severity === 'string' && typeof entry.message === 'string' ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** A console on standard error that writes the functions' lines for people. */
export function readableConsole(): Console {
  const made = new console.Console(process.stderr, process.stderr);
  for (const name of ['debug', 'info', 'warn', 'error'] as const) {
    const print = made[name].bind(made);
    made[name] = (first?: unknown, ...rest: unknown[]) => print(toReadableLine(first), ...rest);
  }
  return made;
}
