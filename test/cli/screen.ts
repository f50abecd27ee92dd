import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A test that types in a terminal. */
export const inTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') ? test : test.skip;

/** A command in a terminal: its screen and its keyboard. */
export class Screen {
  private text = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown[]>;

  /** `script` runs the command in a pseudo-terminal. */
  constructor(command: string[], env: NodeJS.ProcessEnv) {
    const line = command.map((word) => `'${word}'`).join(' ');
    this.child = spawn('script', ['-qec', line, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
    this.ended = once(this.child, 'close');
  }

  /**
   * Resolves when the words have appeared since the last call, with what stood before them; rejects when the command
   * ends without them.
   */
  async shows(words: string): Promise<string> {
    while (!this.text.includes(words)) {
      const output = once(this.child.stdout!, 'data').then(() => true);
      const isOn = await Promise.race([output, this.ended.then(() => false)]);
      if (!isOn && !this.text.includes(words)) throw new Error(`It ended without "${words}":\n${this.text}`);
    }
    const before = this.text.slice(0, this.text.indexOf(words));
    this.text = this.text.slice(before.length + words.length);
    return before;
  }

  /** The next characters after the words that were last waited for. */
  async next(count: number): Promise<string> {
    while (this.text.length < count) await once(this.child.stdout!, 'data');
    return this.text.slice(0, count);
  }

  /** Waits for a question, and types an answer. */
  async answer(question: string, line: string): Promise<void> {
    await this.shows(question);
    this.type(`${line}\r`);
  }

  type(keys: string): void {
    this.child.stdin?.write(keys);
  }

  close(): void {
    this.child.kill();
  }

  /** The exit code of the command. */
  async exitCode(): Promise<unknown> {
    return (await this.ended)[0];
  }
}
