import type { Agent } from 'node:http';
import type { Readable } from 'node:stream';
import { Failure, systemCode } from '../failure';
import type { Incoming } from './exchange';
import { exchange } from './exchange';
import { backoff, isNetworkError, maxAttempts, pause, waitAfter } from './retry';

/** A file on its way to an address of the bucket that takes it in one piece or several. */
export interface ResumableUpload {
  url: string;
  headers: Record<string, string>;
  size: number;
  /** The file from a byte on. */
  open: (from: number) => Readable;
  /** Told what the bucket has of the file, when it is asked. */
  onKept: (bytes: number) => void;
}

interface Connection {
  agent: Agent;
  /** Told why there is a wait and, with an empty string, when it is over. */
  onWait: (reason: string) => void;
  signal: AbortSignal;
}

/**
 * Sends the file. After a broken connection the bucket is asked what it has, and gets the rest; that is given up when it has
 * not got further for some tries. The address is all the permission that is needed: no key goes with it.
 */
export async function sendResumable(upload: ResumableUpload, { agent, onWait, signal }: Connection): Promise<void> {
  const { size } = upload;
  const url = new URL(upload.url);
  /** What the bucket has, where that is known. */
  let kept: number | undefined = 0;
  let most = 0;
  for (let attempt = 1; ; attempt++) {
    const from: number | undefined = kept;
    const { headers, body } =
      from === undefined
        ? { headers: { 'Content-Length': 0, 'Content-Range': `bytes */${size}` }, body: Buffer.alloc(0) }
        : { headers: rest(upload, from), body: () => upload.open(from) };
    const outcome = await exchange({ url, method: 'PUT', headers, body, signal }, agent).catch(networkReason);
    kept = undefined;
    let wait: number | undefined = backoff(attempt);
    if (typeof outcome !== 'string') {
      if (outcome.status === 200 || outcome.status === 201) return upload.onKept(size);
      if (outcome.status === 308) {
        kept = keptBytes(outcome);
        upload.onKept(kept);
        if (from === undefined || kept > most) wait = 0;
        if (kept > most) [most, attempt] = [kept, 1];
      } else wait = waitAfter(outcome.status, outcome.headers, attempt);
    }
    if (wait === undefined || attempt >= maxAttempts) throw lost(url, outcome);
    if (wait === 0) continue;
    onWait(
      typeof outcome === 'string' ? `The connection failed (${outcome})` : `The bucket answered ${outcome.status}`,
    );
    await pause(wait, signal);
    onWait('');
  }
}

const rest = ({ headers, size }: ResumableUpload, from: number) => ({
  ...headers,
  'Content-Length': size - from,
  'Content-Range': `bytes ${from}-${size - 1}/${size}`,
});

/** `Range: bytes=0-524287` says that so much is safe; without one, nothing is. */
function keptBytes({ headers }: Incoming): number {
  const last = /^bytes=0-(\d+)$/.exec(headers.range ?? '')?.[1];
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
    nextAction: 'Run the same command again: what has been uploaded is not sent a second time.',
    status: typeof outcome === 'string' ? undefined : outcome.status,
  });
}
