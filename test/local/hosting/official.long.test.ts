import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { startHosting, type HostingConfig } from '../../../local/hosting';
import { officialTest, requireOfficial } from '../../support/official-emulator';
import { listen } from '../../support/sockets';
import { config, get, host, root, siteFixture, state, write } from './site';

siteFixture();

write({ 'a b.html': 'space', 'docs/page.html': 'page', 'both.html': 'file', 'both/index.html': 'folder' });
const paths = [
  '/ // /index /index/ /index.html /404 /404/ /404.html /absent /absent/ /absent.html /about /about/',
  '/about.html /about.html/ //about /docs//page /about?x=1 /about/?x=1&y /docs /docs/ /docs/index',
  '/docs/index/ /docs/index.html /docs/page /docs/page/ /docs?x=1 /both /both/ /both.html',
  '/both/index.html /app.js /app.js/ /app /a%20b /a%20b.html /share /share/ /share/x /share//x',
  '/share/static.txt /share%2Fx /docs%2Fpage.html /ABOUT /old /old/ /old/x /old/x?y=1 /to /app/x',
  '/app/x/y /count /count/ /none/x /..%2fx',
].flatMap((line) => line.split(' '));
const settings = [
  {},
  { cleanUrls: true },
  { trailingSlash: false },
  { trailingSlash: true },
  { cleanUrls: true, trailingSlash: false },
  { cleanUrls: true, trailingSlash: true },
];
const rules: HostingConfig = {
  ...config,
  redirects: [...config.redirects!, { source: '/to', destination: 'https://example.com/x' }],
  rewrites: [...config.rewrites!, { source: '/none/**', destination: '/absent.html' }],
};
const answers: [status: number, headers: () => Record<string, string>][] = [
  [200, () => ({})],
  [200, () => ({ 'set-cookie': '__session=1', 'cache-control': 'private, max-age=5' })],
  [200, () => ({ 'set-cookie': '__session=1', 'cache-control': 'public, max-age=5' })],
  [302, () => ({ location: `${new URL(host.baseUrl).origin}/x?y=1` })],
  [302, () => ({ location: 'https://example.com/' })],
  [404, () => ({ 'x-cascade': 'PASS' })],
  [404, () => ({})],
];

type Middleware = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;
type Superstatic = { default: (this: void, options: object) => Middleware };
type Proxy = { proxyRequestHandler: (this: void, url: string, name: string) => Middleware };
type Rewrite = { function: string | { functionId: string } };

/** The official emulator's server with its proxy for functions. */
async function startOfficial(given: HostingConfig) {
  const { default: superstatic } = requireOfficial('superstatic') as Superstatic;
  const { proxyRequestHandler } = requireOfficial('../hosting/proxy.js') as Proxy;
  const proxy = ({ function: target }: Rewrite) => {
    const name = typeof target === 'string' ? target : target.functionId;
    return Promise.resolve(proxyRequestHandler(`${host.baseUrl}/${name}`, name));
  };
  const options = { cwd: root, stack: 'strict', fallthrough: false, rewriters: { function: proxy } };
  const middleware = superstatic({ ...options, config: structuredClone(given) });
  const server = createServer((req, res) => middleware(req, res, () => res.writeHead(404).end()));
  return { url: `http://127.0.0.1:${await listen(server)}`, close: () => server.close() };
}

async function answerOf(from: { url: string }, path: string) {
  const { status, headers, text } = await get(path, {}, from);
  const isFunction = text === 'echo' || text.includes('"url"');
  return {
    status,
    // The text of a redirection and of a missing 404 page is not a part of the contract.
    body: status >= 300 && status < 400 ? '' : (/"url":".*?"/.exec(text)?.[0] ?? text),
    ...Object.fromEntries(['location', 'x-rule', 'x-everywhere'].map((name) => [name, headers.get(name)])),
    ...(isFunction && { cacheControl: headers.get('cache-control'), cookies: headers.get('set-cookie') }),
  };
}

officialTest(
  'the official emulator gives the same answers',
  async () => {
    const differences: unknown[] = [];
    for (const setting of settings) {
      // The emulator's server takes missing settings from the firebase.json of the working folder.
      const given = { ...rules, cleanUrls: false, trailingSlash: undefined, ...setting } as unknown as HostingConfig;
      const ours = await startHosting({ config: given, root, functionsBaseUrl: host.baseUrl });
      const official = await startOfficial(given);
      const compare = async (path: string) => {
        const [mine, theirs] = [await answerOf(ours, path), await answerOf(official, path)];
        if (JSON.stringify(mine) !== JSON.stringify(theirs)) differences.push({ setting, path, mine, theirs });
      };
      for (const path of paths) await compare(path);
      for (const [answerStatus, answerHeaders] of answers) {
        Object.assign(state, { answerStatus, answerHeaders: answerHeaders() });
        await compare('/echo');
      }
      official.close();
      await ours.close();
    }
    expect(differences).toEqual([]);
  },
  60_000,
);
