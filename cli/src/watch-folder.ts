import { watch, type FSWatcher } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { stat } from 'node:fs/promises';
import { isFailure } from '../../client/src/failure';
import { scanFolder } from '../../client/src/folder/read-folder';

/** Files rest when nothing happened to them for so long. Builds write many files one after another. */
const REST_MS = 300;
/** How often the folder is read again where the system reports no changes, and where it does, in case it lost one. */
const RESCAN_MS = { withoutEvents: 1_000, withEvents: 5_000 };

interface WatchOptions {
  /** Ends the watch. The caller must abort it. */
  signal: AbortSignal;
  /** Called at once when something may have changed. */
  onEvent?: () => void;
}

/**
 * Waits for changes of the files that a push would take, and yields when they rest. Changes of ignored files, such as
 * `.deck.json`, do not count. Changes while the caller works are yielded after that, once. The watch begins at the call.
 */
export function watchFolder(folder: string, { signal, onEvent }: WatchOptions): AsyncGenerator<void> {
  const events = new FolderEvents(folder, onEvent);
  signal.addEventListener('abort', () => events.close());
  return yieldChanges(folder, events, stateOf(folder));
}

async function* yieldChanges(folder: string, events: FolderEvents, before: Promise<string>): AsyncGenerator<void> {
  for (let known = await before; ;) {
    await events.nextRest();
    if (events.isClosed) return;
    const now = await stateOf(folder);
    if (now === known) continue;
    known = now;
    yield;
  }
}

/** Events of the file system, and a regular look. */
class FolderEvents {
  isClosed = false;
  private watcher: FSWatcher | undefined;
  private happened = false;
  private wake: (() => void) | undefined;

  constructor(
    folder: string,
    private readonly onEvent: (() => void) | undefined,
  ) {
    try {
      this.watcher = watch(folder, { recursive: true }, () => this.notice());
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

/** A text that differs when a file of the deck was written, made or removed. */
async function stateOf(folder: string): Promise<string> {
  try {
    const files = await scanFolder(folder);
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
