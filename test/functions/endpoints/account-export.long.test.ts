import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { each } from '../../support/each';
import { askForExport, exportOf, partsOf, unzip } from '../../support/exports';
import { startInstance } from '../../support/framework';
import { startWorld, world, type Account, type DeckFile } from '../../support/world';

/** An account with more files than a part may have, and with more bytes than an instance may hold. */

jest.setTimeout(900_000);

const MB = 1024 * 1024;
const FILES = Number(process.env['EXPORT_FILES'] ?? 12_000);
const FILES_OF_DECK = 6_000;
const FILMS = 20;
/** What an instance may hold beside what it has loaded. */
const MOST_MB = 64;

let owner: Account;
startWorld(async () => {
  owner = await world.anOwner('enterprise');
});

const small = (deck: number, i: number): DeckFile => ({
  path: `files/${i % 100}/${i}.txt`,
  bytes: Buffer.from(`${deck} ${i}`),
  contentType: 'text/plain',
});

/**
 * Measures what an instance holds: the heap and the buffers that a collection of garbage leaves, five times a second.
 */
function heldMemory() {
  const folder = mkdtempSync(join(tmpdir(), 'held-'));
  const [program, file] = [join(folder, 'program.cjs'), join(folder, 'held')];
  writeFileSync(
    program,
    `setInterval(() => {
      globalThis.gc();
      const { heapUsed, external } = process.memoryUsage();
      require('node:fs').appendFileSync(${JSON.stringify(file)}, (heapUsed + external) + '\\n');
    }, 200).unref();`,
  );
  return {
    options: `--expose-gc --require ${program}`,
    /** In MB, since the last reset. */
    most: () => Math.max(...readFileSync(file, 'utf8').trim().split('\n').map(Number)) / MB,
    reset: () => writeFileSync(file, ''),
  };
}

test('an export of many files and large ones holds at most 64 MB, and a part has at most 10 000 files', async () => {
  for (let deck = 0; deck < FILES / FILES_OF_DECK; deck++)
    await world.aDeck(
      owner,
      Array.from({ length: FILES_OF_DECK }, (_, i) => small(deck, i)),
      `Deck ${deck}`,
    );
  const films = Array.from({ length: FILMS }, (_, i) => ({
    path: `film-${i}.mp4`,
    bytes: Buffer.alloc(20 * MB, String(i)),
    contentType: 'video/mp4',
  }));
  await world.aDeck(owner, films, 'Films');
  const held = heldMemory();
  const instance = await startInstance('exportAccounts', { ...world.cloud.environment, NODE_OPTIONS: held.options });
  try {
    const run = async () => {
      expect((await fetch(instance.url, { method: 'POST' })).ok).toBe(true);
    };
    // The job with a small account loads everything.
    const first = await world.anOwner();
    await world.aDeck(first);
    await askForExport(first);
    await run();
    expect(await exportOf(first)).toMatchObject({ status: 'ready' });
    const before = held.most();
    held.reset();
    await askForExport(owner);
    await run();
    const most = held.most();
    console.log(`${before.toFixed(1)} MB before, at most ${most.toFixed(1)} MB`);
    const made = await exportOf(owner);
    expect(made).toMatchObject({ status: 'ready', progress: { files: FILES + FILMS } });
    expect(made!.parts.length).toBeGreaterThan(1);
    const files = new Map<string, Buffer>();
    for (const part of each(await partsOf(owner))) {
      const found = await unzip(part);
      expect(found.size).toBeLessThanOrEqual(10_000);
      for (const [path, bytes] of found) if (path.includes('/newest/')) files.set(path, bytes);
    }
    expect(files.size).toBe(FILES + FILMS);
    expect(most - before).toBeLessThanOrEqual(MOST_MB);
  } finally {
    await instance.stop();
  }
});
