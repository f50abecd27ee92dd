import { signal } from '@preact/signals';
import {
  pushFiles,
  storedSession,
  type Amount,
  type Destination,
  type Dropped,
  type FinishedPush,
  type PushOptions,
} from 'deckhost-client/browser';
import hashWorker from '../../../../client/src/browser/hash-worker.ts?worker&url';
import { isFailure, uploadService } from '../service';
import { workerAddress } from '../trusted';
import { forgetInterrupted, rememberInterrupted } from './interrupted';

/** What an upload did. */
export type Pushed = Omit<FinishedPush<never>, 'files'>;

/** What a running upload has done. */
export interface Progress {
  stage: 'hash' | 'upload' | 'commit';
  amount: Amount;
  bytes: number;
  /** The bytes that are sent of each file that the service lacks, by its path. */
  files: ReadonlyMap<string, number>;
  /** The paths of those that the service has stored meanwhile. */
  stored: ReadonlySet<string>;
}

const makeWorker = () => new Worker(workerAddress(hashWorker), { type: 'module' });

const start = (): Progress => ({
  stage: 'hash',
  amount: { files: 0, bytes: 0 },
  bytes: 0,
  files: new Map(),
  stored: new Set(),
});

async function sendSlides(dropped: Dropped, pushed: Pushed): Promise<void> {
  const { sendPictures } = await import('./pdf');
  await sendPictures(uploadService(), dropped, pushed);
}

/** One upload: its progress, and how to end it. Another run of the same files sends only what is missing. */
export class PushRun {
  readonly progress = signal(start());
  private readonly stop = new AbortController();

  constructor(
    private readonly dropped: Dropped,
    private readonly destination: Destination,
    private readonly options: Omit<PushOptions, 'dryRun'>,
    /**
     * Whether an earlier run failed. The answer to its commit may be lost: a deck that holds these files then needs no
     * other version.
     */
    private readonly isAgain = false,
  ) {}

  /** Nobody can call a commit back: the service may have the version already. */
  cancel(): void {
    if (this.progress.peek().stage !== 'commit') this.stop.abort();
  }

  get isCancelled(): boolean {
    return this.stop.signal.aborted;
  }

  async run(): Promise<Pushed> {
    const { dropped, destination, options, isAgain } = this;
    const { name, files } = dropped;
    // Many decks have the name `dist`: only the same files resume an upload.
    const bytes = files.reduce((sum, { blob }) => sum + blob.size, 0);
    const sessions = storedSession(() => sessionStorage, `deckhost.push:${name} ${files.length} ${bytes}`);
    rememberInterrupted(name, destination);
    try {
      const { signal: stopped } = this.stop;
      // The person has seen which files are refused, and goes on without them.
      const chosen = {
        destination,
        options,
        ...(isAgain && options.entry && { remembered: { entryPath: options.entry } }),
      };
      const request = { ...dropped, ...chosen, refused: [], makeWorker, sessions, signal: stopped };
      const outcome = await pushFiles(uploadService(), request, this.reporter());
      await sessions.remove();
      forgetInterrupted();
      // The run before has made the version.
      const pushed = isAgain ? { ...outcome, status: 'pushed' as const } : outcome;
      // The deck is online: its pictures come later, or not at all.
      if ((dropped.pdf ?? dropped.images) && pushed.status === 'pushed') void sendSlides(dropped, pushed);
      return pushed;
    } catch (error) {
      if (isFailure(error, 'session-expired')) await sessions.remove();
      throw error;
    }
  }

  /** Files and bytes change many times a second: the page draws them once a frame. */
  private reporter() {
    const files = new Map<string, number>();
    const stored = new Set<string>();
    let bytes = 0;
    let frame = 0;
    const change = (changes: Partial<Progress>) => (this.progress.value = { ...this.progress.peek(), ...changes });
    const draw = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        change({ bytes, files: new Map(files), stored });
      });
    };
    return {
      onStart: (stage: 'hash' | 'upload' | 'download', amount: Amount) => {
        bytes = 0;
        if (stage !== 'download') change({ stage, amount, bytes });
      },
      onBytes: (more: number) => {
        bytes += more;
        draw();
      },
      onFile: (path: string, sent: number) => {
        files.set(path, sent);
        draw();
      },
      onStored: (path: string) => {
        stored.add(path);
        draw();
      },
      onCommit: () => change({ stage: 'commit' }),
    };
  }
}
