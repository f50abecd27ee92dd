import { statSync, watch, type FSWatcher } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isFailure } from '../../client/src/failure';
import { openFound } from '../../client/src/folder/read-file';
import { scanFolder } from '../../client/src/folder/read-folder';
import { isPdf } from '../../client/src/pdf/is-pdf';

/** Files rest when nothing happened to them for so long. Builds write many files one after another. */
const REST_MS = 300;
/** How often the folder is read again where the system reports no changes, and where it does, in case it lost one. */
const RESCAN_MS = { withoutEvents: 1_000, withEvents: 5_000 };

/** A file that is not whole is waited for so long. */
const PATIENCE_MS = 20_000;

interface WatchOptions {
  /** Ends the watch. The caller must abort it. */
  signal: AbortSignal;
  /** Called at once when something may have changed. */
  onEvent?: () => void;
}

/**
 * Waits for changes of the files that a push of the path would take, and yields when they rest and are whole. Changes
 * of ignored files, such as `.deck.json`, do not count. Changes while the caller works are yielded after that, once.
 * The watch begins at the call.
 */
export function watchSource(path: string, { signal, onEvent }: WatchOptions): AsyncGenerator<void> {
  const isFile = statSync(path).isFile();
  const events = new SourceEvents(path, isFile, onEvent);
  signal.addEventListener('abort', () => events.close());
  return yieldChanges({ path, isFile, events }, stateOf(path));
}

interface Watched {
  path: string;
  isFile: boolean;
  events: SourceEvents;
}

async function* yieldChanges({ path, isFile, events }: Watched, before: Promise<string>): AsyncGenerator<void> {
  let waitedSince: number | undefined;
  for (let known = await before; ;) {
    await events.nextRest();
    if (events.isClosed) return;
    const now = await stateOf(path);
    if (now === known) continue;
    if (isFile && (await isHalfWritten(path))) {
      waitedSince ??= performance.now();
      if (performance.now() - waitedSince < PATIENCE_MS) {
        events.askSoon();
        continue;
      }
    }
    waitedSince = undefined;
    known = now;
    yield;
  }
}

/** Events of the file system about a folder or a file, and a regular look. */
class SourceEvents {
  isClosed = false;
  private watcher: FSWatcher | undefined;
  private happened = false;
  private wake: (() => void) | undefined;

  constructor(
    path: string,
    isFile: boolean,
    private readonly onEvent: (() => void) | undefined,
  ) {
    try {
      // Programs replace a file by another one: its folder is watched.
      const file = isFile ? basename(path) : undefined;
      this.watcher = watch(file ? dirname(path) : path, { recursive: !file }, (_event, name) => {
        if (!file || name === null || name === file) this.notice();
      });
      // Such as too many watched folders, or a network drive.
      this.watcher.on('error', () => this.loseWatcher());
    } catch {
      this.loseWatcher();
    }
  }

  /** Resolves when something happened since the last call and then nothing for a moment, and from time to time. */
  async nextRest(): Promise<void> {
    if (!this.happened && !this.isClosed)
      await this.sleep(this.watcher ? RESCAN_MS.withEvents : RESCAN_MS.withoutEvents);
    this.onEvent?.();
    while (this.happened && !this.isClosed) {
      this.happened = false;
      await pause(REST_MS);
    }
  }

  /** Lets the next rest come after one moment, whatever happens. */
  askSoon(): void {
    this.happened = true;
  }

  close(): void {
    this.isClosed = true;
    this.watcher?.close();
    this.wake?.();
  }

  private notice(): void {
    this.happened = true;
    this.onEvent?.();
    this.wake?.();
  }

  private loseWatcher(): void {
    this.watcher?.close();
    this.watcher = undefined;
    this.notice();
  }

  /** Resolves at the next event, and after so many milliseconds. */
  private async sleep(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = undefined;
  }
}

/** Whether a program still writes the only file of the deck, or has removed it to write another one. */
async function isHalfWritten(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (!found || !isPdf(path)) return !found;
  // The end of a PDF says that it is the end. A program may hold the file that it writes.
  const file = await openFound(path).catch(() => undefined);
  if (!file) return true;
  try {
    const { buffer } = await file.read({ buffer: Buffer.alloc(1024), position: Math.max(0, found.size - 1024) });
    return !buffer.includes('%%EOF');
  } finally {
    await file.close();
  }
}

/** A text that differs when a file of the deck was written, made or removed. */
export async function stateOf(path: string): Promise<string> {
  try {
    const isFile = (await stat(path).catch(() => undefined))?.isFile() ?? true;
    const files = isFile ? [{ path: '', absolutePath: path }] : await scanFolder(path);
    const rows = await Promise.all(
      files.map(async ({ path, absolutePath }) => {
        const { mtimeMs, size } = await stat(absolutePath).catch(() => ({ mtimeMs: 0, size: 0 }));
        return `${path}\0${mtimeMs}\0${size}`;
      }),
    );
    return rows.join('\n');
  } catch (error) {
    // A folder that cannot be a deck at the moment: the next push or request tells why.
    if (isFailure(error)) return error.message;
    throw error;
  }
}
