import type { IncomingMessage, ServerResponse } from 'node:http';
import { stat } from 'node:fs/promises';
import { findEntry } from '../../../client/src/folder/entry';
import { hashFile, type FolderFile, type HashedFile } from '../../../client/src/folder/hash';
import { readFailure } from '../../../client/src/folder/read-file';
import { scanFolder } from '../../../client/src/folder/read-folder';
import { watchFolder } from '../watch-folder';
import { answerDeck, type Site } from './answer-deck';
import { serveSite } from './serve-site';

const CHANGES = '/_deck/changes';
const SCRIPT = '/_deck/reload.js';

/** Reloads the window when the server says another state than at first: after a change, or a new start. */
const script = `(() => {
  if (self !== top) return;
  let first;
  new EventSource('${CHANGES}').onmessage = ({ data }) => {
    first ??= data;
    if (data !== first) location.reload();
  };
})();`;

interface DevOptions {
  folder: string;
  entry: string | undefined;
  /** The entry of the last push, which counts while the file exists. */
  remembered: string | undefined;
  port: number;
  /** Called after each reload of the pages. */
  onReload: () => void;
}

/**
 * Serves the folder as the origin of its deck would, and reloads the pages when its files have changed and rest. The
 * runtime of deck origins is not in the pages: it changes nothing in a window. Resolves with the address, and a promise
 * that rejects when the folder cannot be watched any more.
 */
export async function serveFolder({ port, onReload, ...of }: DevOptions) {
  const startedAt = Date.now();
  let changes = 0;
  const state = () => `data: ${startedAt}-${changes}\n\n`;
  const pages = new Set<ServerResponse>();
  const files = new FolderFiles(of);
  const element = Buffer.from(`<script src="${SCRIPT}"></script>`);
  const stop = new AbortController();
  // A folder that cannot be a deck is refused at the start.
  await files.site();
  const watched = watchFolder(of.folder, { signal: stop.signal, onEvent: () => files.forget() });

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const [path] = (request.url ?? '').split('?');
    if (path === SCRIPT) {
      response.writeHead(200, { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'no-cache' });
      response.end(script);
    } else if (path === CHANGES) {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
      response.write(state());
      pages.add(response);
      response.on('close', () => pages.delete(response));
    } else await answerDeck(request, response, { ...(await files.site()), element });
  };
  const server = await serveSite(port, answer).catch((error: unknown) => {
    stop.abort();
    throw error;
  });
  const ended = (async () => {
    for await (const _ of watched) {
      changes++;
      for (const page of pages) page.write(state());
      onReload();
    }
  })();
  return { origin: server.origin, ended };
}

/** The files of the folder as a push would take them. They are looked up again after `forget`. */
class FolderFiles {
  private found: Promise<Site> | undefined;
  private readonly hashed = new Map<string, { of: string; file: HashedFile }>();

  constructor(private readonly of: Pick<DevOptions, 'folder' | 'entry' | 'remembered'>) {}

  forget(): void {
    this.found = undefined;
  }

  /** Throws the failures of a push, such as for a link that leads out of the folder. */
  async site(): Promise<Site> {
    this.found ??= this.scan();
    return this.found;
  }

  private async scan(): Promise<Site> {
    const { folder, entry, remembered } = this.of;
    const files = new Map((await scanFolder(folder)).map((file) => [file.path, file]));
    const isStillThere = remembered !== undefined && files.has(remembered);
    return {
      entryPath: findEntry([...files.keys()], entry ?? (isStillThere ? remembered : undefined)),
      has: (path) => files.has(path),
      read: async (path) => this.hash(files.get(path)!),
    };
  }

  /** The file with its hash, which is kept as long as its size and its time stay the same. */
  private async hash(file: FolderFile): Promise<HashedFile> {
    const { path, absolutePath } = file;
    const { mtimeMs, size } = await stat(absolutePath).catch((cause: unknown) => {
      throw readFailure(absolutePath, cause);
    });
    const of = `${mtimeMs} ${size} ${absolutePath}`;
    const known = this.hashed.get(path);
    if (known?.of === of) return known.file;
    const hashed = await hashFile({ ...file, sizeBytes: size });
    this.hashed.set(path, { of, file: hashed });
    return hashed;
  }
}
