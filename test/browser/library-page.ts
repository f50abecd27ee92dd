import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const project = resolve(__dirname, '../..');

const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Library</title>
<main id="target" style="height:100vh"></main><script type="module" src="/page.js"></script></html>`;

/** The page's own code: it keeps what was dropped, and starts workers through a policy of trusted types. */
const page = `
import * as library from './index.browser';
const policy = window.trustedTypes.createPolicy('workers', { createScriptURL: (url) => url });
const makeWorker = () => new Worker(policy.createScriptURL('/worker.js'), { type: 'module' });
Object.assign(window, { library, makeWorker });
const target = document.getElementById('target');
target.ondragover = (event) => event.preventDefault();
target.ondrop = (event) => {
  event.preventDefault();
  window.dropped = library.readDropped(event.dataTransfer);
};
window.isReady = true;
`;

/**
 * A page of another origin than the service's, with the library and a strict policy: no inline script, no text that
 * becomes a script, and no request but those to the service and the bucket.
 */
export class LibraryPage {
  private constructor(
    private readonly server: Server,
    private readonly folder: string,
  ) {}

  static async start(reachable: readonly string[]): Promise<LibraryPage> {
    const folder = await mkdtemp(join(tmpdir(), 'library-page-'));
    const options = { bundle: true, platform: 'browser', format: 'esm', logLevel: 'error' } as const;
    await Promise.all([
      build({
        ...options,
        stdin: { contents: page, resolveDir: join(project, 'client/src'), loader: 'ts' },
        outfile: join(folder, 'page.js'),
      }),
      build({
        ...options,
        entryPoints: [join(project, 'client/src/browser/hash-worker.ts')],
        outfile: join(folder, 'worker.js'),
      }),
    ]);
    const policy = [
      ...["default-src 'none'", "script-src 'self'", "worker-src 'self'", "style-src-attr 'unsafe-inline'"],
      ...[`connect-src ${reachable.join(' ')}`, "require-trusted-types-for 'script'", 'trusted-types workers'],
    ].join('; ');
    const server = createServer((request, response) => {
      const file = /^\/(page|worker)\.js$/.exec(request.url ?? '')?.[0];
      response.setHeader('Content-Security-Policy', policy);
      response.setHeader('Content-Type', file ? 'text/javascript' : 'text/html');
      if (request.url === '/favicon.ico') response.writeHead(204).end();
      else if (file) void readFile(join(folder, file)).then((bytes) => response.end(bytes));
      else response.end(html);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LibraryPage(server, folder);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await rm(this.folder, { recursive: true, force: true });
  }
}
