import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { config } from '../config';
import type { Attempt } from '../deadlines';
import { openCall, Refused } from './bucket-call';

interface NewObject {
  name: string;
  contentType: string;
  /** Without it, the object has what arrives until the end. */
  sizeBytes?: number;
  open: () => Buffer | Readable | AsyncIterable<Buffer>;
}

/**
 * Creates an object in one request, so that the bucket checks the precondition with the bytes. The object is visible
 * only when it has `sizeBytes`, or all bytes. Throws the status of a refusal as `code`: 412 when the object exists. It
 * ends with the end of the answer, so that the time of an attempt also limits an answer that stops in the middle.
 */
export async function createObject(
  { name, contentType, sizeBytes, open }: NewObject,
  { signal, progress }: Pick<Attempt, 'signal' | 'progress'>,
): Promise<void> {
  const query = `uploadType=media&ifGenerationMatch=0&name=${encodeURIComponent(name)}`;
  const call = await openCall(`/upload/storage/v1/b/${encodeURIComponent(config.bucketName())}/o?${query}`, {
    method: 'POST',
    headers: { 'Content-Type': contentType, ...(sizeBytes !== undefined && { 'Content-Length': sizeBytes }) },
    signal,
  });
  const answered = once(call, 'response') as Promise<[IncomingMessage]>;
  const bytes = open();
  if (Buffer.isBuffer(bytes)) call.end(bytes);
  // A file that cannot be read fails the request. The bucket may also answer before it has received the file.
  else pipeline(bytes, (chunks) => reporting(chunks as AsyncIterable<Buffer>, progress), call).catch(() => {});
  const [answer] = await answered;
  const isCreated = answer.statusCode === 200;
  // The status tells whether the object exists, whatever becomes of the rest of the answer.
  if (isCreated || call.writableFinished) await finished(answer.resume()).catch(() => {});
  // The rest of a refused file is not sent.
  else answer.on('error', () => {}).destroy();
  if (!isCreated) throw new Refused('an upload', answer.statusCode!);
}

async function* reporting(chunks: AsyncIterable<Buffer>, progress: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    progress();
    yield chunk;
  }
  progress();
}
