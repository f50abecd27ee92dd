import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

type Sirv = (folder: string, options: { single: boolean; dev: boolean }) => RequestListener;

export interface StaticServer {
  /** With a trailing slash. */
  url: string;
  close(): void;
}

/** Serves a folder as a plain static server does. With `single`, paths without a file are answered by index.html. */
export async function serveStatically(folder: string, single: boolean): Promise<StaticServer> {
  // Required here: `npm test` and the checks of types run without the packages of this folder.
  const sirv = createRequire(join(__dirname, 'package.json'))('sirv') as Sirv;
  const server = createServer(sirv(folder, { single, dev: true }));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
