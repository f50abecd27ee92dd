import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import send from 'send';
import { globMatcher, type HostingConfig } from './config';

type Found = { file: string } | { redirect: string };

/** What the public folder has for a path: a file below it, or the address under which its page is meant to be asked for. */
export type PageFinder = (path: string) => Promise<Found | undefined>;

/** Finds pages as Firebase Hosting does: index.html, clean URLs, one form of trailing slash; ignored files do not exist. */
export function pageFinder(folder: string, { ignore = [], cleanUrls, trailingSlash }: HostingConfig): PageFinder {
  const ignored = ignore.map(globMatcher);
  const exists = async (file: string) =>
    !ignored.some((matches) => matches(file)) &&
    ((await stat(join(folder, file)).catch(() => undefined))?.isFile() ?? false);

  return async (path) => {
    // No file has such a name, and a path that climbs never leaves the folder.
    if (path.includes('\0') || path.split(/[/\\]/).includes('..')) return undefined;
    const bare = `/${path.replace(/^\/+|\/+$/g, '')}`;
    const hasSlash = path !== '/' && path.endsWith('/');

    if (!hasSlash && (await exists(bare))) {
      if (!cleanUrls || !bare.endsWith('.html')) return { file: bare };
      const clean = bare.replace(/(\/index)?\.html$/, '') || '/';
      return { redirect: trailingSlash && clean !== '/' ? `${clean}/` : clean };
    }
    const index = join(bare, 'index.html');
    const isFolder = await exists(index);
    const page = isFolder
      ? index
      : cleanUrls && bare !== '/' && (await exists(`${bare}.html`))
        ? `${bare}.html`
        : undefined;
    if (!page) return undefined;
    // Relative links of a folder's index need its slash, unless the configuration decides otherwise.
    const wantsSlash = trailingSlash ?? (isFolder || hasSlash);
    if (bare !== '/' && wantsSlash !== hasSlash) return { redirect: wantsSlash ? `${bare}/` : bare };
    return { file: page };
  };
}

/** Sends a file below `folder` with ETag, conditional answers and ranges; settles when it is sent or the client is gone. */
export async function sendPage(req: IncomingMessage, res: ServerResponse, folder: string, file: string): Promise<void> {
  await new Promise<void>((resolve) => {
    res.once('close', resolve);
    send(req, encodeURI(file).replace(/[?#]/g, encodeURIComponent), { root: folder, dotfiles: 'allow', index: false })
      .on('error', ({ status = 500 }: { status?: number }) => void res.writeHead(status).end())
      .pipe(res);
  });
}

/** Sends a file as the page of an error: whole, whatever the request's conditions are. */
export async function sendErrorPage(
  req: IncomingMessage,
  res: ServerResponse,
  folder: string,
  status: number,
  file: string,
) {
  for (const condition of ['if-none-match', 'if-modified-since', 'range']) delete req.headers[condition];
  res.statusCode = status;
  await sendPage(req, res, folder, file);
}
