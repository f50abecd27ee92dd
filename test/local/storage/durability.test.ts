import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'node:http';
import { startStorageFixture } from './fixture';
import { BUCKET } from './bucket-name';
import { buildServer, spawnServer, upload } from './killable-server';

buildServer();

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
