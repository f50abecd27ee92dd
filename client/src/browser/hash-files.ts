import pMap from 'p-map';
import { Failure } from '../failure';
import { fileChanged } from '../folder/file-changed';
import type { BrowserFile, HashedBrowserFile } from './files';
import type { HashMessage } from './hash-worker';

const MAX_WORKERS = 3;

interface Hashing {
  /** Starts a worker with the script `deckhost-client/hash-worker`. */
  makeWorker: () => Worker;
  onBytes: (bytes: number) => void;
  signal: AbortSignal | undefined;
}

/** Hashes the files in at most 3 workers, as streams: a large file is never whole in memory. */
export async function hashFiles(
  files: readonly BrowserFile[],
  { makeWorker, onBytes, signal }: Hashing,
): Promise<HashedBrowserFile[]> {
  signal?.throwIfAborted();
  const workers = Array.from({ length: Math.min(MAX_WORKERS, files.length) }, makeWorker);
  const free = [...workers];
  const hash = async (file: BrowserFile) => {
    const worker = free.pop();
    if (!worker) throw new Error('Each file that is hashed has a worker.');
    try {
      return await hashIn(worker, file, onBytes, signal);
    } finally {
      free.push(worker);
    }
  };
  try {
    return await pMap(files, hash, { concurrency: Math.max(1, workers.length) });
  } finally {
    for (const worker of workers) worker.terminate();
  }
}

function hashIn(
  worker: Worker,
  { path, blob }: BrowserFile,
  onBytes: (bytes: number) => void,
  signal: AbortSignal | undefined,
): Promise<HashedBrowserFile> {
  const { promise, resolve, reject } = withResolvers<HashedBrowserFile>();
  const stop = () => reject(signal?.reason as Error);
  signal?.addEventListener('abort', stop, { once: true });
  worker.onmessage = ({ data }: MessageEvent<HashMessage>) => {
    if (data.kind === 'bytes') onBytes(data.bytes);
    else if (data.kind === 'failed') reject(readFailure(path, data.reason));
    else resolve({ path, blob, sizeBytes: blob.size, sha256: data.sha256, contentType: data.contentType });
  };
  worker.onerror = ({ message }) => reject(new Error(`The worker that hashes files failed: ${message}`));
  worker.postMessage({ path, blob } satisfies BrowserFile);
  return promise.finally(() => signal?.removeEventListener('abort', stop));
}

/** `Promise.withResolvers`, which browsers before 2024 lack. */
function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
}

/** A browser refuses to read a file that was changed or deleted after the page got it. */
export function readFailure(path: string, reason: string): Failure {
  if (reason === 'NotReadableError' || reason === 'NotFoundError') return fileChanged(path);
  return new Failure(`${path} cannot be read (${reason}).`, { code: 'unreadable-file', details: { path } });
}
