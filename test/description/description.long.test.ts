import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { World } from '../support/world';

const root = join(__dirname, '../..');
const target = join(root, '.build/description');
const run = promisify(execFile);
const node = (...args: string[]) => run(process.execPath, args, { cwd: root });

test('Redocly and Spectral find nothing in docs/openapi.json', async () => {
  const { stdout } = await node('test/description/lint.mjs');
  expect(stdout).toBe('');
});

describe('a client that openapi-typescript and openapi-fetch make', () => {
  let world: World;
  beforeAll(async () => {
    mkdirSync(target, { recursive: true });
    const generator = 'test/description/node_modules/openapi-typescript/bin/cli.js';
    await node(generator, 'docs/openapi.json', '--output', join(target, 'schema.d.ts'));
    world = await World.start();
  });
  afterAll(() => world.stop());

  test('compiles under the strict rules of this project', async () => {
    await expect(node('node_modules/typescript/bin/tsc', '--project', 'test/description')).resolves.toBeDefined();
  });

  test('pushes a deck, adds a link, opens it and revokes it', async () => {
    const { key } = await world.anOwner();
    const outfile = join(target, 'client.cjs');
    const entryPoints = [join(__dirname, 'client.ts')];
    await build({ entryPoints, outfile, bundle: true, platform: 'node', logLevel: 'silent' });
    const env = { ...process.env, BASE_URL: world.cloud.baseUrl, API_KEY: key };
    const { stdout } = await run(process.execPath, [outfile], { env });
    expect(JSON.parse(stdout)).toEqual({
      opened: {
        status: 200,
        type: 'text/html; charset=utf-8',
        text: '<!doctype html><title>Sales</title><p>Hello',
      },
      revoked: 403,
      refusal: 'not-found',
    });
  });
});
