import type { createColors } from 'picocolors';

/** One line that is redrawn at most every 80 ms, with a bar, bytes and speed. Silent where there is no terminal. */
export class ProgressBar {
  private done = 0;
  private note = '';
  private drawnAt = 0;
  /** Whether it is on the screen at present. */
  isDrawn = false;
  private readonly startedAt = Date.now();

  constructor(
    private readonly label: string,
    private readonly total: number,
    private readonly stream: NodeJS.WriteStream,
    private readonly colors: ReturnType<typeof createColors>,
  ) {}

  /** Moves by `bytes`; a negative number takes back what a failed attempt had counted. */
  advance(bytes: number): void {
    this.done += bytes;
    this.draw();
  }

  /** A word behind the bar, such as what is being waited for; empty takes it away. */
  remark(note: string): void {
    this.note = note;
    this.draw(true);
  }

  /** Takes the line off the screen; the next move draws it again. */
  clear(): void {
    if (this.isDrawn) this.stream.write('\r\x1b[2K');
    this.isDrawn = false;
    this.drawnAt = 0;
  }

  private draw(isUrgent = false): void {
    const now = Date.now();
    if (!this.stream.isTTY || (!isUrgent && now - this.drawnAt < 80)) return;
    this.drawnAt = now;
    this.isDrawn = true;
    const columns = this.stream.columns || 80;
    const share = this.total === 0 ? 1 : Math.min(1, this.done / this.total);
    const seconds = Math.max(0.001, (now - this.startedAt) / 1000);
    const speed = seconds > 0.5 && !this.note ? ` ${formatBytes(this.done / seconds)}/s` : '';
    const tail = ` ${String(Math.floor(share * 100)).padStart(3)}%  ${formatBytes(this.done)} of ${formatBytes(this.total)}${speed}`;
    const room = Math.max(5, Math.min(32, columns - this.label.length - tail.length - this.note.length - 6));
    const filled = Math.round(share * room);
    const bar = this.colors.cyan('█'.repeat(filled)) + this.colors.dim('░'.repeat(room - filled));
    const note = this.note ? `  ${this.colors.yellow(this.note)}` : '';
    this.stream.write(`\r\x1b[2K${this.label} ${bar}${tail}${note}`);
  }
}

/** `1.4 MB`: binary units as the plans count them. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** `1 file`, `2 files`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
