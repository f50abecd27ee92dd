import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { once } from 'node:events';

import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startHosting, type HostingConfig } from '../../../local/hosting';
import { officialTest, requireOfficial } from '../../support/official-emulator';
import { listen } from '../../support/sockets';
import { aFolder } from '../folders';

const files = {
  'index.html': 'start',
  '404.html': 'nothing here',
  'about.html': 'about',
  'a b.html': 'space',
  'app.js': 'code()',
  'docs/index.html': 'docs',
  'docs/page.html': 'page',
  'both.html': 'file',
  'both/index.html': 'folder',
  'share/static.txt': 'a file wins over a rewrite',
};
const paths = [
  '/ // /index /index/ /index.html /404 /404/ /404.html /absent /absent/ /absent.html /about /about/',
  '/about.html /about.html/ //about /docs//page /about?x=1 /about/?x=1&y /docs /docs/ /docs/index',
  '/docs/index/ /docs/index.html /docs/page /docs/page/ /docs?x=1 /both /both/ /both.html',
  '/both/index.html /app.js /app.js/ /app /a%20b /a%20b.html /share /share/ /share/x /share//x',
  '/share/static.txt /share%2Fx /docs%2Fpage.html /ABOUT /old /old/ /old/x /old/x?y=1 /to /app/x',
  '/app/x/y /count /count/ /none/x /..%2fx /cookie /cached /vary /moved /away /passed /gone /bare',
].flatMap((line) => line.split(' '));
const settings = [
  {},
  { cleanUrls: true },
  { trailingSlash: false },
  { trailingSlash: true },
  { cleanUrls: true, trailingSlash: false },
  { cleanUrls: true, trailingSlash: true },
];
const rules: Omit<HostingConfig, 'public'> = {
  redirects: [
    { source: '/old/**', destination: '/about', type: 302 },
    { source: '/to', destination: 'https://example.com/x' },
  ],
  rewrites: [
    { source: '/share/**', function: 'echo' },
    { source: '/@(count|cookie|cached|vary|moved|away|passed|gone|bare)', function: 'echo' },
    { source: '/app/**', destination: '/index.html' },
    { source: '/none/**', destination: '/absent.html' },
  ],
  headers: [
    { source: '**', headers: [{ key: 'X-Rule', value: 'first' }] },
    { source: '/share/**', headers: [{ key: 'X-Rule', value: 'second' }] },
    { source: '*.js', headers: [{ key: 'X-Script', value: 'yes' }] },
  ],
};

const echo: RequestListener = (req, res) => {
  const { url, headers } = req;
  const answers: Record<string, [number, Record<string, string>]> = {
    '/cookie': [200, { 'set-cookie': '__session=1', 'cache-control': 'private, max-age=5' }],
    '/cached': [200, { 'set-cookie': '__session=1', 'cache-control': 'public, max-age=5' }],
    '/moved': [302, { location: `http://${headers.host}/echo/x?y=1` }],
    '/away': [302, { location: 'https://example.com/' }],
    '/passed': [404, { 'x-cascade': 'PASS' }],
    '/gone': [404, {}],
  };
  const [status, answer] = answers[url!.replace('/echo', '')] ?? [200, { 'x-rule': 'from the function' }];
  res.writeHead(status, { 'content-type': 'text/plain', ...answer });
  res.end(JSON.stringify({ url, isForwarded: headers['x-forwarded-host'] !== undefined }));
};

type Middleware = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;
type Superstatic = { default: (this: void, options: object) => Middleware };
type Proxy = { proxyRequestHandler: (this: void, url: string, name: string) => Middleware };

/** The official emulator's server with its proxy for functions. */
async function startOfficial(root: string, config: HostingConfig, functionsBaseUrl: string) {
  const { default: superstatic } = requireOfficial('superstatic') as Superstatic;
  const { proxyRequestHandler } = requireOfficial('../hosting/proxy.js') as Proxy;
  const rewriters = { function: () => Promise.resolve(proxyRequestHandler(`${functionsBaseUrl}/echo`, 'echo')) };
  const middleware = superstatic({ config, cwd: root, stack: 'strict', fallthrough: false, rewriters });
  const server = createServer((req, res) => middleware(req, res, () => res.writeHead(404).end()));
  return { port: await listen(server), close: () => server.close() };
}

async function answerOf(port: number, path: string) {
  const sent = request({ host: '127.0.0.1', port, path, agent: false }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const { headers, statusCode = 0 } = answer;
  const body = await text(answer);
  const isFunction = body.includes('"url"');
  return {
    status: statusCode,
    location: headers.location,
    rule: headers['x-rule'],
    script: headers['x-script'],
    // The text of a redirection and of a missing 404 page is not a part of the contract.
    body: statusCode >= 300 && statusCode < 400 ? '' : body,
    ...(isFunction && { cacheControl: headers['cache-control'], cookies: headers['set-cookie'] }),
  };
}

officialTest(
  'the official emulator gives the same answers',
  async () => {
    const root = aFolder();
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, 'public', name)), { recursive: true });
      writeFileSync(join(root, 'public', name), content);
    }
    const functions = createServer(echo);
    const functionsBaseUrl = `http://127.0.0.1:${await listen(functions)}`;
    const differences: unknown[] = [];
    for (const setting of settings) {
      // The emulator's server takes missing settings from the firebase.json of the working folder.
      const config = { public: 'public', ...rules, cleanUrls: false, trailingSlash: undefined, ...setting };
      const ours = await startHosting({ config, root, functionsBaseUrl });
      const official = await startOfficial(root, structuredClone(config), functionsBaseUrl);
      for (const path of paths) {
        const [mine, theirs] = [await answerOf(ours.port, path), await answerOf(official.port, path)];
        if (JSON.stringify(mine) !== JSON.stringify(theirs)) differences.push({ setting, path, mine, theirs });
      }
      official.close();
      await ours.close();
    }
    functions.close();
    expect(differences).toEqual([]);
  },
  60_000,
);
