import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fate } from './gateway';
import type { Computer } from './world';
import { World } from './world';

const MB = 1024 * 1024;

describe("deck push, under the platform's own limits", () => {
  let world: World;
  let computer: Computer;
  beforeAll(async () => {
    world = await World.create('--platform-limits');
    computer = await world.aSignedInComputer();
  });
  afterAll(() => world.close());
  beforeEach(() => world.gateway.reset());

  const push = (folder: string) => computer.deck(['push', folder, '--json']);

  test('takes files above what a request may hold, up to the cap of the plan', async () => {
    const [below, above, atCap] = [randomBytes(24 * MB), randomBytes(40 * MB), randomBytes(50 * MB)];
    const folder = await world.aFolder({ 'index.html': '<p>', 'a.bin': below, 'b.bin': above, 'c.mp4': atCap });
    const ended = await push(folder);
    expect([ended.stderr.includes('✗'), ended.code]).toEqual([false, 0]);
    const { shareUrl, uploaded } = ended.json<{ shareUrl: string; uploaded: { files: number } }>();
    expect(uploaded.files).toBe(4);
    expect(world.gateway.calls).toMatchObject({
      uploadPresentationAssets: 2,
      createAssetUploads: 1,
      completeAssetUploads: 2,
    });
    const link = new URL(shareUrl);
    const [id, token] = [link.pathname.split('/').at(-1), link.searchParams.get('token')];
    const base = `${world.baseUrl}/getSharedPresentation/${id}/_t/${token}`;
    // It leaves by a signed address of the bucket.
    const film = Buffer.from(await (await fetch(`${base}/c.mp4`)).arrayBuffer());
    expect(film.equals(atCap)).toBe(true);
    world.gateway.reset();
    expect((await push(folder)).json()).toMatchObject({ status: 'unchanged' });
    expect(world.gateway.calls['createAssetUploads']).toBeUndefined();
  });

  test('reads a large file again that changed on its way', async () => {
    const folder = await world.aFolder({ 'index.html': '<p>', 'a.bin': randomBytes(30 * MB) });
    world.gateway.watch = async ({ name, number }): Promise<Fate> => {
      if (name === 'createAssetUploads' && number === 1) await writeFile(join(folder, 'a.bin'), randomBytes(30 * MB));
      return 'forward';
    };
    const ended = await push(folder);
    expect(ended.stderr).toContain('a.bin changed while it was being pushed. Reading the folder again.');
    expect(ended.json()).toMatchObject({ status: 'pushed', version: 1 });
  });
});
