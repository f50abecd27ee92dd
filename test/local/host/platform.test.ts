import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { projectRoot } from '../../../local/project';
import { startInstance, type FrameworkInstance } from '../../support/framework';
import { page, sha256, World, type Account, type Deck } from '../../support/world';

const MB = 1024 * 1024;
const functionsFolder = join(projectRoot, 'functions');

let world: World;
let owner: Account;
let deck: Deck;
const instances: Record<string, FrameworkInstance> = {};

beforeAll(async () => {
  execFileSync(process.execPath, [join(projectRoot, 'scripts', 'build.mjs')]);
  world = await World.start({ platformLimits: true });
  owner = await world.anOwner();
  deck = await world.aDeck(owner);
  const names = ['cliRequestSignupOtp', 'getSharedPresentation', 'uploadPresentationAssets', 'foldMarketplaceCounters'];
  const environment = { ...world.cloud.environment, TRUSTED_PROXY_HOPS: '1' };
  await Promise.all(names.map(async (name) => (instances[name] = await startInstance(name, environment))));
});
afterAll(async () => {
  await Promise.all(Object.values(instances).map((instance) => instance.stop()));
  await world.stop();
});

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Sends the body without its length. */
  chunked?: true;
}

interface Received {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

/** Sends the path as it is: `fetch` would correct a malformed path. */
function send(base: string, { method = 'POST', path = '', headers = {}, body, chunked }: Sent): Promise<Received> {
  const url = new URL(base);
  const length = chunked || body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = { host: url.hostname, port: url.port, path: (url.pathname + path).replace(/^\/\//, '/'), method };
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, headers: { ...length, ...headers }, agent: false }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode!, headers: response.headers, text });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The parts of an answer that do not differ between two requests. */
function comparable({ status, headers, text }: Received) {
  const { date: _date, 'x-request-id': id, 'keep-alive': _keptFor, ...others } = headers;
  return { status, headers: others, text: text.replaceAll(String(id), '{id}'), hasId: id !== undefined };
}

const json = { 'content-type': 'application/json' };
const body = '{"email":"no address"}';
const name = 'cliRequestSignupOtp';

describe('an instance of the framework and the local host answer alike', () => {
  const both = async (functionName: string, sent: Sent) => {
    const [there, here] = [instances[functionName]!.url, `${world.cloud.baseUrl}/${functionName}`];
    const [onPlatform, locally] = [comparable(await send(there, sent)), comparable(await send(here, sent))];
    expect(onPlatform).toEqual(locally);
    return onPlatform;
  };

  test.each<[what: string, sent: Sent, status: number]>([
    ['a good body', { headers: json, body }, 400],
    ['a good body without a type', { body }, 400],
    ['a body with a byte order mark', { headers: json, body: `\ufeff${body}` }, 400],
    ['no body', {}, 400],
    ['malformed JSON', { headers: json, body: '{"a":' }, 400],
    ['a text', { headers: json, body: '"x"' }, 400],
    ['null', { headers: json, body: 'null' }, 400],
    ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'email=x' }, 400],
    ['an unknown charset', { headers: { 'content-type': 'application/json; charset=klingon' }, body }, 400],
    [
      'UTF-16',
      { headers: { 'content-type': 'application/json; charset=utf-16le' }, body: Buffer.from(body, 'utf16le') },
      400,
    ],
    ['bytes that are not UTF-8', { headers: json, body: Buffer.from('{"email":"\xff"}', 'latin1') }, 400],
    ['gzip', { headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync(body) }, 400],
    ['deflate', { headers: { ...json, 'content-encoding': 'deflate' }, body: deflateSync(body) }, 400],
    ['br', { headers: { ...json, 'content-encoding': 'br' }, body: brotliCompressSync(body) }, 400],
    ['br that is none', { headers: { ...json, 'content-encoding': 'br' }, body }, 400],
    [
      '64 MB of zeros in br',
      { headers: { 'content-encoding': 'br' }, body: brotliCompressSync(Buffer.alloc(64 * MB)) },
      413,
    ],
    ['gzip that is none', { headers: { ...json, 'content-encoding': 'gzip' }, body }, 400],
    ['gzip that is cut off', { headers: { 'content-encoding': 'gzip' }, body: gzipSync(body).subarray(0, 20) }, 400],
    ['an unknown encoding', { headers: { 'content-encoding': 'zstd' }, body }, 400],
    ['64 MB of zeros in gzip', { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(64 * MB)) }, 413],
    ['deep nesting', { body: `{"a":${'['.repeat(64)}${']'.repeat(64)}}` }, 400],
    ['very deep nesting', { body: `{"a":${'['.repeat(30_000)}` }, 400],
    ['a body above the limit', { body: Buffer.alloc(64 * 1024 + 1, ' ') }, 413],
    ['a chunked body above the limit', { body: Buffer.alloc(2 * MB, ' '), chunked: true }, 413],
    ['a bare percent sign', { path: '/50%', body }, 404],
    ['a segment too much', { path: '/x', body }, 404],
    ['favicon.ico', { method: 'GET', path: '/favicon.ico' }, 405],
    ['another method', { method: 'PUT', body }, 405],
    ['OPTIONS', { method: 'OPTIONS' }, 204],
  ])('%s', async (_what, sent, status) => {
    const answer = await both(name, sent);
    expect([answer.status, answer.hasId]).toEqual([status, true]);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  test('a shared deck: its entry, a malformed path, a missing file and the icon that browsers ask for', async () => {
    const base = `/${deck.presentationId}/_t/${deck.token}`;
    for (const [path, status] of [
      [`${base}/`, 200],
      [`${base}/50% off.png`.replace(' ', '%20'), 404],
      [`${base}/%`, 404],
      [`${base}/%E0%A4%A`, 404],
      [`${base}/favicon.ico`, 404],
      ['/robots.txt', 404],
      ['/%', 404],
    ] as const) {
      const answer = await both('getSharedPresentation', { method: 'GET', path });
      expect([path, answer.status, answer.hasId]).toEqual([path, status, true]);
    }
  });

  test('a form of files', async () => {
    const form = (boundary: string, hash: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="presentationId"\r\n\r\n${deck.presentationId}\r\n` +
      `--${boundary}\r\nContent-Disposition: form-data; name="${hash}"; filename="a"\r\nContent-Type: text/html\r\n\r\n` +
      `${page().bytes.toString()}\r\n--${boundary}--\r\n`;
    const type = { 'content-type': 'multipart/form-data; boundary=b' };
    const headers = { ...type, authorization: `Bearer ${owner.key}` };
    const good = form('b', sha256(page().bytes));
    expect((await both('uploadPresentationAssets', { headers, body: good })).status).toBe(200);
    expect((await both('uploadPresentationAssets', { headers, body: good, chunked: true })).status).toBe(200);
    expect((await both('uploadPresentationAssets', { headers, body: good.slice(0, -20) })).status).toBe(400);
    const packed = { headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(good) };
    expect((await both('uploadPresentationAssets', packed)).status).toBe(200);
    expect((await both('uploadPresentationAssets', { headers: type, body: good })).status).toBe(401);
    const tooLarge = { headers, body: Buffer.alloc(33 * MB), chunked: true } as const;
    expect((await both('uploadPresentationAssets', tooLarge)).status).toBe(413);
  });

  test.each(['close', 'keep-alive'])(
    'a client (Connection: %s) that sends all of a refused body receives the answer',
    async (connection) => {
      const sent = { headers: { connection }, body: Buffer.alloc(31 * MB) };
      expect((await both(name, sent)).status).toBe(413);
    },
  );

  test('a scheduled function keeps the middleware of the framework', async () => {
    const { url } = instances['foldMarketplaceCounters']!;
    expect((await send(url, { headers: json, body: '{}' })).status).toBe(200);
    expect((await send(url, { headers: json, body: '{"a":' })).status).toBe(400);
    const local = `${world.cloud.baseUrl}/foldMarketplaceCounters`;
    expect((await send(local, { headers: json, body: '{}' })).status).toBe(200);
  });

  test('no token, path or query of a request is printed', () => {
    const output = instances['getSharedPresentation']!.output();
    expect(output).toContain('"getSharedPresentation"');
    expect(output).not.toContain(deck.token);
    expect(output).not.toMatch(/50%|URIError|robots/);
  });
});

/** The largest resident memory of the process so far, and its present one, in MB. */
function memoryOf(pid: number): { peak: number; now: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)![1]) / 1024;
  return { peak: of('VmHWM'), now: of('VmRSS') };
}

// Only Linux tells the peak of another process. The platform runs Linux.
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux(
  'twenty bodies of 31 MB and 80 small bodies of each encoding that grow to 64 MB take less than 200 MB at once',
  async () => {
    const instance = instances[name]!;
    await Promise.all(Array.from({ length: 20 }, () => send(instance.url, { body })));
    const { now: idle } = memoryOf(instance.pid);
    const large = Buffer.alloc(31 * MB, '[');
    const zeros = Buffer.alloc(64 * MB);
    const bombs: [string, Buffer][] = [
      ['gzip', gzipSync(zeros)],
      ['deflate', deflateSync(zeros)],
      ['br', brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
    ];
    const sent: Sent[] = [
      ...Array.from({ length: 20 }, (_, i) => ({
        headers: json,
        body: large,
        ...(i % 2 && { chunked: true as const }),
      })),
      ...bombs.flatMap(
        ([encoding, body]) => Array(80).fill({ headers: { 'content-encoding': encoding }, body }) as Sent[],
      ),
    ];
    const answers = await Promise.all(sent.map((each) => send(instance.url, each)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 413));
    expect(memoryOf(instance.pid).peak - idle).toBeLessThan(200);
  },
);

test('a deployment finds every function, parameter and secret in the bundle', () => {
  const discovery = join(functionsFolder, 'node_modules', 'firebase-functions', 'lib', 'bin', 'firebase-functions.js');
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
