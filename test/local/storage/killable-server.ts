import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { BUCKET } from './bucket-name';

const program = resolve(__dirname, '../../../.build/test/storage-server.cjs');

/** Builds the program of the server before the tests of a file. */
export function buildServer(): void {
  beforeAll(async () => {
    await mkdir(resolve(program, '..'), { recursive: true });
    const entry = resolve(__dirname, 'server-process.ts');
    await build({
      entryPoints: [entry],
      outfile: program,
      bundle: true,
      platform: 'node',
      packages: 'external',
      logLevel: 'error',
    });
  });
}

/** Starts a server in a process of its own. */
export async function spawnServer(dataDir: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, url };
}

/** Uploads in one request or through a resumable session. Rejects without an answer. */
export async function upload(url: string, name: string, bytes: Buffer, resumable: boolean): Promise<void> {
  const address = `${url}/upload/storage/v1/b/${BUCKET}/o?name=${encodeURIComponent(name)}&uploadType=`;
  if (!resumable) {
    await (await fetch(`${address}media`, { method: 'POST', body: bytes })).json();
    return;
  }
  const started = await fetch(`${address}resumable`, { method: 'POST' });
  await (await fetch(started.headers.get('location')!, { method: 'PUT', body: bytes })).json();
}
