import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fate } from './fault-proxy';
import { Testbed, type Computer } from './testbed';

const MB = 1024 * 1024;

describe("deck push, under the platform's own limits", () => {
  let testbed: Testbed;
  let computer: Computer;
  beforeAll(async () => {
    testbed = await Testbed.create('--platform-limits');
    computer = await testbed.aSignedInComputer();
  });
  afterAll(() => testbed.close());
  beforeEach(() => testbed.proxy.reset());

  const push = (folder: string) => computer.deck(['push', folder, '--json']);

  test('takes files above what a request may hold, up to the cap of the plan', async () => {
    const [below, above, atCap] = [randomBytes(24 * MB), randomBytes(40 * MB), randomBytes(50 * MB)];
    const folder = await testbed.aFolder({ 'index.html': '<p>', 'a.bin': below, 'b.bin': above, 'c.mp4': atCap });
    const ended = await push(folder);
    expect(ended.code).toBe(0);
    const { shareUrl, uploaded } = ended.json<{ shareUrl: string; uploaded: { files: number } }>();
    expect(uploaded.files).toBe(4);
    expect(testbed.proxy.calls).toMatchObject({
      uploadPresentationAssets: 2,
      createAssetUploads: 1,
      completeAssetUploads: 2,
    });
    const link = new URL(shareUrl);
    const [id, token] = [link.pathname.split('/').at(-1), link.searchParams.get('token')];
    const base = `${testbed.baseUrl}/getSharedPresentation/${id}/_t/${token}`;
    // The service redirects this file to a signed address of the bucket.
    const film = Buffer.from(await (await fetch(`${base}/c.mp4`)).arrayBuffer());
    expect(film.equals(atCap)).toBe(true);
    testbed.proxy.reset();
    expect((await push(folder)).json()).toMatchObject({ status: 'unchanged' });
    expect(testbed.proxy.calls['createAssetUploads']).toBeUndefined();
  });

  test('reads the folder again when a large file changed during its upload', async () => {
    const folder = await testbed.aFolder({ 'index.html': '<p>', 'a.bin': randomBytes(30 * MB) });
    testbed.proxy.watch = async ({ name, number }): Promise<Fate> => {
      if (name === 'createAssetUploads' && number === 1) await writeFile(join(folder, 'a.bin'), randomBytes(30 * MB));
      return 'forward';
    };
    const ended = await push(folder);
    const message = expect.stringContaining(
      'a.bin changed while it was being pushed. Reading the folder again.',
    ) as string;
    expect(ended.json()).toMatchObject({ status: 'pushed', version: 1, warnings: [{ message }] });
  });
});
