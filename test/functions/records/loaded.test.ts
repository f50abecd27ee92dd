import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { projectRoot } from '../../../local/project';
import { World } from '../../support/world';

/** Loading the Admin SDK is most of a cold start. */

let world: World;
const folder = mkdtempSync(join(tmpdir(), 'one-view-'));
beforeAll(async () => {
  world = await World.start();
});
afterAll(async () => {
  await world.stop();
  rmSync(folder, { recursive: true });
});

test('a view is judged and counted without the Admin SDK and the other large libraries', async () => {
  const outfile = join(folder, 'one-view.js');
  const entryPoints = [join(__dirname, '../programs/one-view.ts')];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', packages: 'external', logLevel: 'error' });
  const { presentationId, token } = await world.aDeck(await world.anOwner());
  const env = {
    ...process.env,
    ...world.cloud.environment,
    NODE_PATH: join(projectRoot, 'node_modules'),
  };
  const { stdout } = await promisify(execFile)(process.execPath, [outfile, presentationId, token], { env });
  const loaded = JSON.parse(stdout) as string[];
  expect(loaded).toEqual(expect.arrayContaining(['protobufjs', 'zod']));
  const large = ['firebase-admin', '@grpc/grpc-js', 'google-gax', '@google-cloud/firestore', '@google-cloud/storage'];
  expect(loaded.filter((name) => [...large, 'google-auth-library', 'resend'].includes(name))).toEqual([]);
  const counter = world.database.doc(`presentations/${presentationId}/viewCounters/deck-0`);
  expect((await counter.get()).get('views')).toBe(1);
});
