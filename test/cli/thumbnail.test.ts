import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describeInBrowser, executablePath } from '../browser/browser';
import { withTestbed, type Computer, type Testbed } from './testbed';

let testbed: Testbed;
let computer: Computer;
withTestbed((made) => ({ testbed, computer } = made));

interface Pushed {
  presentationId: string;
  shareUrl: string;
  picture?: string;
  warnings: { code?: string }[];
}

/** Pushes a folder with a program in the place of the browser. */
async function push(folder: string, script: string): Promise<Pushed> {
  const CHROME_PATH = join(await testbed.aFolder({ program: `#!/bin/sh\n${script}\n` }), 'program');
  await chmod(CHROME_PATH, 0o755);
  const ended = await computer.deck(['push', folder, '--json'], { CHROME_PATH });
  if (ended.code !== 0) throw new Error(ended.stdout);
  return ended.json<Pushed>();
}

test('a browser that fails leaves the deck without a picture, and the push succeeds', async () => {
  const { picture, warnings } = await push(await testbed.aFolder({ 'index.html': 'x' }), 'exit 1');
  expect([picture, warnings.map(({ code }) => code)]).toEqual([undefined, ['no-picture']]);
});

describeInBrowser('a push with a browser', () => {
  test('draws the first slide, 1200 × 630, which the share page shows, and no folder holds it', async () => {
    const files = { 'index.html': '<title>Drawn</title><h1>Drawn', 'a.css': 'a{}' };
    const folder = await testbed.aFolder(files);
    // Containers run tests as root, for whom Chromium needs the option.
    const { picture, presentationId, shareUrl } = await push(folder, `exec '${executablePath}' --no-sandbox "$@"`);
    expect(picture).toBe('drawn');
    const page = await (await fetch(shareUrl)).text();
    const answer = await fetch(/property="og:image" content="([^"]+)"/.exec(page)?.[1] ?? '');
    expect(answer.headers.get('content-type')).toBe('image/webp');
    expect(sizeOfWebp(Buffer.from(await answer.arrayBuffer()))).toEqual({ width: 1200, height: 630 });

    const pulled = join(testbed.folder, 'pulled');
    await computer.done('pull', presentationId, pulled);
    for (const each of [folder, pulled])
      expect((await readdir(each)).sort()).toEqual(['.deck.json', ...Object.keys(files).sort()]);
    expect(await computer.done('push', pulled)).toMatchObject({ status: 'unchanged' });
  });
});

/** The size that the header of a lossy WebP names. */
function sizeOfWebp(bytes: Buffer): { width: number; height: number } {
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}
