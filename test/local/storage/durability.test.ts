import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { startStorageFixture } from './fixture';
import { BUCKET } from './bucket-name';

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('base64');
const ROUNDS = 6;
const WRITERS = 6;
const program = resolve(__dirname, '../../../.build/test/storage-server.cjs');

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

async function spawnServer(dataDir: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, url };
}

test('after every kill -9 the bucket has every acknowledged object, and no partial objects', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'storage-kill-'));
  /** The allowed contents of each name: the acknowledged bytes, or those of a later attempt without an answer. */
  const acknowledged = new Map<string, string>();
  const possible = new Map<string, Set<string>>();
  let count = 0;

  for (let round = 0; round < ROUNDS; round++) {
    const { child, url } = await spawnServer(dataDir);
    const killAfter = count + randomInt(10, 40);
    const exited = once(child, 'exit');

    const writer = async (id: number) => {
      for (let turn = 0; ; turn++) {
        // Every writer creates new names, and overwrites one name that no other writer uses.
        const name = turn % 3 === 0 ? `hot/${id}` : `cold/${round}/${id}/${turn}`;
        const bytes = randomBytes(randomInt(0, 400_000));
        possible.set(name, (possible.get(name) ?? new Set<string>()).add(md5(bytes)));
        try {
          await upload(url, name, bytes, turn % 2 === 0);
        } catch {
          return;
        }
        acknowledged.set(name, md5(bytes));
        if (++count === killAfter) child.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, id) => writer(id)));
    await exited;
  }

  const fixture = await startStorageFixture({ dataDir });
  const [files] = await fixture.bucket.getFiles();
  for (const file of files) {
    const [bytes] = await file.download();
    expect(file.metadata.md5Hash).toBe(md5(bytes));
    expect(possible.get(file.name)).toContain(md5(bytes));
  }
  const present = new Map(files.map((file) => [file.name, file.metadata.md5Hash]));
  for (const [name, hash] of acknowledged) {
    expect(present.has(name)).toBe(true);
    // A name that is written once has the acknowledged bytes. An overwritten name may have those of a later attempt.
    if (name.startsWith('cold/')) expect(present.get(name)).toBe(hash);
  }
  expect(count).toBeGreaterThanOrEqual(60);
  // Files without an object belong to resumable uploads that may continue: at most one for each writer and round.
  const stored = await readdir(join(dataDir, 'storage', 'blobs'));
  expect(stored.length - files.length).toBeLessThanOrEqual(WRITERS * ROUNDS);
  await fixture.end();
});

test('the next start deletes the bytes of an upload that kill -9 interrupted', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'storage-kill-'));
  const { child, url } = await spawnServer(dataDir);
  const blobs = () => readdir(join(dataDir, 'storage', 'blobs'));
  await upload(url, 'whole', Buffer.from('whole'), false);

  const req = request(`${url}/upload/storage/v1/b/${BUCKET}/o?uploadType=media&name=cut`, { method: 'POST' });
  const failed = new Promise((resolve) => req.once('error', resolve));
  req.write(randomBytes(100_000));
  while ((await blobs()).length < 2) await new Promise(setImmediate);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await Promise.all([exited, failed]);
  expect(await blobs()).toHaveLength(2);

  const fixture = await startStorageFixture({ dataDir });
  expect((await fixture.bucket.getFiles())[0].map(({ name }) => name)).toEqual(['whole']);
  expect(await blobs()).toHaveLength(1);
  await fixture.end();
});

test('generations increase over restarts, even when the clock goes back', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'storage-clock-'));
  const generation = async (now?: string) => {
    if (now) jest.spyOn(Date, 'now').mockReturnValue(Date.parse(now));
    const fixture = await startStorageFixture({ dataDir });
    await fixture.bucket.file('x').save('x', { resumable: false });
    const [metadata] = await fixture.bucket.file('x').getMetadata();
    await fixture.stop();
    jest.restoreAllMocks();
    return Number(metadata.generation);
  };
  const first = await generation();
  expect(await generation('2001-01-01')).toBeGreaterThan(first);
  await rm(dataDir, { recursive: true });
});

/** Uploads in one request or through a resumable session. Rejects without an answer. */
async function upload(url: string, name: string, bytes: Buffer, resumable: boolean): Promise<void> {
  const address = `${url}/upload/storage/v1/b/${BUCKET}/o?name=${encodeURIComponent(name)}&uploadType=`;
  if (!resumable) {
    await (await fetch(`${address}media`, { method: 'POST', body: bytes })).json();
    return;
  }
  const started = await fetch(`${address}resumable`, { method: 'POST' });
  await (await fetch(started.headers.get('location')!, { method: 'PUT', body: bytes })).json();
}
