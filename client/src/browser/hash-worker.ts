/** The web worker that hashes files: a page stays responsive meanwhile. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { TypeFinder } from '../folder/content-type';
import type { BrowserFile } from './files';

/** What the worker answers to a file: how many bytes more are hashed, and at last the result. */
export type HashMessage =
  | { kind: 'bytes'; bytes: number }
  | { kind: 'hashed'; sha256: string; contentType: string }
  | { kind: 'failed'; reason: string };

/** The browser hashes faster than a program, but only a whole file. */
const MAX_WHOLE_BYTES = 8 * 1024 * 1024;

async function hash({ path, blob }: BrowserFile, onBytes: (bytes: number) => void) {
  const type = new TypeFinder(path);
  if (blob.size <= MAX_WHOLE_BYTES) {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    type.update(bytes);
    onBytes(bytes.length);
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return { sha256: bytesToHex(digest), contentType: type.contentType() };
  }
  const hasher = sha256.create();
  const reader = blob.stream().getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    hasher.update(part.value);
    type.update(part.value);
    onBytes(part.value.length);
  }
  return { sha256: bytesToHex(hasher.digest()), contentType: type.contentType() };
}

const answer = (message: HashMessage) => postMessage(message);

onmessage = ({ data }: MessageEvent<BrowserFile>) => {
  hash(data, (bytes) => answer({ kind: 'bytes', bytes })).then(
    (hashed) => answer({ kind: 'hashed', ...hashed }),
    (error: unknown) => answer({ kind: 'failed', reason: error instanceof Error ? error.name : String(error) }),
  );
};
