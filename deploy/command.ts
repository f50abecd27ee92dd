/** A program with its arguments. A secret travels by `input`: other users of a machine can see arguments. */
export interface Command {
  program: 'gcloud' | 'firebase';
  args: readonly string[];
  /** What the program reads from standard input, and the shell command that stands for it in a dry run. */
  input?: { value: string; shownAs: string };
}

/** A call of a REST API, for what no command line offers. */
export interface RestCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: string;
  body?: object;
  /** The project that the call counts for. */
  project: string;
}

export interface Outcome {
  status: number;
  stdout: string;
  stderr: string;
}

export const gcloud = (...args: string[]): Command => ({ program: 'gcloud', args });
export const firebase = (...args: string[]): Command => ({ program: 'firebase', args });

/** The command as a line for a POSIX shell. Secrets are replaced by the command that makes them. */
export function shellLine({ program, args, input }: Command): string {
  const line = [program, ...args].map(quoted).join(' ');
  return input ? `${input.shownAs} | ${line}` : line;
}

/** The command that appends a line to a file of settings. */
export const appendLine = (line: string, file: string) => `echo ${quoted(line)} >> ${file}`;

export function curlLine({ method, url, body, project }: RestCall): string {
  return [
    `curl --fail-with-body -X ${method}`,
    `-H "Authorization: Bearer $(gcloud auth print-access-token)" -H 'x-goog-user-project: ${project}'`,
    ...(body ? [`-H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`] : []),
    quoted(url),
  ].join(' ');
}

function quoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  // A dry run does not know the number of the project: the shell asks for it.
  if (text.includes('$(gcloud ')) return `"${text}"`;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A step that cannot go on. The message is for the person who deploys. */
export class StepFailure extends Error {
  constructor(
    message: string,
    /** What the person can do. */
    readonly advice?: string,
  ) {
    super(message);
  }
}
