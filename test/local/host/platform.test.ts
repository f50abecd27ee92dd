import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { IncomingMessage, request } from 'node:http';
import { createRequire } from 'node:module';
import { connect, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { projectRoot } from '../../../local/project';
import { BodyClock } from '../../../functions/src/http/body-clock';
import { DEFAULT_CPU_QUOTA, resourceClasses, sizeOf, type ResourceClass } from '../../../functions/src/resources';
import { deployTo, uploadedFiles } from '../../support/deployed';
import { navigation, openOnOrigin, requestTarget } from '../../support/deck-origin';
import { functionsFolder, startInstance, type FrameworkInstance } from '../../support/framework';
import { page, sha256, World, type Account, type Deck } from '../../support/world';

const MB = 1024 * 1024;

let world: World;
let owner: Account;
let deck: Deck;
const instances: Record<string, FrameworkInstance> = {};
/** What the platform has after a deploy: the instances run in it. */
const deployed = mkdtempSync(join(tmpdir(), 'deployed-'));

beforeAll(async () => {
  execFileSync(process.execPath, [join(projectRoot, 'scripts', 'build.mjs')]);
  deployTo(deployed);
  world = await World.start({ platformLimits: true });
  owner = await world.anOwner();
  deck = await world.aDeck(owner);
  const names = [
    ...['cliRequestSignupOtp', 'getSharedPresentation', 'uploadPresentationAssets', 'foldMarketplaceCounters'],
    'deckSite',
  ];
  const environment = { ...world.cloud.environment, TRUSTED_PROXY_HOPS: '1' };
  await Promise.all(names.map(async (name) => (instances[name] = await startInstance(name, environment, deployed))));
});
afterAll(async () => {
  await Promise.all(Object.values(instances).map((instance) => instance.stop()));
  await world.stop();
  rmSync(deployed, { recursive: true });
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

/**
 * Declares a body of 60 000 bytes, and sends `start` and then one space after the other, until the server closes the
 * connection. Returns what the server sent. Reads nothing before it has sent `unreadBytes` spaces.
 */
function trickle(base: string, headers: string[], start = '{', unreadBytes = 0): Promise<string> {
  const { hostname, port, pathname } = new URL(base);
  const head = [`POST ${pathname} HTTP/1.1`, `Host: ${hostname}`, ...headers, 'Content-Length: 60000'];
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${head.join('\r\n')}\r\n\r\n${start}`, 'latin1'),
    );
    let left = unreadBytes;
    const trickling = setInterval(() => {
      socket.write(' ');
      if (left-- === 0) socket.resume();
    }, 20);
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    if (unreadBytes > 0) socket.pause();
    // A byte that the client sends after the end of the connection resets it.
    socket.on('error', () => {});
    socket.once('close', () => {
      clearInterval(trickling);
      resolve(received);
    });
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

test("an instance of the framework passes a deck's own icon and robots.txt on to the deck", async () => {
  const icon = { path: 'favicon.ico', bytes: Buffer.from('icon'), contentType: 'image/x-icon' };
  const robots = { path: 'robots.txt', bytes: Buffer.from('User-agent: *'), contentType: 'text/plain; charset=utf-8' };
  const { presentationId, token } = await world.aDeck(owner, [page('Entry'), icon, robots]);
  const link = await openOnOrigin(`${world.cloud.hostingUrl}/share/${presentationId}?token=${token}`);
  const { host } = new URL(link.origin);
  const get = (path: string, headers = {}) =>
    requestTarget(instances['deckSite']!.url, path, { headers: { ...navigation, host, ...headers } });
  for (const [path, text] of [
    ['/', 'Entry'],
    ['/favicon.ico', 'icon'],
    ['/robots.txt', 'User-agent: *'],
  ] as const) {
    const answer = await get(path, { cookie: link.cookie });
    expect([path, answer.status, answer.text]).toEqual([path, 200, expect.stringContaining(text)]);
    expect((await get(path)).status).toBe(404);
  }
  expect((await get('/%')).text).toContain('Open the share link');
});

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

  describe('a client that trickles a body', () => {
    const slow = { TRUSTED_PROXY_HOPS: '1', BODY_TIMEOUT_MS: '300' };
    const names = ['cliCompleteLogin', 'createApiKey', 'uploadPresentationAssets'];
    const impatient: Record<string, FrameworkInstance> = {};

    beforeAll(async () => {
      const environment = { ...world.cloud.environment, ...slow };
      await Promise.all(
        names.map(async (each) => (impatient[each] = await startInstance(each, environment, deployed))),
      );
      Object.assign(process.env, slow);
    });
    afterAll(async () => {
      process.env['BODY_TIMEOUT_MS'] = '100000';
      await Promise.all(Object.values(impatient).map((instance) => instance.stop()));
    });

    const late = 'HTTP/1.1 400 Bad Request';
    const form = 'Content-Type: multipart/form-data; boundary=b';
    const key = () => `Authorization: Bearer ${owner.key}`;
    // The header of a gzip file whose name has no end.
    const gzipStart = '\x1f\x8b\x08\x08';
    test.each<[what: string, functionName: string, headers: () => string[], start: string, status: string]>([
      ['without a key', 'cliCompleteLogin', () => [], '{', late],
      ['of compressed JSON', 'cliCompleteLogin', () => ['Content-Encoding: gzip'], gzipStart, late],
      ['to a call that needs a key', 'createApiKey', () => [], '{', 'HTTP/1.1 401 Unauthorized'],
      ['of a form', 'uploadPresentationAssets', () => [key(), form], '--b\r\n', late],
    ])('%s gets an answer and loses the connection', async (_what, functionName, headers, start, status) => {
      for (const base of [impatient[functionName]!.url, `${world.cloud.baseUrl}/${functionName}`]) {
        const [head = '', answer = ''] = (await trickle(base, headers(), start)).split('\r\n\r\n');
        expect(head).toContain(status);
        if (status !== late) continue;
        expect(head).toMatch(/\r\nConnection: close/i);
        expect(JSON.parse(answer)).toMatchObject({
          error: {
            code: 'invalid-argument',
            details: { errors: [{ location: 'body', message: 'The body did not arrive in time.' }] },
          },
        });
      }
    });
  });

  test('a client that reads its answer after it has sent more of a late body receives all of it', async () => {
    Object.assign(process.env, { BODY_TIMEOUT_MS: '300' });
    const answer = await trickle(`${world.cloud.baseUrl}/cliCompleteLogin`, [], '{', 40);
    process.env['BODY_TIMEOUT_MS'] = '100000';
    expect(answer).toContain('The body did not arrive in time.');
  });

  test('a body of 30 MB has more time than one of 3 bytes', () => {
    const time = (bytes: number) => {
      const clock = BodyClock.of(new IncomingMessage(new Socket()));
      clock.wait(() => {})(bytes);
      return clock.leftMs;
    };
    expect(time(3)).toBeLessThan(100_001);
    // 16 KB add one second.
    expect(time(30 * MB) - time(0)).toBeGreaterThan(1_800_000);
  });

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

test('a deploy uploads the bundles and the lists of packages, and no secrets, settings, sources or logs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'functions-'));
  const isOwn = (path: string) => !path.includes('node_modules');
  cpSync(functionsFolder, folder, { recursive: true, filter: (path) => isOwn(path.slice(functionsFolder.length)) });
  const local = [
    '.env',
    '.env.local',
    '.env.demo-decks',
    '.secret.local',
    'notes.local',
    'firebase-debug.log',
    '.npmrc',
  ];
  for (const name of local) writeFileSync(join(folder, name), 'SERVICE_SECRET=x');
  // A part of the compiled code that the installation of packages left behind.
  mkdirSync(join(folder, 'lib', 'compiled'), { recursive: true });
  writeFileSync(join(folder, 'lib', 'compiled', '1'), 'x');
  expect(uploadedFiles(folder)).toEqual([
    'compile.cjs',
    ...[
      'functions.js',
      'functions.js.map',
      'google-auth.js',
      'google.js',
      'index.js',
      'parse5.js',
      'preact.js',
      'resend.js',
    ].map((name) => `lib/${name}`),
    'lib/transliteration.js',
    ...['package-lock.json', 'package.json'],
  ]);
  rmSync(folder, { recursive: true });
  // The map of all packages has 4.4 MB.
  expect(readFileSync(join(deployed, 'lib', 'functions.js.map')).length).toBeLessThan(0.5 * MB);
});

interface Manifest {
  endpoints: Record<string, DeployedFunction>;
  params: { name: string; type: string }[];
}

interface DeployedFunction {
  platform: string;
  region: string[];
  cpu: number;
  availableMemoryMb: number;
  concurrency: number;
  timeoutSeconds: number;
  maxInstances: number;
  scheduleTrigger?: object;
}

/** What the Firebase CLI reads of the functions. It passes functions/.env to this program as its environment. */
function discover(settings: Record<string, string> = {}): Manifest {
  const discovery = join(functionsFolder, 'node_modules', 'firebase-functions', 'lib', 'bin', 'firebase-functions.js');
  const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
  const manifestFile = join(folder, 'functions.json');
  const env = {
    ...process.env,
    FUNCTIONS_MANIFEST_OUTPUT_PATH: manifestFile,
    GCLOUD_PROJECT: 'demo-decks',
    ...settings,
  };
  execFileSync(process.execPath, [discovery], { cwd: functionsFolder, env, stdio: 'pipe' });
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest;
  rmSync(folder, { recursive: true });
  return manifest;
}

describe('a deployment', () => {
  const cpuOf = (all: DeployedFunction[]) => all.reduce((sum, { cpu, maxInstances }) => sum + cpu * maxInstances, 0);
  const memoryOf = (all: DeployedFunction[]) =>
    all.reduce((sum, { availableMemoryMb, maxInstances }) => sum + availableMemoryMb * maxInstances, 0);

  test('finds every function, parameter and secret in the bundle', () => {
    const manifest = discover();
    const bundle = createRequire(__filename)(join(functionsFolder, 'lib', 'index.js')) as Record<string, unknown>;
    expect(Object.keys(manifest.endpoints).sort()).toEqual(Object.keys(bundle).sort());
    for (const endpoint of Object.values(manifest.endpoints)) {
      expect(endpoint).toMatchObject({ platform: 'gcfv2', region: ['us-central1'] });
    }
    const secrets = manifest.params.filter(({ type }) => type === 'secret').map(({ name }) => name);
    expect(secrets.sort()).toEqual(['RESEND_API_KEY', 'SERVICE_SECRET']);
  });

  test.each([
    ['a new project', {}, DEFAULT_CPU_QUOTA],
    ['a raised quota', { CPU_QUOTA: '107' }, 107],
    ['a large quota', { CPU_QUOTA: '400' }, 400],
  ])('fits all instances of all functions into the CPU quota of %s', (_what, settings, quota) => {
    const all = Object.values(discover(settings).endpoints);
    expect(cpuOf(all)).toBeLessThanOrEqual(quota);
    expect(cpuOf(all)).toBeGreaterThan(quota * 0.6);
    // A quota of 20 vCPU comes with 40 GiB.
    expect(memoryOf(all)).toBeLessThanOrEqual(quota * 2048);
    for (const { cpu, availableMemoryMb, concurrency, timeoutSeconds, maxInstances, scheduleTrigger } of all) {
      expect(maxInstances).toBeGreaterThanOrEqual(1);
      // An instance with a whole CPU that serves one request at a time would waste it.
      expect(cpu === 1 ? concurrency >= 8 : cpu >= 0.08 && concurrency === 1).toBe(true);
      expect(availableMemoryMb).toBeLessThanOrEqual(cpu < 0.5 ? 512 : cpu < 1 ? 1024 : 4096);
      expect(timeoutSeconds).toBeLessThanOrEqual(540);
      if (scheduleTrigger) expect(maxInstances).toBe(1);
    }
  });

  test('gives each class at most its share of every quota, in CPU that Cloud Run accepts', () => {
    for (const name of Object.keys(resourceClasses) as ResourceClass[]) {
      const { cpu: least, instances, scales } = resourceClasses[name];
      let requestsAtOnce = 0;
      for (let quota = DEFAULT_CPU_QUOTA; quota <= 2000; quota++) {
        const { cpu, maxInstances, concurrency } = sizeOf(name, quota);
        const share = least * instances * (scales ? quota / DEFAULT_CPU_QUOTA : 1);
        expect(cpu * maxInstances).toBeLessThanOrEqual(share + 1e-9);
        expect(maxInstances).toBeGreaterThanOrEqual(instances);
        expect([cpu >= least, cpu <= 1, Number(cpu.toFixed(3)) === cpu]).toEqual([true, true, true]);
        // A larger quota never serves fewer requests.
        if (maxInstances * concurrency < requestsAtOnce) throw new Error(`${name} serves less at ${quota} vCPU.`);
        requestsAtOnce = maxInstances * concurrency;
      }
    }
  });

  test('refuses a quota that the functions do not fit into', () => {
    expect(() => discover({ CPU_QUOTA: '19' })).toThrow('CPU_QUOTA must be at least 20');
  });

  test('runs every function as the service account of the settings', () => {
    const { endpoints } = discover({ SERVICE_ACCOUNT: 'decks@a-project.iam.gserviceaccount.com' });
    for (const endpoint of Object.values(endpoints)) {
      expect(endpoint).toMatchObject({ serviceAccountEmail: 'decks@a-project.iam.gserviceaccount.com' });
    }
  });

  // Hosting waits 60 seconds for a function (firebase.google.com/docs/hosting/functions).
  test('answers the pages behind Hosting before Hosting gives up', () => {
    const { endpoints } = discover();
    const { hosting } = JSON.parse(readFileSync(join(projectRoot, 'firebase.json'), 'utf8')) as {
      hosting: { rewrites: { function?: { functionId: string } }[] };
    };
    const pages = hosting.rewrites.flatMap((rewrite) => rewrite.function ?? []);
    expect(pages.length).toBeGreaterThan(0);
    for (const target of pages) {
      expect(endpoints[target.functionId]!.timeoutSeconds).toBeLessThanOrEqual(60);
    }
  });

  test('keeps a second instance for calls that anybody can make and for calls that take minutes', () => {
    const { endpoints } = discover();
    const names = ['cliCompleteLogin', 'cliCompleteSignup', 'getMarketplaceListing', 'verifyApiKey'];
    for (const each of [...names, 'completeAssetUploads', 'deletePresentation']) {
      expect([each, endpoints[each]!.maxInstances]).toEqual([each, 2]);
    }
  });

  test('has its region in one place, which the rewrites of Hosting follow', () => {
    const { endpoints } = discover({ REGION: 'europe-west1' });
    for (const { region } of Object.values(endpoints)) expect(region).toEqual(['europe-west1']);
    const { hosting } = JSON.parse(readFileSync(join(projectRoot, 'firebase.json'), 'utf8')) as {
      hosting: { rewrites: { function?: object }[] };
    };
    const targets = hosting.rewrites.flatMap((rewrite) => rewrite.function ?? []);
    for (const target of targets) expect(Object.keys(target)).toEqual(['functionId']);
  });
});
