import { Readable } from 'node:stream';
import type { HashedFile } from '../folder/hash';
import { readExactly } from '../folder/read-exactly';
import { inParallel } from '../parallel';
import type { Contract } from '../service/contract';
import type { Service } from '../service/service';
import { refusal } from './refusal';
import type { Target } from './target';
import { targetField } from './target';

const filesPerCall = 500;
const parallelFiles = 2;

type Grant = Extract<Contract['createAssetUploads']['answer']['uploads'][number], { status: 'upload' }>;

/** Sends files straight to the bucket, where each counts once the service has looked at it. */
export async function uploadLargeFiles(
  service: Service,
  target: Target,
  files: readonly HashedFile[],
  onBytes: (bytes: number) => void,
): Promise<void> {
  for (let start = 0; start < files.length; start += filesPerCall) {
    const chunk = new Map(files.slice(start, start + filesPerCall).map((file) => [file.sha256, file]));
    const assets = [...chunk.values()].map(({ sha256, sizeBytes, contentType }) => ({
      sha256,
      size: sizeBytes,
      contentType,
    }));
    const { uploads } = await service.post('createAssetUploads', { ...targetField(target), assets });
    await inParallel(uploads, parallelFiles, async (upload, signal) => {
      const file = chunk.get(upload.sha256);
      if (!file) return;
      if (upload.status === 'exists') onBytes(file.sizeBytes);
      else await uploadLargeFile(service, target, file, upload, onBytes, signal);
    });
  }
}

async function uploadLargeFile(
  service: Service,
  target: Target,
  file: HashedFile,
  { url, headers }: Grant,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { absolutePath, sizeBytes: size, sha256 } = file;
  let sentBytes = 0;
  const count = (bytes: number) => {
    sentBytes += bytes;
    onBytes(bytes);
  };
  async function* counted(from: number): AsyncGenerator<Buffer> {
    for await (const chunk of readExactly(absolutePath, size, from)) {
      count(chunk.length);
      yield chunk;
    }
  }
  const open = (from: number) => Readable.from(counted(from), { objectMode: false });
  await service.putFile({ url, headers, size, open, onKept: (bytes) => count(bytes - sentBytes) }, signal);
  const { failed } = await service.post('completeAssetUploads', { ...targetField(target), sha256s: [sha256] });
  const [failure] = failed;
  if (failure) throw refusal(file, failure.code);
}
