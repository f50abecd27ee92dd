import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './fixture';
import { buildPrograms, killedUnderLoad } from './processes';

const programs = buildPrograms();
const folder = temporaryFolder();

test('a server killed twelve times under load keeps every acknowledged commit, and no partial commit', async () => {
  const dataDir = mkdtempSync(join(folder, 'data-'));
  expect(await killedUnderLoad(programs, dataDir, 12)).toEqual({ kills: 12, lost: 0, torn: 0 });
});
