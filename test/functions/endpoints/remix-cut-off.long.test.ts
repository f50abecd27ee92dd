import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildInstance } from '../../support/instance';
import { aBegunRemix, blobsOf, countOf, reader, remix, startRemixing, view, type Remix } from '../../support/remixes';
import { storedObjects } from '../../support/whole-store';
import { succeed, world } from '../../support/world';

startRemixing();

/** The folder of the bundled functions, which `test/functions/programs/instance.ts` runs in a separate process. */
const folder = mkdtempSync(join(tmpdir(), 'instance-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a remix that was cut off by the end of its instance is completed by the next call', async () => {
  const { slug, deckId, hashes, mend } = await aBegunRemix(520, 0);
  await mend();
  await buildInstance(folder);
  const { keyId, organizationId, userId } = reader;
  await world.database.runTransaction(async (tx) => {
    // This transaction locks the record of a late file, so the records after the first 500 have to wait. Each read
    // renews the lock.
    const late = blobsOf(deckId).doc(hashes[510]!);
    await tx.get(late);
    const caller = { kind: 'organization', keyId, organizationId, userId };
    const input = [caller, { slug }].map((value) => JSON.stringify(value));
    const args = [join(folder, 'instance.js'), 'remixMarketplaceListing', ...input];
    const instance = spawn(process.execPath, args, { env: { ...process.env }, stdio: 'inherit' });
    const exited = once(instance, 'exit');
    while ((await countOf(deckId)) < 500 && instance.exitCode === null) await tx.get(late);
    instance.kill('SIGKILL');
    expect((await exited)[1]).toBe('SIGKILL');
    // The database cancels the waiting call of a closed connection before it answers the next read.
    await tx.get(late);
  });
  expect(await countOf(deckId)).toBe(500);

  let deck!: Remix;
  const cost = await world.costOf(async () => (deck = await succeed(remix(reader, { slug }))));
  expect(deck).toMatchObject({ presentationId: deckId, fileCount: hashes.length });
  expect(cost.storageCalls).toBe(20);
  expect(await countOf(deckId)).toBe(hashes.length);
  expect(await storedObjects(`presentations/${deckId}/`)).toHaveLength(hashes.length);
  expect(await view(deck)).toContain('Hello');
});
