import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { listen } from '../support/sockets';

/** A bundle with the official library asks a metadata server for the token, as the functions do in the cloud. */

const asked: string[] = [];
const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
const server = createServer((request, response) => {
  asked.push(request.url!);
  const isToken = request.url!.includes('/token');
  response.writeHead(isToken ? 200 : 404, { 'metadata-flavor': 'Google', 'content-type': 'application/json' });
  response.end(isToken ? JSON.stringify({ access_token: 'of-the-function', expires_in: 3600 }) : '');
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

test('requests carry the token of the service account, which is asked for once', async () => {
  const outfile = join(folder, 'headers.js');
  const entryPoints = [join(__dirname, 'programs/headers.ts')];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', logLevel: 'error' });
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GCE_METADATA_HOST: `127.0.0.1:${await listen(server)}`,
    METADATA_SERVER_DETECTION: 'assume-present',
  };
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { env });
  expect(stdout.trim().split('\n')).toEqual(Array(3).fill('Bearer of-the-function'));
  expect(asked.filter((url) => url.includes('/token'))).toHaveLength(1);
});
