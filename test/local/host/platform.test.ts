import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { deployTo } from '../../support/deployed';
import { navigation, openOnOrigin, requestTarget } from '../../support/deck-origin';
import { functionsFolder, startInstance, type FrameworkInstance } from '../../support/framework';
import { words } from '../../support/words';
import { page, sha256, World, type Account, type Deck } from '../../support/world';
import { aFolder } from '../folders';
import { buildBundles } from '../../support/bundles';
import { send, type Received, type Sent } from './requests';

const MB = 1024 * 1024;
let world: World;
let owner: Account;
let deck: Deck;
const instances: Record<string, FrameworkInstance> = {};
/** What the platform has after a deploy: the instances run in it. */
const deployed = aFolder();
/** Prints a line when an instance opens its source map. */
const watcher = join(deployed, 'watch-maps.cjs');
const watchMaps = `const fs = require('node:fs');
const { readFileSync } = fs;
fs.readFileSync = (file, ...rest) => {
  if (String(file).endsWith('functions.js.map')) console.log('MAP READ');
  return readFileSync(file, ...rest);
};`;

beforeAll(async () => {
  buildBundles();
  deployTo(deployed);
  writeFileSync(watcher, watchMaps);
  world = await World.start({ platformLimits: true });
  owner = await world.anOwner();
  deck = await world.aDeck(owner);
  const names = words(`cliRequestSignupOtp getSharedPresentation uploadPresentationAssets foldMarketplaceCounters
    deckSite`);
  const environment = { ...world.cloud.environment, TRUSTED_PROXY_HOPS: '1', NODE_OPTIONS: `--require ${watcher}` };
  await Promise.all(names.map(async (name) => (instances[name] = await startInstance(name, environment, deployed))));
});
afterAll(async () => {
  await Promise.all(Object.values(instances).map((instance) => instance.stop()));
  await world.stop();
});

/**
 * Declares a body of 60 000 bytes, and sends `start` and then one space after the other, until the server closes the
 * connection. Returns what the server sent. Reads nothing before it has sent `unreadBytes` spaces.
 */
function trickle(base: string, headers: string[], start = '{', unreadBytes = 0): Promise<string> {
  const { hostname, port, pathname } = new URL(base);
  const head = [`POST ${pathname} HTTP/1.1`, `Host: ${hostname}`, ...headers, 'Content-Length: 60000'];
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(port), hostname);
    socket.write(`${head.join('\r\n')}\r\n\r\n${start}`, 'latin1');
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
const charset = (of: string) => ({ 'content-type': `application/json; charset=${of}` });
const body = '{"email":"no address"}';
const name = 'cliRequestSignupOtp';
const zeros = Buffer.alloc(2 * MB);

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
    ['an unknown charset', { headers: charset('klingon'), body }, 400],
    ['UTF-16', { headers: charset('utf-16le'), body: Buffer.from(body, 'utf16le') }, 400],
    ['bytes that are not UTF-8', { headers: json, body: Buffer.from('{"email":"\xff"}', 'latin1') }, 400],
    ['gzip', { headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync(body) }, 400],
    ['deflate', { headers: { ...json, 'content-encoding': 'deflate' }, body: deflateSync(body) }, 400],
    ['br', { headers: { ...json, 'content-encoding': 'br' }, body: brotliCompressSync(body) }, 400],
    ['br that is none', { headers: { ...json, 'content-encoding': 'br' }, body }, 400],
    ['2 MB of zeros in br', { headers: { 'content-encoding': 'br' }, body: brotliCompressSync(zeros) }, 413],
    ['gzip that is none', { headers: { ...json, 'content-encoding': 'gzip' }, body }, 400],
    ['gzip that is cut off', { headers: { 'content-encoding': 'gzip' }, body: gzipSync(body).subarray(0, 20) }, 400],
    ['an unknown encoding', { headers: { 'content-encoding': 'zstd' }, body }, 400],
    ['2 MB of zeros in gzip', { headers: { 'content-encoding': 'gzip' }, body: gzipSync(zeros) }, 413],
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
    expect([answer.status, answer.hasId, answer.headers['access-control-allow-origin']]).toEqual([status, true, '*']);
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

  const connections = ['close', 'keep-alive'];
  test.each(connections)('a client (%s) that sends all of a refused body receives the answer', async (connection) => {
    const sent = { headers: { connection }, body: Buffer.alloc(31 * MB) };
    expect((await both(name, sent)).status).toBe(413);
  });

  describe('a client that trickles a body', () => {
    const slow = { TRUSTED_PROXY_HOPS: '1', BODY_TIMEOUT_MS: '300' };
    const names = ['cliCompleteLogin', 'createApiKey', 'uploadPresentationAssets'];
    const impatient: Record<string, FrameworkInstance> = {};

    beforeAll(async () => {
      const environment = { ...world.cloud.environment, ...slow };
      const start = async (of: string) => (impatient[of] = await startInstance(of, environment, deployed));
      await Promise.all(names.map(start));
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
        const details = { errors: [{ location: 'body', message: 'The body did not arrive in time.' }] };
        expect(JSON.parse(answer)).toMatchObject({ error: { code: 'invalid-argument', details } });
      }
    });
  });

  test('a client that reads its answer after it has sent more of a late body receives all of it', async () => {
    Object.assign(process.env, { BODY_TIMEOUT_MS: '300' });
    const answer = await trickle(`${world.cloud.baseUrl}/cliCompleteLogin`, [], '{', 40);
    process.env['BODY_TIMEOUT_MS'] = '100000';
    expect(answer).toContain('The body did not arrive in time.');
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

describe('the places in the stacks that an instance logs', () => {
  /**
   * The status of a request to a new instance without a usable secret, the stack in its line, and all that it prints.
   */
  async function fault(): Promise<{ status: number; stack: string; output: string }> {
    const noSecret = { SERVICE_SECRET: 'too short', NODE_OPTIONS: `--require ${watcher}` };
    const instance = await startInstance(name, { ...world.cloud.environment, ...noSecret }, deployed);
    try {
      const status = await signUp(instance);
      const { stack_trace: stack } = JSON.parse(await lineWith(instance, `${status} POST`)) as { stack_trace: string };
      return { status, stack, output: instance.output() };
    } finally {
      await instance.stop();
    }
  }

  let people = 0;

  /** Asks for a code for a new address: a second code for one address has to wait. */
  const signUp = async ({ url }: FrameworkInstance) => {
    const sent = { headers: json, body: JSON.stringify({ email: `ada-${people++}@example.org` }) };
    return (await send(url, sent)).status;
  };

  /** The first line of the log that contains `text`. */
  const lineWith = (instance: FrameworkInstance, text: string) =>
    new Promise<string>((resolve) => {
      const look = setInterval(() => {
        const lines = instance.output().split('\n');
        const line = lines.find((each) => each.includes(text));
        if (!line) return;
        clearInterval(look);
        resolve(line);
      }, 20);
    });

  test('an instance that reads and writes documents does not read the source map', async () => {
    const instance = instances[name]!;
    expect(await signUp(instance)).toBe(200);
    const line = await lineWith(instance, '200 POST');
    expect((JSON.parse(line) as { databaseWrites: number }).databaseWrites).toBeGreaterThan(0);
    expect(instance.output()).not.toContain('MAP READ');
  });

  test('the log of a 500 names the line of the source, without a path of the machine', async () => {
    const { status, stack, output } = await fault();
    expect(status).toBe(500);
    const source = readFileSync(join(functionsFolder, 'src', 'config.ts'), 'utf8').split('\n');
    const at = source.findIndex((line) => line.includes('throw new Error(`The first line of SERVICE_SECRET'));
    expect(stack).toContain(`(functions/src/config.ts:${at + 1}:`);
    expect(stack).toMatch(/functions\/src\/http\/pipeline\.ts:\d+:\d+/);
    expect(stack).not.toContain(tmpdir());
    expect(output.match(/MAP READ/g)).toHaveLength(1);
  });

  test.each([
    ['no source map', undefined],
    ['a source map that is cut off', '{"version":3,"sources":['],
  ])('with %s the log of a 500 has places in the bundle', async (_what, contents) => {
    const file = join(deployed, 'lib', 'functions.js.map');
    const map = readFileSync(file);
    if (contents === undefined) rmSync(file);
    else writeFileSync(file, contents);
    try {
      const { status, stack } = await fault();
      expect(status).toBe(500);
      const inBundle = /^Error: The first line of SERVICE_SECRET[^]*\n {4}at .*functions\/lib\/functions\.js:\d+:\d+/;
      expect(stack).toMatch(inBundle);
      expect(stack).not.toContain(tmpdir());
    } finally {
      writeFileSync(file, map);
    }
  });
});
