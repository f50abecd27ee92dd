import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { hashFile } from '../../client/src/folder/hash';
import { scanFolder } from '../../client/src/folder/read-folder';
import { drawDeck } from '../../cli/src/drawing/draw-deck';
import { sizeOfPicture } from '../../functions/src/values/picture-size';
import { describeInBrowser, executablePath } from '../browser/browser';
import { aFolder, draw, expectKeys, onArrows, withBrowserProgram } from './drawn-decks';
import { aProgram, computer, done, fill, testbed, withTestbed, type Pushed } from './testbed';

/** The pictures that a push draws, and the ways in which a deck shows its slides. `drawing.test.ts` has reveal.js. */

withTestbed();
withBrowserProgram();

type Row = Record<'path' | 'sha256' | 'contentType', string>;

const push = async (folder: string, browser: string, ...options: string[]) =>
  (await computer.deck(['push', folder, '--json', ...options], { CHROME_PATH: browser })).json<Pushed>();

/** The picture among the files of the current version. */
async function thumbnailOf(presentationId: string): Promise<Row | undefined> {
  const headers = { Authorization: `Bearer ${await computer.key()}` };
  const response = await fetch(`${testbed.baseUrl}/getPresentationVersion/${presentationId}/latest`, { headers });
  const { data } = (await response.json()) as { data: { files: Row[] } };
  return data.files.find(({ path }) => path === 'thumbnail.webp');
}

describe('a program that is not a working browser', () => {
  test('that answers nonsense leaves the deck without a picture, and the push succeeds', async () => {
    const program = await aProgram("printf 'nonsense\\0' >&4; exec cat <&3 >/dev/null");
    const { status, presentationId, picture, warnings } = await push(
      await testbed.aFolder({ 'index.html': 'x' }),
      program,
    );
    expect([status, picture, await thumbnailOf(presentationId)]).toEqual(['pushed', undefined, undefined]);
    expect(warnings).toMatchObject([{ code: 'no-picture' }]);
  });

  test('that hangs is killed with its children when the push gives up, and its profile is deleted', async () => {
    const folder = await testbed.aFolder({ 'index.html': 'x' });
    const program = await aProgram(`sleep 1000 & echo "$$ $! $@" > ${folder}/pids; wait`);
    const files = await Promise.all((await scanFolder(folder)).map((file) => hashFile(file)));
    const stop = new AbortController();
    const deck = { files, entryPath: 'index.html' };
    const { done: drawing } = drawDeck(program, deck, { hasCover: true, signal: stop.signal });
    let started: string;
    do started = await readFile(join(folder, 'pids'), 'utf8').catch(() => '');
    while (!started.endsWith('\n'));
    stop.abort();
    await expect(drawing).rejects.toThrow('aborted');
    const [parent = '', child = ''] = started.split(' ');
    expect([isRunning(parent), isRunning(child)]).toEqual([false, false]);
    const profile = /--user-data-dir=(\S+)/.exec(started)?.[1] ?? '/';
    await expect(stat(profile)).rejects.toThrow('ENOENT');
  });
});

/** A killed process whose parent has not asked for its status yet does not run either. */
function isRunning(pid: string): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}

describeInBrowser('a push with a browser', () => {
  let browser: string;
  let starts: string;
  const startCount = async () => (await readFile(starts, 'utf8').catch(() => '')).length;
  beforeAll(async () => {
    starts = join(await testbed.aFolder({}), '..', 'starts');
    // Containers run tests as root, for whom Chromium needs the option.
    browser = await aProgram(`printf 1 >> '${starts}'\nexec '${executablePath}' --no-sandbox "$@"`);
  });
  beforeEach(() => writeFile(starts, ''));

  test('draws the first slide, 1200 × 630, which the share page shows, and no folder holds it', async () => {
    const folder = await testbed.aFolder({ 'index.html': '<title>Drawn</title><h1>Drawn' });
    const drawn = await push(folder, browser);
    expect(drawn.picture).toBe('drawn');
    // A schedule makes the shown picture of the drawn one each minute.
    expect((await fetch(`${testbed.baseUrl}/makePictures`, { method: 'POST' })).status).toBe(200);
    expect(await done('info', folder)).toMatchObject({ slides: { count: 1, pictures: 1 } });
    const page = await (await fetch(drawn.shareUrl)).text();
    const answer = await fetch(/property="og:image" content="([^"]+)"/.exec(page)?.[1] ?? '');
    expect(answer.headers.get('content-type')).toBe('image/jpeg');
    const size = sizeOfPicture(new Uint8Array(await answer.arrayBuffer()));
    expect(size).toMatchObject({ width: 1200, height: 630 });

    const pulled = join(testbed.folder, 'pulled');
    await done('pull', drawn.presentationId, pulled);
    for (const each of [folder, pulled]) expect((await readdir(each)).sort()).toEqual(['.deck.json', 'index.html']);
    expect(await push(pulled, 'none')).toMatchObject({ status: 'unchanged' });
  });

  test('starts no browser when nothing changed or only the title did, draws again after a change, and keeps a picture', async () => {
    const folder = await testbed.aFolder({ 'index.html': '<h1>One' });
    const { presentationId } = await push(folder, browser);
    const first = await thumbnailOf(presentationId);
    expect(await push(folder, browser)).toMatchObject({ status: 'unchanged', version: 1, picture: 'kept' });
    expect(await push(folder, browser, '--title', 'Renamed')).toMatchObject({ version: 2, picture: 'kept' });
    expect([await startCount(), await thumbnailOf(presentationId)]).toEqual([1, first]);
    await fill(folder, { 'index.html': '<h1 style="font-size: 200px">Two' });
    expect((await push(folder, browser)).picture).toBe('drawn');
    const second = await thumbnailOf(presentationId);
    expect(second?.sha256).not.toBe(first?.sha256);
    // A computer without a browser uploads nothing for the picture.
    await fill(folder, { 'index.html': '<h1>Three' });
    testbed.proxy.reset();
    expect((await push(folder, 'none')).picture).toBe('kept');
    expect([testbed.proxy.calls['uploadPresentationAssets'], await thumbnailOf(presentationId)]).toEqual([1, second]);
    expect(await startCount()).toBe(2);
  });

  test('sends a picture of every slide, whose keys may have any letter', async () => {
    const sections = ['One', 'Zwei & "drei" ü 100 %', 'Three'].map((title) => `<section><h2>${title}</h2></section>`);
    const folder = await testbed.aFolder({
      'index.html': `<style>section { height: 100vh }</style>${sections.join('')}`,
    });
    expect(await push(folder, browser)).toMatchObject({ status: 'pushed', slides: 3, warnings: [] });
    expect(await push(folder, browser, '--no-pictures', '--title', 'Other')).not.toHaveProperty('slides');
  });

  test("leaves the deck to its own picture: og:image or a thumbnail, by the service's rule", async () => {
    for (const [isOwn, files] of [
      [false, { 'index.html': '<meta property="og:image" content="img/a.png"><h1>A', 'img/a.png': 'x' }],
      [false, { 'index.html': '<h1>B', 'thumbnail.jpg': 'x' }],
      // Not a picture that previews show; but the file is the author's.
      [true, { 'index.html': '<h1>C', 'thumbnail.webp': '' }],
    ] as [boolean, Record<string, string>][]) {
      const { presentationId, picture, slides } = await push(await testbed.aFolder(files), browser);
      const row = await thumbnailOf(presentationId);
      expect([picture, row?.contentType, slides]).toEqual([undefined, isOwn ? 'image/webp' : undefined, 1]);
    }
  });

  test('removes the drawn picture when the deck gets one of its own, and with --no-pictures', async () => {
    const folder = await testbed.aFolder({ 'index.html': '<h1>Soon' });
    const { presentationId } = await push(folder, browser);
    await fill(folder, { 'thumbnail.png': 'x' });
    await push(folder, browser);
    expect(await thumbnailOf(presentationId)).toBeUndefined();
    const other = await testbed.aFolder({ 'index.html': '<h1>Without' });
    await push(other, browser);
    const without = await push(other, browser, '--no-pictures');
    expect([without.status, without.version, without.picture]).toEqual(['pushed', 2, undefined]);
    expect([await thumbnailOf(without.presentationId), await startCount()]).toEqual([undefined, 3]);
  });

  test('lets the page reach no other host, and draws none that asks another host for scripts', async () => {
    let hits = 0;
    const other = createServer((_request, response) => response.end(String(++hits))).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const stun = createSocket('udp4', () => hits++).bind(0, '127.0.0.1');
    await once(stun, 'listening');
    const address = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    const page = `<h1>Curious</h1><img src="http://${address}/a.png"><script>
      fetch('http://${address}/b', { mode: 'no-cors' }).catch(() => {});
      new WebSocket('ws://${address}/c');
      navigator.sendBeacon('http://${address}/d');
      const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${stun.address().port}' }] });
      peer.createDataChannel('e');
      peer.createOffer().then((offer) => peer.setLocalDescription(offer));
      alert('A dialog does not stop it.');
    </script>`;
    const needy = `<h1>Needy</h1><script src="http://${address}/reveal.js"></script>`;
    const pictureOf = async (html: string) =>
      (await push(await testbed.aFolder({ 'index.html': html }), browser)).picture;
    expect([await pictureOf(page), await pictureOf(needy), hits]).toEqual(['drawn', undefined, 0]);
    other.close();
    stun.close();
  });

  test('a picture does not fail a push that has as many files as the plan allows', async () => {
    const files = Object.fromEntries(Array.from({ length: 499 }, (_, i) => [`f${i}.txt`, '']));
    const pushed = await push(await testbed.aFolder({ 'index.html': '<h1>Full', ...files }), browser);
    expect([pushed.status, pushed.picture]).toEqual(['pushed', undefined]);
  });
});

/** Tells which of so many slides the deck shows. */
const tell = (count: number) =>
  `dispatchEvent(new CustomEvent('deck:slide', { detail: { key: 'k' + n, title: 'T' + n, index: n, count: ${count} } }));`;

describeInBrowser('the slides that a push draws', () => {
  test('of a deck that asks to be isolated have shared memory', async () => {
    const headers = ['Cross-Origin-Opener-Policy: same-origin', 'Cross-Origin-Embedder-Policy: require-corp'];
    const script = '<script>document.title = new SharedArrayBuffer(8).byteLength</script><h1>One</h1>';
    const drawn = await draw(await aFolder(script, { _headers: `/*\n${headers.join('\n')}` }), 'document.title');
    expect(drawn.map(({ seen }) => seen)).toEqual(['8']);
  });

  const hidden = `<style>section:not(.on) { display: none }</style>
    <section class="on">One</section><section>Two</section><section>Three</section>`;
  const toggle = `document.querySelectorAll('section').forEach((each, i) => each.classList.toggle('on', i === n));`;

  test.each([
    [
      'sections in a page that scrolls',
      '<style>section { height: 100vh }</style>' +
        '<section>One</section><section id="two">Two</section><section>Three</section>',
      ['One', '#two', 'Three'],
    ],
    ['sections that keys show', hidden + onArrows(toggle), ['One', 'Two', 'Three']],
    [
      'sections that the hash shows',
      `${hidden}<script>onhashchange = () => { const n = location.hash.slice(2) - 1; ${toggle} }; location.hash = '#/1'</script>`,
      ['One', 'Two', 'Three'],
    ],
    ['a page without slides', '<title>Page</title><p>Text', ['#1']],
  ])('are %s', (_name, html, keys) => expectKeys(html, keys));

  test('are slides that the deck tells, and that keys show', async () => {
    await expectKeys(`<h1>Deck</h1>${onArrows(tell(3))}`, ['k0', 'k1', 'k2']);
  });

  test('show the end of an animation', async () => {
    const html = `<style>@keyframes fade { from { opacity: 0 } } p { animation: fade 1000s }</style><p>Text`;
    const [slide] = await draw(await aFolder(html), `getComputedStyle(document.querySelector('p')).opacity`);
    expect(slide?.seen).toBe('1');
  });

  test('are drawn at rest, also where a frame takes long', async () => {
    const moveInFrames = `
      document.body.textContent = '';
      const wait = (frames) => frames ? requestAnimationFrame(() => wait(frames - 1)) : document.body.append('At rest');
      wait(5);`;
    const slowFrames = 'requestAnimationFrame = (callback) => setTimeout(() => callback(performance.now()), 100);';
    const html = `<body><script>${slowFrames}</script>${onArrows(tell(2) + moveInFrames)}`;
    const drawn = await draw(await aFolder(html), 'document.body.textContent');
    expect(drawn.map(({ seen }) => seen)).toEqual(['At rest', 'At rest']);
  });

  test('are drawn at the last step, also where the tool takes the step back once and draws it some frames later', async () => {
    const html = `<body><script>
      let at = { index: 0, step: 0 };
      const hasGoneBack = [];
      const tell = () => {
        const { index, step } = at;
        const detail = { key: 'k' + index, title: 'T' + index, index, count: 2, step, steps: 1 };
        dispatchEvent(new CustomEvent('deck:slide', { detail }));
      };
      const after = (frames, work) => frames ? requestAnimationFrame(() => after(frames - 1, work)) : work();
      const goTo = (detail) => { at = detail; tell(); after(5, () => document.body.textContent = at.step || ''); };
      addEventListener('deck:go', ({ detail }) => {
        goTo(detail);
        const { index, step } = detail;
        if (step === 0 || hasGoneBack[index]) return;
        hasGoneBack[index] = true;
        after(3, () => goTo({ index, step: 0 }));
      });
      onload = tell;
    </script>`;
    const drawn = await draw(await aFolder(html), 'document.body.textContent');
    expect(drawn.map(({ seen }) => seen)).toEqual(['1', '1']);
  });
});
