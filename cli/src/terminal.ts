import { createInterface } from 'node:readline/promises';
import { createColors } from 'picocolors';
import { Failure, systemCode } from './failure';
import { ProgressBar } from './progress';

/**
 * Where a command speaks. Prose goes to standard output, or to standard error when the command answers with JSON,
 * so that standard output then holds exactly one document. Bars and warnings always go to standard error.
 */
export class Terminal {
  readonly json: boolean;
  /** What to say when the command is interrupted. */
  interruptHint: string | undefined;
  readonly colors: ReturnType<typeof createColors>;
  private readonly prose: NodeJS.WriteStream;
  private bar: ProgressBar | undefined;
  private readonly toldReasons = new Set<string>();

  constructor({ json }: { json: boolean }) {
    this.json = json;
    this.prose = json ? process.stderr : process.stdout;
    this.colors = createColors(hasColors(this.prose));
    // `deck push | head -1` closes the pipe early: that is no reason for a stack trace.
    process.stdout.on('error', (error) => {
      if (systemCode(error) !== 'EPIPE') throw error;
    });
  }

  /** Whether a person can be asked: both ends are a terminal, and no script asked for JSON. */
  get canPrompt(): boolean {
    return !this.json && process.stdin.isTTY && process.stderr.isTTY;
  }

  say(line = ''): void {
    this.prose.write(`${line}\n`);
  }

  warn(line: string): void {
    process.stderr.write(`${createColors(hasColors(process.stderr)).yellow('!')} ${line}\n`);
  }

  /** Ends the command: the document for a script, and nothing for people, who have been told already. */
  answer(document: object): void {
    if (this.json) process.stdout.write(`${JSON.stringify({ ok: true, ...document }, null, 2)}\n`);
  }

  /** Shows an error as message, hint and request id; with `--json` as a document on standard output as well. */
  fail(failure: Failure): void {
    const { red, dim, bold } = createColors(hasColors(process.stderr));
    const { code, message, nextAction, requestId, status, details, exitCode } = failure;
    if (this.json) {
      const error = { code, message, nextAction, requestId, status, details };
      process.stdout.write(`${JSON.stringify({ ok: false, error, exitCode }, null, 2)}\n`);
    }
    const lines = [`${code === 'interrupted' ? '' : `${red(bold('✗'))} `}${message}`];
    lines.push(...problemsIn(details).map((problem) => `  ${problem}`));
    if (nextAction) lines.push(`${dim('→')} ${nextAction}`);
    if (requestId) lines.push(dim(`request ${requestId}`));
    process.stderr.write(`${lines.join('\n')}\n`);
  }

  /** A bar that fills up to `total` bytes; without a terminal it draws nothing. */
  progress(label: string, total: number): ProgressBar {
    this.bar = new ProgressBar(label, total, process.stderr, createColors(hasColors(process.stderr)));
    return this.bar;
  }

  /** Tells why there is a wait: behind the bar where one is drawn, else once for each reason. Empty ends it. */
  waiting(reason: string): void {
    if (this.bar?.isDrawn) this.bar.remark(reason && `${reason}; trying again`);
    else if (reason && !this.toldReasons.has(reason)) this.warn(`${reason}; trying again.`);
    this.toldReasons.add(reason);
  }

  /** Takes a half-drawn bar off the screen, so that what is written next starts on a clean line. */
  clear(): void {
    this.bar?.clear();
  }

  /** Asks until the answer is acceptable. `check` says what is wrong with an answer, or nothing. Ctrl-C and Ctrl-D end it. */
  async ask(question: string, check: (answer: string) => string | undefined): Promise<string> {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    const stop = new AbortController();
    lines.once('SIGINT', () => {
      process.stderr.write('\n');
      process.kill(process.pid, 'SIGINT');
    });
    lines.once('close', () => stop.abort());
    try {
      for (;;) {
        const answer = (await lines.question(`${this.colors.cyan('?')} ${question} `, { signal: stop.signal })).trim();
        const problem = check(answer);
        if (!problem) return answer;
        this.warn(problem);
      }
    } catch (cause) {
      process.stderr.write('\n');
      throw new Failure('Nothing was entered.', { code: 'interrupted', cause });
    } finally {
      lines.close();
    }
  }
}

/** What others wrote, such as a title, as one line: no control character of it reaches the terminal. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ');
}

/** The service names every field that it refuses: `details.errors[] {location, message}`. */
function problemsIn(details: unknown): string[] {
  const errors = (details as { errors?: { location?: string; message?: string }[] } | undefined)?.errors;
  if (!Array.isArray(errors)) return [];
  const shown = errors
    .slice(0, 10)
    .map(({ location, message }) => `${location ? `${location}: ` : ''}${message ?? ''}`);
  return errors.length > shown.length ? [...shown, `… and ${errors.length - shown.length} more`] : shown;
}

function hasColors(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
}
