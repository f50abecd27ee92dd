import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

const switches = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--hide-scrollbars',
  '--mute-audio',
  '--disable-extensions',
  '--disable-sync',
  '--disable-component-update',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-default-apps',
  '--password-store=basic',
  '--use-mock-keychain',
];

/**
 * A browser without a window, with a new profile, driven by the DevTools protocol over a pipe. It sends every request,
 * also those for this computer, to `proxyOrigin`. `close` kills it with its children and deletes its profile; so does
 * the end of this process.
 */
export class Browser {
  private lastId = 0;
  private hasEnded = false;
  private readonly answers = new Map<number, (message: Message) => void>();
  private readonly listeners: ((method: string, params: Record<string, unknown>) => void)[] = [];
  private readonly onExit = () => {
    this.kill();
    rmSync(this.profile, { recursive: true, force: true });
  };

  private constructor(
    private readonly child: ChildProcess,
    private readonly profile: string,
  ) {
    process.once('exit', this.onExit);
    child.on('error', () => this.failAll());
    child.on('exit', () => this.failAll());
    this.input.on('error', () => undefined);
    let rest = '';
    (child.stdio[4] as Readable)
      .setEncoding('utf8')
      .on('error', () => undefined)
      .on('data', (chunk: string) => {
        const messages = `${rest}${chunk}`.split('\0');
        rest = messages.pop() ?? '';
        for (const message of messages) this.take(message);
      });
  }

  static async start(program: string, proxyOrigin: string): Promise<Browser> {
    const profile = await mkdtemp(join(tmpdir(), 'deck-browser-'));
    const args = [
      ...switches,
      `--user-data-dir=${profile}`,
      `--proxy-server=${proxyOrigin}`,
      '--proxy-bypass-list=<-loopback>',
      // Chromium renamed the switch. A browser ignores the one that it does not know.
      '--webrtc-ip-handling-policy=disable_non_proxied_udp',
      '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
      'about:blank',
    ];
    const { DECK_API_KEY: _key, ...env } = process.env;
    const child = spawn(program, args, {
      // Deleted with the profile: Chromium leaves files behind when it is killed.
      env: { ...env, TMPDIR: profile },
      // A process group of its own, so that all its processes can be killed.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    return new Browser(child, profile);
  }

  /** Calls a method. Rejects when the browser refuses it or has ended. */
  async send(method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> {
    if (this.hasEnded) throw new Error('The browser has ended.');
    const id = ++this.lastId;
    const answered = new Promise<Message>((resolve) => this.answers.set(id, resolve));
    this.input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const { error, result = {} } = await answered;
    if (error) throw new Error(error.message);
    return result;
  }

  onEvent(listener: (method: string, params: Record<string, unknown>) => void): void {
    this.listeners.push(listener);
  }

  async close(): Promise<void> {
    process.off('exit', this.onExit);
    this.kill();
    // Its processes may write for a moment after the signal.
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
  }

  private get input(): Writable {
    return this.child.stdio[3] as Writable;
  }

  private take(text: string): void {
    const message = parse(text);
    // A program that does not speak the protocol.
    if (!message) return this.failAll();
    const { id, method, params = {}, ...rest } = message;
    if (id !== undefined) {
      this.answers.get(id)?.(rest);
      this.answers.delete(id);
    } else if (method !== undefined) for (const listener of this.listeners) listener(method, params);
  }

  private failAll(): void {
    this.hasEnded = true;
    for (const answer of this.answers.values()) answer({ error: { message: 'The browser has ended.' } });
    this.answers.clear();
  }

  private kill(): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    if (process.platform === 'win32') {
      spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
      return;
    }
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The group has ended.
    }
  }
}

function parse(text: string): Message | undefined {
  try {
    return JSON.parse(text) as Message;
  } catch {
    return undefined;
  }
}
