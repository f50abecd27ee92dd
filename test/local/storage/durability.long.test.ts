import { createHash, randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStorageFixture } from './fixture';
import { buildServer, spawnServer, upload } from './killable-server';

buildServer();

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('base64');
const ROUNDS = 6;
const WRITERS = 6;
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
