import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startStorageFixture, type StorageFixture } from './fixture';

let fixture: StorageFixture;

/** Starts a server for the tests of a file. The requests below go to it. */
export function storageFixture(): () => StorageFixture {
  beforeAll(async () => (fixture = await startStorageFixture()));
  afterAll(() => fixture.end());
  return () => fixture;
}

export const put = (name: string, body: string | Buffer, query = '', headers: Record<string, string> = {}) =>
  fetch(fixture.upload(`uploadType=media&name=${encodeURIComponent(name)}${query}`), { method: 'POST', body, headers });

export const json = async (response: Response) => (await response.json()) as Record<string, unknown>;

export async function generation(name: string): Promise<string> {
  return (await json(await fetch(fixture.object(name)))).generation as string;
}

export async function blobs(): Promise<string[]> {
  return (await readdir(join(fixture.dataDir, 'storage', 'blobs'))).sort();
}

export function relatedBody(name: string, metadata: object, media: Buffer, boundary: string): Buffer {
  return Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Type: application/json\r\n\r\n${JSON.stringify({ name, ...metadata })}\r\n`),
    Buffer.from(`--${boundary}\r\nContent-Type: text/x-part\r\n\r\n`),
    media,
    Buffer.from(`\r\n--${boundary}--`),
  ]);
}

export function related(name: string, metadata: object, media: Buffer): Promise<Response> {
  const boundary = 'parts';
  return fetch(fixture.upload('uploadType=multipart'), {
    method: 'POST',
    headers: { 'content-type': `multipart/related; boundary=${boundary}` },
    body: relatedBody(name, metadata, media, boundary),
  });
}
