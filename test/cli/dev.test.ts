import { createServer } from 'node:http';
import { once } from 'node:events';
import { rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { navigation, openOnOrigin, requestTarget, type OriginAnswer } from '../support/deck-origin';
import { fill, Testbed, type Computer, type Running } from './testbed';

let testbed: Testbed;
let computer: Computer;
const running: Running[] = [];
beforeAll(async () => {
  testbed = await Testbed.create();
  computer = await testbed.aSignedInComputer();
});
afterAll(async () => {
  for (const { process } of running) process.kill('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  await testbed.close();
});

/** Starts `deck dev` and resolves with its origin. */
async function dev(folder: string, ...options: string[]): Promise<string> {
  const command = computer.start(['dev', folder, '--port', '0', ...options]);
  running.push(command);
  for await (const line of createInterface({ input: command.process.stdout! })) {
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (address) return address;
  }
  throw new Error((await command.ended).stderr);
}

const SCRIPT = /<script src="\/_deck\/[^"]*"><\/script>/;

/** What an answer says about the deck. The server for development and the origin insert scripts of their own. */
function shown({ status, headers, text }: OriginAnswer) {
  const isOwn = status < 400 || text.includes('own 404');
  if (!isOwn) return { status };
  const names = ['location', 'content-type', 'content-range', 'accept-ranges', 'x-content-type-options'] as const;
  const named = names.map((name) => headers[name]);
  const etag = headers.etag?.replace(/-[\da-z]+"$/, '-with a script"');
  return { status, named, etag, body: text.replace(SCRIPT, '') };
}

const site = {
  'index.html': '<!doctype html><html><head><title>Entry</title></head><body>Entry',
  'about.html': '<p>About',
  'docs/index.html': '<p>Docs',
  'docs/größe.html': '<p>Größe',
  'app.js': 'export {}',
  'module.mjs': 'export {}',
  'style.css': 'a{}',
  'latin1.html': Buffer.from('<meta charset="iso-8859-1"><p>\xe9', 'latin1'),
  'film.mp4': Buffer.alloc(300_000, 7),
  'picture.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'empty.html': '',
  '404.html': '<p>own 404',
  'node_modules/a.js': '1',
  '.hidden': '1',
};
const decks: Record<string, Record<string, string | Buffer>> = {
  'a site': site,
  'a single-page app': { 'index.html': '<p>App', '200.html': '<p>Shell', 'a.css': 'a{}' },
  'an app with rules': { 'index.html': '<p>App', _redirects: '/* /index.html 200\n' },
  'an app with an entry in a folder': { 'talk/index.html': '<p>Talk', 'talk/a.png': 'x' },
};
const addresses = String.raw`
  / /?a=1&b=%2F /index.html /about /about.html /about/ /docs /docs?x /docs/ /nothing /docs/gr%C3%B6%C3%9Fe
  /docs/gro%CC%88%C3%9Fe.html /app.js /module.mjs /style.css /film.mp4 /latin1.html /picture.svg /empty.html
  /node_modules/a.js /.hidden /.deck.json /talk /../index.html /docs/../about /docs%2findex.html /% //about
  /docs// /a\b /talk/a.png /_open/x /_deck/x /%5fdeck/x /index /docs/index /A.css /a.css`
  .trim()
  .split(/\s+/);
const requests: [string, { method?: string; headers: Record<string, string> }][] = [
  ['a navigation', { headers: navigation }],
  ['a script or a picture', { headers: { accept: '*/*', 'sec-fetch-mode': 'no-cors' } }],
  ['a range', { headers: { 'sec-fetch-mode': 'no-cors', range: 'bytes=2-5' } }],
  ['a range at the end', { headers: { range: 'bytes=-2' } }],
  ['HEAD', { method: 'HEAD', headers: navigation }],
];

test.each(Object.entries(decks))('%s answers every address as the origin of its deck does', async (name, files) => {
  const folder = await testbed.aFolder(files);
  const pushed = (await computer.deck(['push', folder, '--json'])).json<{ shareUrl: string }>();
  const link = await openOnOrigin(pushed.shareUrl);
  const origin = await dev(folder);
  // The first deck has files of every kind. Of the others, navigations differ.
  for (const [kind, { method, headers }] of name === 'a site' ? requests : requests.slice(0, 1))
    for (const address of addresses) {
      const asked = { ...(method && { method }), headers };
      const real = await requestTarget(link.origin, address, {
        ...asked,
        headers: { ...headers, cookie: link.cookie },
      });
      const local = await requestTarget(origin, address, asked);
      expect([kind, address, shown(local)]).toEqual([kind, address, shown(real)]);
    }
});

test('a service worker, another method and another host name are refused', async () => {
  const origin = await dev(await testbed.aFolder({ 'index.html': 'x', 'sw.js': '' }));
  expect((await requestTarget(origin, '/sw.js', { headers: { 'service-worker': 'script' } })).status).toBe(403);
  expect((await requestTarget(origin, '/', { method: 'POST' })).status).toBe(405);
  const { port } = new URL(origin);
  expect((await requestTarget(origin, '/', { headers: { host: `localhost:${port}` } })).status).toBe(200);
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', '127.0.0.1:1', undefined])
    expect([400, 421]).toContain((await requestTarget(origin, '/', { headers: { host } })).status);
});

test('pages are told when files changed, and not when ignored files did', async () => {
  const folder = await testbed.aFolder({ 'index.html': '<p>one' });
  const origin = await dev(folder);
  const page = await requestTarget(origin, '/', { headers: navigation });
  expect(page.text).toContain('<script src="/_deck/reload.js"></script>');
  const { body } = await fetch(`${origin}/_deck/changes`);
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  const state = async () => /^data: \d+-(\d+)\n\n$/.exec((await reader.read()).value ?? '')?.[1];
  expect(await state()).toBe('0');
  await fill(folder, { '.deck.json.tmp': '1', 'node_modules/x.js': '1' });
  await fill(folder, { 'index.html': '<p>two', 'new/file.css': 'a{}' });
  expect(await state()).toBe('1');
  expect((await requestTarget(origin, '/', { headers: navigation })).text).toContain('<p>two');
  expect((await requestTarget(origin, '/new/file.css')).status).toBe(200);
  await rm(join(folder, 'new'), { recursive: true });
  expect(await state()).toBe('2');
  expect((await requestTarget(origin, '/new/file.css')).status).toBe(404);
  await reader.cancel();
});

test('a folder that a push refuses is refused, at the start and while it is served', async () => {
  const folder = await testbed.aFolder({ 'index.html': 'x' });
  const origin = await dev(folder);
  await symlink('/etc/passwd', join(folder, 'leak.txt'));
  const during = await requestTarget(origin, '/leak.txt');
  expect([during.status, during.text.includes('leads out of the folder')]).toEqual([500, true]);
  const refused = await computer.deck(['dev', folder, '--port', '0']);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('leads out of the folder')]);
  await rm(join(folder, 'leak.txt'));
  await writeFile(join(folder, 'index.html'), 'y');
  expect((await requestTarget(origin, '/')).text).toBe('y');
});

test('a port that another program uses is told, and a number that is not a port is a wrong use', async () => {
  const folder = await testbed.aFolder({ 'index.html': 'x' });
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const taken = await computer.deck(['dev', folder, '--port', String(port)]);
  expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining(`Another program uses port ${port}.`)]);
  expect(taken.stderr).toContain('--port');
  other.close();
  expect((await computer.deck(['dev', folder, '--port', '70000'])).code).toBe(2);
  expect((await computer.deck(['dev', folder, '--json'])).code).toBe(2);
});
