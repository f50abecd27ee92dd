import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { navigation, requestLocally, requestTarget } from '../support/deck-origin';
import { temporaryFiles } from '../support/temporary-folder';
import { zipArchive } from '../support/zip-archive';
import { dev, endServers, expectAsOnOrigin, withDevServers, type Asked } from './dev-server';
import * as bed from './testbed';
import { aDeck, computer, done, fill, push, refused, shown, testbed, words } from './testbed';

/** What a command answers that hands out a link. */
interface HandedOut {
  shareUrl?: string;
  warnings?: { code?: string; message: string }[];
}

/** A folder with a program for the browser. */
const anOpener = async (line: string) => dirname(await bed.aProgram(line, 'xdg-open'));

let deck: Awaited<ReturnType<typeof aDeck>> | undefined;
/** Tests what `deck open` tells of a program for the browser. */
export async function expectHonest(line: string, env: NodeJS.ProcessEnv, why: string | undefined): Promise<void> {
  const { folder, shareUrl } = (deck ??= await aDeck());
  const PATH = `${await anOpener(line)}:${process.env['PATH']}`;
  const ended = await computer.deck(['open', folder, '--json'], { PATH, ...env });
  expect(ended.json()).toMatchObject({ shareUrl, opened: why === undefined });
  const [warning] = ended.json<HandedOut>().warnings ?? [];
  expect([ended.code, warning?.message]).toEqual([0, why && expect.stringContaining(why)]);
}

/** `deck open`, the links that a push hands out, and `deck dev`. */
export function proveOpen(): void {
  const add = async (folder: string, name: string) => (await bed.addLink(folder, name)).shareUrl;
  const open = (folder: string, by = computer) => by.done<HandedOut>('open', folder, '--print');
  /** The link that was handed out, and the codes of the warnings. */
  const brief = ({ shareUrl, warnings = [] }: HandedOut) => [shareUrl, ...warnings.map(({ code }) => code)];

  async function pushNext(folder: string): Promise<HandedOut> {
    await writeFile(join(folder, 'index.html'), `<title>Talk</title>${Math.random()}`);
    return push(folder);
  }

  describe('a push and deck open', () => {
    test('hand out the link that opens the latest version, as restore, info and list do, and say when it is another one', async () => {
      const { folder, presentationId: id, shareUrl } = await aDeck();
      const { dev } = await bed.aDev(folder);
      expect(brief(await open(id, dev))).toEqual([shareUrl]);
      const next = await add(folder, 'next');
      const { links } = await done<{ links: { id: string }[] }>('links', folder);
      await testbed.post(computer, 'unsharePresentation', { presentationId: id, tokenId: links[0]!.id });
      for (const by of [computer, dev]) expect(brief(await open(id, by))).toEqual([next, 'link-replaced']);
      expect(brief(await pushNext(folder))).toEqual([next]);
      for (const command of [
        ['restore', '1', '--deck', folder],
        ['info', folder],
      ])
        expect(await done(...command)).toMatchObject({ shareUrl: next });
      const row = expect.objectContaining({ id, shareUrl: next }) as object;
      expect((await done<{ decks: object[] }>('list')).decks).toContainEqual(row);

      await done('links', 'revoke', '--all', '--yes', '--deck', folder);
      const message = words(`deck links add <name> --deck ${folder}`);
      const { shareUrl: none, warnings } = await push(folder, '--force', '--title', 'Other');
      expect([none, warnings]).toEqual([undefined, [{ code: 'no-link', message }]]);
      expect(await refused('open', folder, '--print')).toMatchObject({ code: 'no-link', exit: 1 });
    });

    test('show one version to its owner, without a link and without a view', async () => {
      const { folder, presentationId } = await aDeck();
      await pushNext(folder);
      const looked = await done<{ previewUrl: string }>('open', folder, '--version', '1', '--print');
      expect(looked).toMatchObject({ presentationId, version: 1, opened: false });
      const { status, headers } = await requestLocally(looked.previewUrl, { headers: navigation });
      expect([status, headers['set-cookie']]).toEqual([303, [expect.stringContaining('__Host-deck=')]]);
      expect(await done('info', folder)).toMatchObject({ totalViews: 0 });
      expect(await refused('open', folder, '--version', '3')).toMatchObject({ code: 'not-found', exit: 1 });
    });

    test('of a deleted deck are refused, and the link is forgotten', async () => {
      const { folder, presentationId } = await aDeck();
      await testbed.post(computer, 'deletePresentation', { presentationId });
      expect(await refused('open', folder, '--print')).toMatchObject({ code: 'not-found', exit: 1 });
      const links = await readFile(join(computer.configFolder, 'deck', 'links.json'), 'utf8');
      expect(links).not.toContain(presentationId);
    });

    test('use the remembered link only without an answer of the service, and say so', async () => {
      const { folder, shareUrl } = await aDeck();
      await testbed.proxy.close();
      const offline = await open(folder);
      await testbed.proxy.open();
      expect(brief(offline)).toEqual([shareUrl, 'link-not-checked']);
      const error = { code: 'invalid-argument', message: 'No.' };
      testbed.proxy.answer('getSharedPresentationInfo', 400, { success: false, error });
      expect((await refused('open', folder, '--print')).exit).toBe(1);
      // A push that the service accepted is not refused for it.
      expect(brief(await pushNext(folder))).toEqual([shareUrl, 'link-not-checked']);
    });

    test('cost one call more, which no upload waits for', async () => {
      const { folder } = await aDeck();
      const order: string[] = [];
      testbed.proxy.watch = ({ name }) => {
        order.push(name);
        return 'forward';
      };
      await pushNext(folder);
      const asked = order.filter((name) => /^(getSharedPresentationInfo|listMyPresentations)$/.test(name));
      expect(asked).toEqual(['getSharedPresentationInfo']);
      expect(order.indexOf(asked[0]!)).toBeLessThan(order.lastIndexOf('commitPresentationVersion'));
    });

    test('on another computer of the user ask the service for the link; a folder that was not pushed has none', async () => {
      const { folder, shareUrl } = await aDeck();
      await rm(join(computer.configFolder, 'deck', 'links.json'));
      expect(await shown('open', folder, '--print')).toBe(`${shareUrl}\n`);
      const unpushed = await testbed.aFolder({ 'index.html': '' });
      expect(await refused('open', unpushed)).toMatchObject({ code: 'not-pushed', exit: 1 });
    });
  });

  (process.platform === 'linux' ? describe : describe.skip)('deck open', () => {
    test('opens the share link in the browser, and prints it', async () => {
      const { folder, shareUrl } = await aDeck();
      const opener = await anOpener('echo "$1" > "$0.opened"');
      execFileSync('mkfifo', [join(opener, 'xdg-open.opened')]);
      const [opened, ended] = await Promise.all([
        readFile(join(opener, 'xdg-open.opened'), 'utf8'),
        computer.deck(['open', folder], { PATH: `${opener}:${process.env['PATH']}`, DISPLAY: ':0' }),
      ]);
      expect(ended.stdout).toBe(`${shareUrl}\n✓ Opened in your browser\n`);
      expect(opened).toBe(`${shareUrl}\n`);
    });

    test.each([
      ['an opener that fails', 'exit 3', { DISPLAY: ':0' }, 'exit code 3'],
      ['no display', 'exit 0', {}, 'this computer has no display'],
      ['no opener', '', { DISPLAY: ':0', PATH: '/nowhere' }, 'could not be started (ENOENT). Open the link yourself'],
      ['a browser that the user names', 'exit 0', { BROWSER: 'x' }, undefined],
    ])('is honest about %s', (_case, line, env, why) => expectHonest(line, env, why));
  });

  describe('deck dev', () => {
    withDevServers();

    const ofKinds = ['app.js', 'module.mjs', 'style.css', 'picture.svg', 'node_modules/a.js', '.hidden'];
    const site = {
      ...Object.fromEntries(ofKinds.map((path) => [path, path])),
      'index.html': '<!doctype html><html><head><title>Entry</title></head><body>Entry',
      'about.html': '<p>About',
      'docs/index.html': '<p>Docs',
      'docs/größe.html': '<p>Größe',
      'latin1.html': Buffer.from('<meta charset="iso-8859-1"><p>\xe9', 'latin1'),
      'film.mp4': Buffer.alloc(300_000, 7),
      'empty.html': '',
      '404.html': '<p>own 404',
    };
    const requests: Asked[] = [
      { headers: navigation },
      { headers: { accept: '*/*', 'sec-fetch-mode': 'no-cors' } },
      { headers: { 'sec-fetch-mode': 'no-cors', range: 'bytes=2-5' } },
      { headers: { range: 'bytes=-2' } },
      { method: 'HEAD', headers: navigation },
    ];

    test('a site answers every address as the origin of its deck does', () => expectAsOnOrigin(site, requests));

    test('a service worker, another method and another host name are refused', async () => {
      const origin = await dev(await testbed.aFolder({ 'index.html': 'x', 'sw.js': '' }));
      expect((await requestTarget(origin, '/sw.js', { headers: { 'service-worker': 'script' } })).status).toBe(403);
      expect((await requestTarget(origin, '/', { method: 'POST' })).status).toBe(405);
      const { port } = new URL(origin);
      expect((await requestTarget(origin, '/', { headers: { host: `localhost:${port}` } })).status).toBe(200);
      for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', '127.0.0.1:1', undefined])
        expect((await requestTarget(origin, '/', { headers: { host } })).status).toBe(host ? 421 : 400);
    });

    /** What `deck dev` tells its pages when files have changed. */
    async function changesOf(origin: string) {
      const { body } = await fetch(`${origin}/_deck/changes`);
      const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
      const next = async () => /^data: \d+-(\d+)\n\n$/.exec((await reader.read()).value ?? '')?.[1];
      return { next, cancel: () => reader.cancel() };
    }

    test('pages are told when files changed, and not when ignored files did', async () => {
      const folder = await testbed.aFolder({ 'index.html': '<p>one' });
      const origin = await dev(folder);
      const text = async () => (await requestTarget(origin, '/', { headers: navigation })).text;
      expect(await text()).toContain('<script src="/_deck/reload.js"></script>');
      const changes = await changesOf(origin);
      expect(await changes.next()).toBe('0');
      await fill(folder, { '.deck.json.tmp': '1', 'node_modules/x.js': '1' });
      await fill(folder, { 'index.html': '<p>two', 'new/file.css': 'a{}' });
      expect(await changes.next()).toBe('1');
      expect(await text()).toContain('<p>two');
      expect((await requestTarget(origin, '/new/file.css')).status).toBe(200);
      await rm(join(folder, 'new'), { recursive: true });
      expect(await changes.next()).toBe('2');
      expect((await requestTarget(origin, '/new/file.css')).status).toBe(404);
      await changes.cancel();
    });

    test('a folder that a push refuses is refused, at the start and while it is served', async () => {
      const folder = await testbed.aFolder({ 'index.html': 'x' });
      const origin = await dev(folder);
      await symlink('/etc/passwd', join(folder, 'leak.txt'));
      const text = words('leads out of the folder');
      expect(await requestTarget(origin, '/leak.txt')).toMatchObject({ status: 500, text });
      expect(await computer.deck(['dev', folder, '--port', '0'])).toMatchObject({ code: 1, stderr: text });
      await rm(join(folder, 'leak.txt'));
      await writeFile(join(folder, 'index.html'), 'y');
      expect((await requestTarget(origin, '/')).text).toBe('y');
    });

    test('an archive that cannot be a deck leaves the one before it usable, and Ctrl-C leaves nothing unpacked', async () => {
      const folder = await testbed.aFolder({ 'other.zip': zipArchive([{ name: 'a.html' }, { name: 'b.html' }]) });
      const archive = join(folder, 'talk.zip');
      await writeFile(archive, zipArchive([{ name: 'index.html', content: '<p>one' }]));
      const origin = await dev(archive);
      const page = async () => (await requestTarget(origin, '/', { headers: navigation })).text;
      const changes = await changesOf(origin);
      expect([await changes.next(), await page()]).toEqual(['0', words('<p>one')]);
      await rename(archive, join(folder, 'kept.zip'));
      await rename(join(folder, 'other.zip'), archive);
      expect([await changes.next(), await page()]).toEqual(['1', words('Which of these files')]);
      await rename(join(folder, 'kept.zip'), archive);
      expect([await changes.next(), await page()]).toEqual(['2', words('<p>one')]);
      expect(temporaryFiles('deck-given-')).toHaveLength(1);
      await changes.cancel();
      await endServers('SIGINT');
      expect(temporaryFiles('deck-given-')).toEqual([]);
    });

    test('a port that another program uses is told, and a number that is not a port is a wrong use', async () => {
      const folder = await testbed.aFolder({ 'index.html': 'x' });
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      const taken = expect.stringMatching(`Another program uses port ${port}\\.[^]*--port`) as string;
      expect(await computer.deck(['dev', folder, '--port', String(port)])).toMatchObject({ code: 1, stderr: taken });
      other.close();
      for (const wrong of [['--port', '70000'], ['--json']])
        expect((await computer.deck(['dev', folder, ...wrong])).code).toBe(2);
    });
  });
}
