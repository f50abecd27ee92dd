import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Failure } from '../../client/src/failure';
import { formatBytes, plain } from '../../client/src/format';
import { colorsOf, hasColors, noColors, type Colors } from './colors';
import { exitCodeOf } from './exit-code';
import { harmless, harmlessJson } from './harmless';
import { masked } from './masked';

const REDRAW_MILLISECONDS = 80;
const SHOWN_PROBLEMS = 10;

/** A warning in the JSON document of a command. */
interface Notice {
  code?: string;
  message: string;
}

/**
 * The output of a command, and its questions to the user. Text goes to standard output, progress bars and warnings go
 * to standard error. With `--json` the command writes one JSON document to standard output and nothing else to either
 * stream, because agents merge the streams: warnings and failures are in the document. Everything that it writes is
 * `harmless`: services, folders and other people name what it shows.
 */
export class Terminal {
  readonly json: boolean;
  /** Whether only warnings and failures are shown. */
  isQuiet = false;
  /** Ends the calls of the command. Without it, only the end of the process does. */
  readonly signal: AbortSignal | undefined;
  /** The hint that is shown when the user interrupts the command. */
  interruptHint: string | undefined;
  readonly colors: Colors;
  /** The warnings of the JSON document. */
  private readonly warnings: Notice[] = [];
  /** The JSON document without the warnings of the terminal. */
  private document: object | undefined;
  private hasEnded = false;
  private bar: ProgressBar | undefined;
  private isSilent = false;
  private hasStatus = false;
  private readonly shownReasons = new Set<string>();

  constructor({ json }: { json: boolean }) {
    this.json = json;
    this.colors = json ? noColors : colorsOf(process.stdout);
  }

  /** Whether the command may ask questions: input and output are a terminal, and `--json` is not set. */
  get canPrompt(): boolean {
    // A stream that is not a terminal is undefined here.
    return !this.json && Boolean(process.stdin.isTTY && process.stderr.isTTY);
  }

  say(line = ''): void {
    if (!this.json && !this.isQuiet) write(process.stdout, `${line}\n`);
  }

  /** The columns of the terminal, or 80 when standard output is not one. */
  get width(): number {
    return process.stdout.columns || 80;
  }

  /** Writes a part of a long text to standard output, and waits until the reader has room for more. */
  async stream(text: string): Promise<void> {
    const { stdout } = process;
    // `deck views --csv | head` closes the pipe: then there is no reader to wait for.
    if (stdout.destroyed || stdout.write(harmless(text.replaceAll('\r', ''), false))) return;
    const waits = new AbortController();
    const { signal } = waits;
    await Promise.race(['drain', 'close'].map((event) => once(stdout, event, { signal }))).catch(() => undefined);
    waits.abort();
  }

  /** Shows a warning. The JSON document has it in `warnings`, with its `code` if it has one. */
  warn(line: string, code?: string): void {
    if (this.json) this.warnings.push({ ...(code !== undefined && { code }), message: line });
    else write(process.stderr, `${colorsOf(process.stderr).yellow('!')} ${line}\n`);
  }

  /** A line that belongs to the warning before it. */
  note(line: string): void {
    const last = this.warnings.at(-1);
    if (last) last.message += `\n${line}`;
    else if (!this.json) write(process.stderr, `${line}\n`);
  }

  /** Shows the help or the version of the client. */
  help(text: string): void {
    if (!this.json) write(process.stdout, text);
    const { text: before = '' } = (this.document ?? {}) as { text?: string };
    this.document = { ok: true, text: `${before}${text}` };
  }

  /** Sets the answer of the command: the JSON document that `end` writes, with `--json` only. */
  answer(document: object): void {
    this.document = { ok: true, ...document };
  }

  /**
   * Shows a failure as message, hint and request id. With `--json` it becomes the document that `end` writes. `stack`
   * is shown to developers only.
   */
  fail(failure: Failure, stack?: string): void {
    const { code, message, nextAction, requestId, status, details } = failure;
    const error = { code, message, nextAction, requestId, status, details, stack };
    this.document = { ok: false, error, exitCode: exitCodeOf(failure) };
    if (this.json) return;
    const { red, dim, bold } = colorsOf(process.stderr);
    const lines = [`${code === 'interrupted' ? '' : `${red(bold('✗'))} `}${message}`];
    // The problem of `not-found` is the id or slug, which the message or the user has named already.
    if (code !== 'not-found') lines.push(...problemsIn(details).map((problem) => `  ${problem}`));
    if (nextAction) lines.push(`${dim('→')} ${nextAction}`);
    if (requestId) lines.push(dim(`request ${requestId}`));
    if (stack !== undefined) lines.push(stack);
    write(process.stderr, `${lines.join('\n')}\n`);
  }

  /**
   * Writes the JSON document, with `--json` only. The warnings of the terminal come after those that the answer has
   * itself. `main` calls it at the end; a command that goes on after its answer calls it earlier. There is never a
   * second document.
   */
  end(): void {
    if (!this.json || !this.document || this.hasEnded) return;
    this.hasEnded = true;
    process.stdout.write(`${harmlessJson(JSON.stringify(this.record(), null, 2))}\n`);
  }

  /** The JSON document. */
  record(): Record<string, unknown> {
    const { warnings: own = [], ...document } = (this.document ?? {}) as { warnings?: readonly object[] };
    const warnings = [...own, ...this.warnings];
    return { ...document, ...(warnings.length > 0 || 'warnings' in (this.document ?? {}) ? { warnings } : {}) };
  }

  /** A progress bar of `total` bytes. It draws nothing with `--json`, and when standard error is not a terminal. */
  progress(label: string, total: number): { advance: (bytes: number) => void } {
    const isDrawable = !this.json && process.stderr.isTTY;
    this.bar = new ProgressBar(label, total, isDrawable, colorsOf(process.stderr));
    return this.bar;
  }

  /**
   * Shows the reason of a wait: behind the bar if there is one, else once as a warning. An empty reason removes it.
   * With `--json` a wait that ended is not worth a warning.
   */
  waiting(reason: string): void {
    if (this.json) return;
    if (this.bar?.isDrawn) this.bar.showNote(reason && `${reason}; trying again`);
    else if (reason && !this.shownReasons.has(reason)) this.warn(`${reason}; trying again.`);
    this.shownReasons.add(reason);
  }

  /** Tells a person at the terminal which host has not answered, until it has: undefined removes the line. */
  silence(host: string | undefined): void {
    if (this.json || !process.stderr.isTTY) return;
    const reason = host === undefined ? '' : `Waiting for ${plain(host)} to answer …`;
    if (this.bar?.isDrawn) return this.bar.showNote(reason);
    if (host !== undefined || this.isSilent) process.stderr.write(`\r\x1b[2K${reason}`);
    this.isSilent = host !== undefined;
  }

  /** Shows a line that the next one replaces, as long as `clear` was not called. Only for a terminal. */
  status(line: string): void {
    const shown = harmless(line, hasColors(process.stderr));
    process.stderr.write(`\r\x1b[2K${shown}`);
    this.hasStatus = true;
  }

  /** Removes the progress bar, the line of a wait, and the status from the screen. */
  clear(): void {
    if (this.hasStatus) process.stderr.write('\r\x1b[2K');
    this.hasStatus = false;
    if (this.isSilent) this.silence(undefined);
    this.bar?.clear();
  }

  /**
   * Asks until `check` returns undefined instead of a problem. Throws `interrupted` at the end of the input; Ctrl-C
   * raises SIGINT.
   */
  async ask(question: string, check: (answer: string) => string | undefined): Promise<string> {
    const prompt = harmless(`${colorsOf(process.stderr).cyan('?')} ${question} `, hasColors(process.stderr));
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    return this.answerOf(lines, async (options) => {
      for (;;) {
        const answer = (await lines.question(prompt, options)).trim();
        const problem = check(answer);
        if (!problem) return answer;
        this.warn(problem);
      }
    });
  }

  /** Asks for a secret, and does not show what is typed. Throws as `ask` does. */
  async askHidden(question: string): Promise<string> {
    // The interface shows what is typed on its output, and turns off the echo of the terminal.
    const output = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
    process.stderr.write(`${colorsOf(process.stderr).cyan('?')} ${question} `);
    return this.answerOf(lines, async (options) => {
      const answer = await lines.question('', options);
      process.stderr.write('\n');
      return answer;
    });
  }

  private async answerOf(
    lines: Interface,
    read: (options: { signal: AbortSignal }) => Promise<string>,
  ): Promise<string> {
    const stop = new AbortController();
    lines.once('SIGINT', () => {
      process.stderr.write('\n');
      process.kill(process.pid, 'SIGINT');
    });
    lines.once('close', () => stop.abort());
    try {
      return await read(stop);
    } catch (cause) {
      process.stderr.write('\n');
      throw new Failure('Nothing was entered.', { code: 'interrupted', cause });
    } finally {
      lines.close();
    }
  }
}

/** One line with a bar, bytes and speed. It is redrawn at most every 80 ms. */
class ProgressBar {
  private done = 0;
  private note = '';
  private drawnAt = 0;
  /** Whether the bar is on the screen. */
  isDrawn = false;
  private readonly startedAt = Date.now();

  constructor(
    private readonly label: string,
    private readonly total: number,
    private readonly isDrawable: boolean,
    private readonly colors: Colors,
  ) {}

  /** Advances by `bytes`. A negative number subtracts the bytes of a failed attempt. */
  advance(bytes: number): void {
    this.done += bytes;
    this.draw();
  }

  /** Shows a note behind the bar, such as the reason of a wait. An empty note removes it. */
  showNote(note: string): void {
    this.note = plain(note);
    this.draw(true);
  }

  /** Removes the line from the screen. The next call of `advance` draws it again. */
  clear(): void {
    if (this.isDrawn) process.stderr.write('\r\x1b[2K');
    this.isDrawn = false;
    this.drawnAt = 0;
  }

  private draw(isUrgent = false): void {
    const now = Date.now();
    if (!this.isDrawable || (!isUrgent && now - this.drawnAt < REDRAW_MILLISECONDS)) return;
    this.drawnAt = now;
    this.isDrawn = true;
    const columns = process.stderr.columns || 80;
    const share = this.total === 0 ? 1 : Math.min(1, this.done / this.total);
    const seconds = Math.max(0.001, (now - this.startedAt) / 1000);
    const speed = seconds > 0.5 && !this.note ? ` ${formatBytes(this.done / seconds)}/s` : '';
    const tail = ` ${String(Math.floor(share * 100)).padStart(3)}%  ${formatBytes(this.done)} of ${formatBytes(this.total)}${speed}`;
    const room = Math.max(5, Math.min(32, columns - this.label.length - tail.length - this.note.length - 6));
    const filled = Math.round(share * room);
    const bar = this.colors.cyan('█'.repeat(filled)) + this.colors.dim('░'.repeat(room - filled));
    const note = this.note ? `  ${this.colors.yellow(this.note)}` : '';
    process.stderr.write(`\r\x1b[2K${this.label} ${bar}${tail}${note}`);
  }
}

interface Problem {
  location?: string;
  message?: string;
}

/** The fields that the service refused, one line each, from `details.errors[] {location, message}`. */
function problemsIn(details: unknown): string[] {
  const errors = (details as { errors?: Problem[] } | undefined)?.errors;
  if (!Array.isArray(errors)) return [];
  const problems = errors
    .filter((error) => typeof error === 'object' && error !== null)
    .map(({ location, message }) => plain(`${location ? `${location}: ` : ''}${message ?? ''}`));
  const distinct = [...new Set(problems)];
  const shown = distinct.slice(0, SHOWN_PROBLEMS);
  return distinct.length > shown.length ? [...shown, `… and ${distinct.length - shown.length} more`] : shown;
}

/** Writes text, parts of which may be another person's. */
function write(stream: NodeJS.WriteStream, text: string): void {
  stream.write(harmless(masked(text, stream), hasColors(stream)));
}
