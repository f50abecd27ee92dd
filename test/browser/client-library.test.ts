import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { describeInBrowser } from './browser';
import { LibraryPage } from './library-page';
import { Stage } from './stage';
import { zipArchive } from './zip-archive';

const MB = 1024 * 1024;
const bundled = { 'index.html': '<title>Talk</title><script src="js/a.js"></script>', 'js/a.js': 'a()' };

describeInBrowser('the client library in a browser, on a page of another origin', () => {
  const stage = new Stage({ deckOrigin: false });
  let host: LibraryPage;
  let folder: string;
  let page: Page;
  beforeAll(async () => {
    const reachable = [stage.world.cloud.baseUrl, process.env['STORAGE_EMULATOR_HOST']!];
    host = await LibraryPage.start(reachable.map((url) => new URL(url).origin));
    folder = await mkdtemp(join(tmpdir(), 'dropped-'));
  });
  afterAll(async () => {
    await host?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    page = stage.viewer.page;
    await page.goto(host.url);
    await page.waitForFunction('window.isReady');
    await page.evaluate(
      `window.service = (key = ${JSON.stringify(stage.owner.key)}) => new library.DeckService({
        baseUrl: ${JSON.stringify(stage.world.cloud.baseUrl)}, key, transport: new library.BrowserTransport() });
      window.told = (promise) => promise.catch((error) => ({ code: error.code ?? error.name, message: error.message }));`,
    );
  });

  async function onDisk(name: string, files: Record<string, string | Buffer>): Promise<string> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name, path)), { recursive: true });
      await writeFile(join(folder, name, path), content);
    }
    return join(folder, name);
  }

  /** Drops what is on the disk onto the page, as a person does. */
  async function drop(...paths: string[]): Promise<void> {
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: paths, dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', { type, x: 100, y: 100, data });
    await page.waitForFunction('window.dropped');
  }

  interface Read {
    name?: string;
    paths?: string[];
    refused?: [code: string, message: string][];
    code?: string;
    message?: string;
  }
  const read = (limits = '') =>
    page.evaluate<Read>(
      `told((${limits ? `library.readDropped(window.given, ${limits})` : 'window.dropped'}).then(
        ({ name, files, refused }) => ({
          name, paths: files.map(({ path }) => path),
          ...(refused.length > 0 && { refused: refused.map(({ code, message }) => [code, message]) }),
        })))`,
    );

  /** Chooses an archive as in a dialog. */
  async function choose(archive: Buffer, limits = '{ maxFiles: 100, maxBytes: 1e9 }') {
    await page.evaluate(
      `window.given = [new File([Uint8Array.from(atob('${archive.toString('base64')}'), (c) => c.charCodeAt(0))], 'talk.zip')]`,
    );
    return read(limits);
  }

  /** Pushes what was dropped; `options` is the text of an object. */
  const push = (options = '{}') =>
    page.evaluate<Record<string, unknown>>(
      `(async () => {
        const dropped = await window.dropped;
        const progress = { hash: 0, upload: 0, files: {} };
        let stage;
        const reporter = {
          onStart: (name) => (stage = name),
          onBytes: (bytes) => (progress[stage] += bytes),
          onFile: (path, sent) => (progress.files[path] = sent),
          onWarnings: (warnings) => (progress.warnings = warnings.map(({ code, path }) => [code, path])),
        };
        const request = { ...dropped, makeWorker, destination: { kind: 'new-deck' }, ...${options} };
        return told(library.pushFiles(service(), request, reporter).then(({ files, ...rest }) =>
          ({ ...rest, progress, hashes: Object.fromEntries(files.map(({ path, sha256 }) => [path, sha256])),
             types: files.map(({ contentType }) => contentType) })));
      })()`,
    );

  const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

  test('pushes a dropped folder as a new deck, and the link shows it', async () => {
    const large = randomBytes(9 * MB);
    const path = await onDisk('Quarterly talk', {
      ...bundled,
      'a.bin': large,
      '.env': 'SECRET',
      'node_modules/x/index.js': 'x',
      'notes/draft.txt': 'draft',
      '.deckignore': 'notes/\n',
    });
    await drop(path);
    expect(await read()).toEqual({ name: 'Quarterly talk', paths: ['a.bin', 'index.html', 'js/a.js'] });
    const pushed = await push();
    expect(pushed).toMatchObject({
      status: 'pushed',
      version: 1,
      title: 'Talk',
      entryPath: 'index.html',
      hashes: { 'a.bin': sha256(large), 'index.html': sha256(bundled['index.html']), 'js/a.js': sha256('a()') },
      types: ['application/octet-stream', 'text/html; charset=utf-8', 'text/javascript; charset=utf-8'],
    });
    const total = large.length + bundled['index.html'].length + 3;
    expect(pushed['progress']).toEqual({
      hash: total,
      upload: total,
      files: { 'a.bin': large.length, 'index.html': bundled['index.html'].length, 'js/a.js': 3 },
    });
    expect((await fetch(pushed['shareUrl'] as string)).status).toBe(200);
    expect(stage.viewer.troubles).toEqual([]);
  });

  test('sends a file above the limit of a form to the bucket in pieces, and reports every byte', async () => {
    const film = randomBytes(30 * MB);
    await drop(await onDisk('film', { 'index.html': '<title>Film</title>', 'film.mp4': film }));
    const puts: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') puts.push(request.headers()['content-range'] ?? '');
    });
    const pushed = await push();
    expect(pushed).toMatchObject({ status: 'pushed', hashes: { 'film.mp4': sha256(film) } });
    expect(puts.map((range) => Number(/-(\d+)\//.exec(range)?.[1]) + 1)).toEqual([8, 16, 24, 30].map((n) => n * MB));
    expect(pushed['progress']).toMatchObject({ files: { 'film.mp4': film.length } });
    expect(stage.viewer.troubles.filter((trouble) => !trouble.startsWith('308'))).toEqual([]);
  });

  test('retries after a lost connection and after Retry-After, and ends at once when it is cancelled', async () => {
    await drop(await onDisk('retried', bundled));
    let calls = 0;
    await page.route('**/precheckAssets', async (route) => {
      calls++;
      if (calls === 1) return route.abort('connectionreset');
      const headers = { 'Retry-After': '1', 'Access-Control-Allow-Origin': '*' };
      return calls === 2 ? route.fulfill({ status: 503, headers }) : route.continue();
    });
    expect(await push()).toMatchObject({ status: 'pushed' });
    expect(calls).toBe(3);
    await page.unroute('**/precheckAssets');
    await page.route('**/precheckAssets', () => undefined);
    await page.evaluate('window.stop = new AbortController()');
    const cancelled = push('{ signal: window.stop.signal }');
    await page.waitForRequest('**/precheckAssets');
    await page.evaluate('window.stop.abort()');
    expect(await cancelled).toMatchObject({ code: 20, message: expect.stringContaining('aborted') as string });
  });

  test('reads a zip archive as the folder that it holds, whatever its names are encoded in', async () => {
    const latin = Buffer.concat([Buffer.from('deck/caf'), Buffer.from([0x82]), Buffer.from('.txt')]);
    const archive = zipArchive([
      { name: 'deck/index.html', content: bundled['index.html'] },
      { name: 'deck\\js\\a.js', content: 'a()' },
      { name: latin, content: 'é of code page 437' },
      { name: 'deck/re\u0301sume\u0301.txt', content: 'decomposed' },
      { name: 'deck/.DS_Store', content: 'x' },
      { name: 'deck/node_modules/y.js', content: 'y' },
      { name: '__MACOSX/deck/._index.html', content: 'x' },
    ]);
    expect(await choose(archive)).toEqual({
      name: 'talk',
      paths: ['café.txt', 'index.html', 'js/a.js', 'résumé.txt'],
    });
    await page.evaluate('window.dropped = library.readDropped(window.given)');
    expect(await push()).toMatchObject({ status: 'pushed', hashes: { 'js/a.js': sha256('a()') } });
  });

  test('names every file that a deck cannot hold, and pushes the others only when the page leaves out the refused', async () => {
    const outside = ['../evil.html', '/etc/x', 'C:\\x.html', 'a/../../x', 'a//b'];
    const archive = zipArchive([
      { name: 'deck/index.html', content: bundled['index.html'] },
      ...outside.map((name) => ({ name })),
      { name: 'deck/link', content: '/etc/passwd', mode: 0o120777 },
      { name: 'deck/.hidden', content: '/etc/passwd', mode: 0o120777 },
      { name: 'deck/a\nb.css' },
      { name: 'deck/é.txt' },
      { name: 'deck/e\u0301.txt' },
    ]);
    const noName = (name: string) => [
      'bad-path',
      `"${name.replaceAll('\\', '/')}" in the archive has no name of a file.`,
    ];
    const { refused, ...read } = await choose(archive);
    expect(read).toEqual({ name: 'talk', paths: ['index.html'] });
    expect(refused!.sort()).toEqual(
      [
        ...outside.map(noName),
        ['bad-link', '"deck/link" in the archive is a link.'],
        ['bad-path', '"a\\u000ab.css" cannot be part of a deck: its name holds a control character.'],
        ['path-collision', '"\\u00e9.txt" and "e\\u0301.txt" are the same path in a deck.'],
      ].sort(),
    );
    await page.evaluate('window.dropped = library.readDropped(window.given)');
    const calls: string[] = [];
    page.on('request', (request) => calls.push(request.url()));
    const failure = await push();
    expect(failure['message']).toMatch(/^A deck cannot hold 8 of the files:/);
    expect(calls.filter((url) => /Assets|commit/.test(url))).toEqual([]);
    expect(await push('{ refused: [] }')).toMatchObject({ status: 'pushed', version: 1 });
  });

  test('refuses an archive whose .deckignore it cannot read', async () => {
    const link = { name: 'deck/.deckignore', content: 'rules', mode: 0o120777 };
    expect(await choose(zipArchive([{ name: 'deck/index.html' }, link]))).toMatchObject({
      code: 'bad-link',
      message: '"deck/.deckignore" in the archive is a link.',
    });
  });

  test('refuses an archive that lies about sizes, is too large, or holds nothing for a deck', async () => {
    const page1 = { name: 'index.html', content: '<p>' };
    const twice = zipArchive([page1, page1]);
    expect(await choose(twice)).toMatchObject({ code: 'path-collision' });
    const bomb = { name: 'bomb.bin', content: Buffer.alloc(20 * MB), declared: 10 };
    expect(await choose(zipArchive([page1, bomb]))).toMatchObject({ code: 'damaged-file' });
    const large = { name: 'large.bin', content: Buffer.alloc(20 * MB) };
    const limits = `{ maxFiles: 3, maxBytes: ${10 * MB} }`;
    expect(await choose(zipArchive([page1, large]), limits)).toMatchObject({ code: 'payload-too-large' });
    const many = Array.from({ length: 4 }, (_, i) => ({ name: `${i}.txt` }));
    expect(await choose(zipArchive(many), limits)).toMatchObject({ code: 'payload-too-large' });
    expect(await choose(Buffer.from('no archive'))).toMatchObject({ code: 'damaged-file' });
    expect(await choose(zipArchive([{ name: '.hidden' }]))).toMatchObject({ code: 'no-entry' });
  });

  test('downloads a version as an archive that it can read again', async () => {
    const film = randomBytes(9 * MB);
    await drop(await onDisk('zipped', { ...bundled, 'é ü.bin': film, 'empty.txt': '' }));
    const { presentationId, hashes } = await push();
    const zip = await page.evaluate(
      `(async () => {
        let bytes = 0;
        const request = { presentationId: '${String(presentationId)}', version: 'latest', onBytes: (n) => (bytes += n) };
        const { title, version, amount, stream } = await library.zipOf(service(), request);
        const archive = new File([await new Response(stream).blob()], 'again.zip');
        const { files } = await library.readDropped([archive]);
        const hash = async ({ path, blob }) => [path,
          [...new Uint8Array(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()))]
            .map((byte) => byte.toString(16).padStart(2, '0')).join('')];
        return { title, version, amount, bytes, hashes: Object.fromEntries(await Promise.all(files.map(hash))) };
      })()`,
    );
    const bytes = film.length + bundled['index.html'].length + 3;
    expect(zip).toEqual({ title: 'Talk', version: 1, amount: { files: 4, bytes }, bytes, hashes });
  });

  test('a refused call is a failure with the code and the request id of the service', async () => {
    const failure = await page.evaluate<Record<string, unknown>>(
      `service('ck_wrong').get('listMyPresentations').catch(({ code, status, requestId }) => ({ code, status, requestId }))`,
    );
    expect(failure).toMatchObject({ status: 401, requestId: expect.stringMatching(/./) as string });
  });
});
