import { Failure, systemCode } from '../failure';
import { SILENCE_MILLISECONDS } from './patience';
import { backoff, isNetworkError, MAX_ATTEMPTS, pause, waitAfter } from './retries';
import type { Incoming, Transport } from './transport';

/** The bucket answers with headers and a short text. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** A file for a resumable upload to a signed address of the bucket. */
export interface ResumableUpload {
  url: string;
  headers: Record<string, string>;
  size: number;
  /** Opens a stream of bytes `from` to `to`, which is not included. */
  open: (from: number, to: number) => AsyncIterable<Uint8Array>;
  /** Called with the number of bytes that are sent. It decreases when the bucket holds fewer bytes than were sent. */
  onSent: (bytes: number) => void;
}

interface Connection {
  transport: Transport;
  /** Called with the reason before a wait, and with an empty string after it. */
  onWait: (reason: string) => void;
  signal?: AbortSignal | undefined;
}

/**
 * Sends the file. After a broken connection it asks the bucket how many bytes it holds, and sends the rest. It throws
 * `upload-lost` after at most 8 attempts without progress, and when nothing was sent for 2 minutes. The signed address
 * is the permission: no key is sent.
 */
export async function sendResumable(upload: ResumableUpload, { transport, onWait, signal }: Connection): Promise<void> {
  const { size } = upload;
  const url = new URL(upload.url);
  /** The bytes that the bucket holds; undefined when the bucket has to be asked. */
  let kept: number | undefined = 0;
  let mostKept = 0;
  let progressAt = performance.now();
  const watched: ResumableUpload = {
    ...upload,
    onSent(bytes) {
      progressAt = performance.now();
      upload.onSent(bytes);
    },
  };
  for (let attempt = 1; ; attempt++) {
    const from: number | undefined = kept;
    const request = from === undefined ? question(size) : piece(watched, from, transport.maxPieceBytes);
    const outcome = await transport
      .exchange({ ...request, url, method: 'PUT', maxBytes: MAX_ANSWER_BYTES, signal })
      .catch(networkReason);
    kept = undefined;
    let wait: number | undefined = backoff(attempt);
    if (typeof outcome !== 'string') {
      if (outcome.status === 200 || outcome.status === 201) return upload.onSent(size);
      progressAt = performance.now();
      if (outcome.status === 308) {
        kept = keptBytes(outcome);
        upload.onSent(kept);
        if (from === undefined || kept > mostKept) wait = 0;
        if (kept > mostKept) [mostKept, attempt] = [kept, 1];
      } else wait = waitAfter(outcome.status, outcome.headers, attempt);
    }
    const isSilent = performance.now() - progressAt >= SILENCE_MILLISECONDS;
    if (wait === undefined || attempt >= MAX_ATTEMPTS || isSilent) throw lost(url, outcome);
    if (wait === 0) continue;
    onWait(
      typeof outcome === 'string' ? `The connection failed (${outcome})` : `The bucket answered ${outcome.status}`,
    );
    await pause(wait, signal);
    onWait('');
  }
}

/** Asks how many bytes the bucket holds. */
const question = (size: number) => ({
  headers: { 'Content-Length': 0, 'Content-Range': `bytes */${size}` },
  body: new Uint8Array(),
});

/** Sends the bytes from `from`, at most `maxBytes`. */
function piece({ headers, size, open, onSent }: ResumableUpload, from: number, maxBytes = Infinity) {
  const to = Math.min(size, from + maxBytes);
  return {
    headers: { ...headers, 'Content-Length': to - from, 'Content-Range': `bytes ${from}-${to - 1}/${size}` },
    body: () => open(from, to),
    onSent: (bytes: number) => onSent(from + bytes),
  };
}

/** `Range: bytes=0-524287` means that the bucket holds 524 288 bytes. Without the header it holds none. */
function keptBytes({ headers }: Incoming): number {
  const last = /^bytes=0-(\d+)$/.exec(headers['range'] ?? '')?.[1];
  return last === undefined ? 0 : Number(last) + 1;
}

function networkReason(error: unknown): string {
  const code = systemCode(error);
  if (error instanceof Failure || code === undefined || !isNetworkError(code)) throw error;
  return code;
}

function lost({ host }: URL, outcome: Incoming | string): Failure {
  const what = typeof outcome === 'string' ? outcome : `status ${outcome.status}`;
  return new Failure(`A large file could not be sent to ${host} (${what}).`, {
    code: 'upload-lost',
    nextAction: 'Push again. That does not send uploaded files a second time.',
    status: typeof outcome === 'string' ? undefined : outcome.status,
  });
}
