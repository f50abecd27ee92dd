import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { downloadExport } from '../../client/src/account/download-export';
import { NodeDeckService } from '../../client/src/service/node-service';
import { passSeconds } from '../support/clock';
import { each } from '../support/each';
import { askForExport, exportOf } from '../support/exports';
import { gateway, startWorldBehindGateway } from '../support/gateways';
import { runJob } from '../support/jobs';
import { world } from '../support/world';

startWorldBehindGateway(() => Promise.resolve());

const MB = 1024 * 1024;
const PIECE_BYTES = 4 * MB;

test('a download of several parts that is cut off in the middle of the second one goes on there', async () => {
  const owner = await world.anOwner('enterprise');
  const films = Array.from({ length: 4 }, (_, i) => ({
    path: `film-${i}.mp4`,
    bytes: Buffer.alloc(20 * MB, String(i)),
    contentType: 'video/mp4',
  }));
  await world.aDeck(owner, films, 'Films');
  const { exportId } = await askForExport(owner);
  let read = 0;
  gateway.hold('request', ({ method, address }) => {
    // A part is closed after 150 seconds.
    if (method === 'GET' && address.includes('blobs') && ++read === 3) passSeconds(151);
    return false;
  });
  await runJob('exportAccounts');
  const pieces = (await exportOf(owner))!.parts.map(({ sizeBytes }) => Math.ceil(sizeBytes / PIECE_BYTES));
  expect(pieces).toHaveLength(2);
  expect(pieces[1]).toBeGreaterThan(3);

  const service = new NodeDeckService({ baseUrl: world.cloud.baseUrl, key: await world.aDashboardSession(owner) });
  const folder = mkdtempSync(join(tmpdir(), 'exported-'));
  let loaded = 0;
  gateway.hold('request', ({ method, address }) => {
    if (method === 'GET' && address.includes(`exports/${owner.organizationId}/`)) loaded++;
    return false;
  });
  const cut = new Error('The process ends.');
  const onBytes = () => {
    if (loaded === pieces[0]! + 3) throw cut;
  };
  try {
    await expect(downloadExport(service, { exportId, folder }, { onBytes })).rejects.toBe(cut);
    await downloadExport(service, { exportId, folder });
    // No piece was loaded twice.
    expect(loaded).toBe(pieces[0]! + pieces[1]!);
    const [deck] = readdirSync(join(folder, 'decks'));
    for (const { path, bytes } of each(films))
      expect(readFileSync(join(folder, 'decks', deck!, 'newest', path)).equals(bytes)).toBe(true);
  } finally {
    service.close();
    rmSync(folder, { recursive: true });
  }
});
