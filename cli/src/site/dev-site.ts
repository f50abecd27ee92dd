import type { IncomingMessage, ServerResponse } from 'node:http';
import { stat } from 'node:fs/promises';
import { isFailure } from '../../../client/src/failure';
import { findEntry } from '../../../client/src/folder/entry';
import { hashFile, type FolderFile, type HashedFile } from '../../../client/src/folder/hash';
import { readFailure } from '../../../client/src/folder/read-file';
import type { OpenSource } from '../../../client/src/push/disk-source';
import { openSource } from '../../../client/src/push/open-source';
import { stateOf, watchSource } from '../watch-source';
import { answerDeck, refuse, type Site } from './answer-deck';
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
  /** The folder, or an HTML file, a zip archive, a PDF or a picture. */
  path: string;
  entry: string | undefined;
  /** The entry of the last push, which counts while the file exists. */
  remembered: string | undefined;
  port: number;
  /** Called after each reload of the pages. */
  onReload: () => void;
}

/**
 * Serves a deck as its origin would, and reloads the pages when its files have changed and rest. The
 * runtime of deck origins is not in the pages: it changes nothing in a window. Resolves with the address, and a promise
 * that rejects when the files cannot be watched any more.
 */
export async function serveSource({ port, onReload, ...of }: DevOptions) {
  const startedAt = Date.now();
  let changes = 0;
  const state = () => `data: ${startedAt}-${changes}\n\n`;
  const pages = new Set<ServerResponse>();
  const files = new SourceFiles(of);
  const element = Buffer.from(`<script src="${SCRIPT}"></script>`);
  const stop = new AbortController();
  // What cannot be a deck is refused at the start.
  await files.site();
  // A file that is being written stays as it was until it is whole.
  const isFile = (await stat(of.path)).isFile();
  const watched = watchSource(of.path, { signal: stop.signal, ...(!isFile && { onEvent: () => files.forget() }) });

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
    } else {
      const site = await files.site().catch((error: unknown) => {
        // The page reloads when the files are mended.
        if (!isFailure(error)) throw error;
        refuse(request, response, 500, error.message.replaceAll('&', '&amp;').replaceAll('<', '&lt;'), { element });
      });
      if (site) await answerDeck(request, response, { ...site, element });
    }
  };
  const server = await serveSite(port, answer).catch(async (error: unknown) => {
    stop.abort();
    await files.close();
    throw error;
  });
  const ended = (async () => {
    for await (const _ of watched) {
      files.forget();
      changes++;
      for (const page of pages) page.write(state());
      onReload();
    }
  })();
  return { origin: server.origin, ended };
}

/** The files as a push would take them. They are looked up again after `forget`. */
class SourceFiles {
  private found: Promise<Site> | undefined;
  private opened: { state: string; source: OpenSource; site: Site } | undefined;
  private readonly hashed = new Map<string, { of: string; file: HashedFile }>();

  constructor(private readonly of: Pick<DevOptions, 'path' | 'entry' | 'remembered'>) {}

  forget(): void {
    this.found = undefined;
  }

  /** Throws the failures of a push, such as for a link that leads out of the folder. */
  async site(): Promise<Site> {
    this.found ??= this.look();
    return this.found;
  }

  async close(): Promise<void> {
    await this.opened?.source.close();
  }

  private async look(): Promise<Site> {
    const { path } = this.of;
    const state = await stateOf(path);
    // A PDF is not read again for nothing.
    if (this.opened?.state === state) return this.opened.site;
    const source = await openSource(path);
    const site = await this.siteOf(source).catch(async (error: unknown) => {
      await source.close();
      throw error;
    });
    const before = this.opened?.source;
    this.opened = { state, source, site };
    await before?.close();
    return site;
  }

  private async siteOf(source: OpenSource): Promise<Site> {
    const { entry, remembered } = this.of;
    const files = new Map((await source.find()).map((file) => [file.path, file]));
    const isStillThere = remembered !== undefined && files.has(remembered);
    return {
      entryPath: findEntry([...files.keys()], entry ?? (isStillThere ? remembered : undefined)),
      has: (path: string) => files.has(path),
      read: async (path: string) => this.hash(files.get(path)!),
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
