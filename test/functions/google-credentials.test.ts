import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { aFolder } from '../local/folders';
import { listen } from '../support/sockets';

const asked: string[] = [];
const folder = aFolder();
const server = createServer((request, response) => {
  asked.push(request.url!);
  const isToken = request.url!.includes('/token');
  response.writeHead(isToken ? 200 : 404, { 'metadata-flavor': 'Google', 'content-type': 'application/json' });
  response.end(isToken ? JSON.stringify({ access_token: 'of-the-function', expires_in: 3600 }) : '');
});
let port: number;
const outfile = join(folder, 'headers.js');
beforeAll(async () => {
  const entryPoints = [join(__dirname, 'programs/headers.ts')];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', logLevel: 'error' });
  port = await listen(server);
});
beforeEach(() => asked.splice(0));
afterAll(() => server.close());

/** A bundle with the official library asks a metadata server for the token, as the functions do in the cloud. */
test('requests carry the token of the service account, which is asked for once', async () => {
  const { stdout } = await run({ METADATA_SERVER_DETECTION: 'assume-present' });
  expect(stdout.trim().split('\n')).toEqual(Array(3).fill('Bearer of-the-function'));
  expect(asked.filter((url) => url.includes('/token'))).toHaveLength(1);
});

test('a process that a test starts does not look for a metadata server', async () => {
  await expect(run(process.env)).rejects.toThrow(/Could not load the default credentials/);
  expect(asked).toEqual([]);
});

function run(env: NodeJS.ProcessEnv) {
  const own = { HOME: folder, GCE_METADATA_HOST: `127.0.0.1:${port}`, GOOGLE_APPLICATION_CREDENTIALS: '' };
  return promisify(execFile)(process.execPath, [outfile], { env: { ...env, PATH: process.env['PATH'], ...own } });
}
