import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startHost, type Host } from '../../../local/host';
import { startHosting, type Hosting, type HostingConfig } from '../../../local/hosting';
import { aFolder } from '../folders';
import { plain } from '../host/functions';

export const root = aFolder();
const files: Record<string, string> = {
  'index.html': 'start',
  '404.html': 'nothing here',
  'about.html': 'about',
  'docs/index.html': 'docs',
  'dir#1?/index.html': 'odd folder',
  'app.js': 'code()',
  'ünï %41.txt': 'odd name',
  '.secret': 'hidden',
  'share/static.txt': 'a file wins over a rewrite',
};
export function write(pages: Record<string, string>): void {
  for (const [name, content] of Object.entries(pages)) {
    const file = join(root, 'public', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
write(files);
writeFileSync(join(root, 'outside.txt'), 'outside');

/** What the functions wait for and answer. A test sets it. */
export const state = {
  wait: (_left: boolean): void => {},
  waiting: (): void => {},
  goOn: (): void => {},
  answerStatus: 200,
  answerHeaders: {} as Record<string, string>,
};

export const functions = {
  sharePage: plain(async (req, res) => {
    const body = Buffer.concat(await req.toArray()).toString();
    res.setHeader('X-Rule', 'from the function');
    res.setHeader('Content-Type', 'application/json; charset=utf-8');
    const { method, url, headers } = req;
    const forwarded = ['for', 'host', 'proto'].map((name) => headers[`x-forwarded-${name}`]);
    res.end(JSON.stringify({ method, url, body, host: headers.host, cookie: headers.cookie, forwarded }));
  }),
  count: plain(async (req, res) => {
    let bytes = 0;
    for await (const chunk of req as AsyncIterable<Buffer>) bytes += chunk.length;
    res.writeHead(201).end(JSON.stringify({ bytes }));
  }),
  echo: plain((_req, res) => {
    res.writeHead(state.answerStatus, state.answerHeaders).end('echo');
  }),
  stream: plain((_req, res) => {
    res.write('first');
    state.waiting();
    state.goOn = () => res.end(' last');
  }),
  hang: plain((req, res) => {
    res.once('close', () => state.wait(!res.writableFinished));
    if (req.url!.endsWith('/started')) res.setHeader('Content-Length', 100).write('first');
    state.waiting();
  }),
};

export const config: HostingConfig = {
  public: 'public',
  ignore: ['**/.*'],
  cleanUrls: true,
  trailingSlash: false,
  redirects: [{ source: '/old/**', destination: '/about', type: 302 }],
  rewrites: [
    { source: '/share/**', function: { functionId: 'sharePage', region: 'us-central1' } },
    { source: '/count', function: 'count' },
    { source: '/echo', function: 'echo' },
    { source: '/hang/**', function: 'hang' },
    { source: '/stream', function: 'stream' },
    { source: '/app/**', destination: '/index.html' },
  ],
  headers: [
    { source: '**', headers: [{ key: 'X-Everywhere', value: 'yes' }] },
    { source: '**/*.@(js|css)', headers: [{ key: 'Cache-Control', value: 'max-age=60' }] },
    { source: '/share/**', headers: [{ key: 'X-Rule', value: 'from firebase.json' }] },
  ],
};

export let host: Host;
export let site: Hosting;
export function siteFixture(): void {
  beforeAll(async () => {
    host = await startHost({ project: 'demo-hosting', functions });
    site = await startHosting({ config, root, functionsBaseUrl: host.baseUrl });
  });
  afterAll(async () => {
    await site.close();
    await host.close();
  });
}

export async function get(path: string, init: RequestInit = {}, from: { url: string } = site) {
  const answer = await fetch(from.url + path, { redirect: 'manual', ...init });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
