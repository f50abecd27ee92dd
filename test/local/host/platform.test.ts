import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startHost, type Host } from '../../../local/host';
import { projectRoot } from '../../../local/project';

// The platform's own programs: the framework that serves one function, and the one that lists the functions to deploy.
const functionsFolder = join(projectRoot, 'functions');
const framework = join(
  functionsFolder,
  'node_modules',
  '@google-cloud',
  'functions-framework',
  'build',
  'src',
  'main.js',
);
const discovery = join(functionsFolder, 'node_modules', 'firebase-functions', 'lib', 'bin', 'firebase-functions.js');

/** Starts the framework with one function. Resolves when it answers. */
async function startFramework(...args: string[]): Promise<{ url: string; child: ChildProcess }> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  const child = spawn(process.execPath, [framework, ...args], {
    cwd: functionsFolder,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // Read the whole output: a closed output pipe ends the program.
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (text: Buffer) => {
      output += text.toString();
      if (output.includes('URL: ')) resolve();
    });
    child.once('exit', () => reject(new Error(`The framework ended: ${output}`)));
  });
  return { url: `http://127.0.0.1:${port}`, child };
}

async function stop({ child }: { child: ChildProcess }): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

describe("the local host compared with the platform's framework", () => {
  const folder = join(__dirname, 'echo');
  let platform: { url: string; child: ChildProcess };
  let local: Host;

  beforeAll(async () => {
    platform = await startFramework(`--source=${folder}`, '--target=echo');
    const functions = createRequire(__filename)(folder) as Record<string, unknown>;
    local = await startHost({ functions, project: 'demo-platform', platformLimits: true });
  });
  afterAll(async () => {
    await local.close();
    await stop(platform);
  });

  const json = { 'content-type': 'application/json' };
  type Row = [method: string, path: string, headers: Record<string, string>, body?: string];
  test.each<[string, ...Row]>([
    ['the bare address', 'GET', '', {}],
    ['a path', 'GET', '/a/b%20c/', {}],
    ['an index file', 'GET', '/index.html', {}],
    ['a query', 'GET', '?a=1&b[c]=2&d=x&d=y&e', {}],
    ['HEAD', 'HEAD', '/x', {}],
    ['OPTIONS', 'OPTIONS', '/x', { origin: 'http://example.org', 'access-control-request-method': 'POST' }],
    ['proxies in front', 'GET', '/', { 'x-forwarded-for': '203.0.113.1, 203.0.113.2', 'x-forwarded-proto': 'https' }],
    ['favicon', 'GET', '/favicon.ico', {}],
    ['favicon in upper case', 'GET', '/FAVICON.ICO', {}],
    ['favicon and more', 'GET', '/favicon.ico.png', {}],
    ['robots below', 'GET', '/a/robots.txt', {}],
    ['robots', 'GET', '/robots.txt/x', {}],
    ['JSON', 'POST', '/', json, '{"a":[1,{"b":"ü"}]}'],
    ['JSON arrays', 'POST', '/', json, '[1]'],
    ['no JSON at all', 'POST', '/', json, ''],
    ['a cloud event', 'POST', '/', { 'content-type': 'application/cloudevents+json' }, '{"a":1}'],
    ['a JSON dialect', 'POST', '/', { 'content-type': 'application/vnd.x+json' }, '{"a":1}'],
    ['UTF-16 JSON', 'POST', '/', { 'content-type': 'application/json; charset=utf-16le' }, '{\0}\0'],
    ['a form', 'POST', '/', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=1&b[c]=2&b[d]=3&e=%C3%BC'],
    ['text', 'PUT', '/', { 'content-type': 'text/plain; charset=utf-8' }, 'grüße'],
    ['HTML', 'PATCH', '/', { 'content-type': 'text/html' }, '<p>'],
    ['bytes', 'POST', '/', { 'content-type': 'application/octet-stream' }, 'bytes'],
    ['multipart', 'POST', '/', { 'content-type': 'multipart/form-data; boundary=b' }, '--b\r\n\r\nx\r\n--b--\r\n'],
    ['no type', 'POST', '/', { 'content-type': '' }, 'untyped'],
    ['nonsense for a type', 'POST', '/', { 'content-type': 'nonsense' }, 'x'],
    ['DELETE with a body', 'DELETE', '/', json, '{"a":1}'],
  ])(
    '%s: the function receives the same request, and the caller the same answer',
    async (_what, ...[method, path, headers, body]: Row) => {
      const ask = async (base: string) => {
        const answer = await fetch(base + path, {
          method,
          headers: { 'x-forwarded-for': '203.0.113.9', ...headers },
          ...(body !== undefined && { body }),
        });
        // Keep-alive settings may differ between the servers.
        const { date: _date, 'keep-alive': _keptFor, ...received } = Object.fromEntries(answer.headers);
        return { status: answer.status, headers: received, text: await answer.text() };
      };
      expect(await ask(`${local.baseUrl}/echo`)).toEqual(await ask(`${platform.url}`));
    },
  );

  test('the one difference is malformed JSON: the local host lets the function answer, the framework answers itself', async () => {
    const broken = { method: 'POST', headers: json, body: '{"a":' };
    expect((await fetch(platform.url, broken)).status).toBe(400);
    const here = await fetch(`${local.baseUrl}/echo`, broken);
    expect(here.status).toBe(201);
    expect(await here.json()).toMatchObject({ raw: Buffer.from('{"a":').toString('base64') });
  });
});

test('a deployment finds every function, parameter and secret in the bundle', async () => {
  execFileSync(process.execPath, [join(projectRoot, 'scripts', 'build.mjs')]);
  const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
  const manifestFile = join(folder, 'functions.json');
  const env = { ...process.env, FUNCTIONS_MANIFEST_OUTPUT_PATH: manifestFile, GCLOUD_PROJECT: 'demo-decks' };
  execFileSync(process.execPath, [discovery], { cwd: functionsFolder, env });
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as {
    endpoints: Record<string, { platform: string; region: string[]; entryPoint: string }>;
    params: { name: string; type: string }[];
  };
  rmSync(folder, { recursive: true });
  const bundle = createRequire(__filename)(join(functionsFolder, 'lib', 'index.js')) as Record<string, unknown>;
  expect(Object.keys(manifest.endpoints).sort()).toEqual(Object.keys(bundle).sort());
  for (const endpoint of Object.values(manifest.endpoints)) {
    expect(endpoint).toMatchObject({ platform: 'gcfv2', region: ['us-central1'] });
  }
  const secrets = manifest.params.filter(({ type }) => type === 'secret').map(({ name }) => name);
  expect(secrets.sort()).toEqual(['RESEND_API_KEY', 'SERVICE_SECRET']);
});
