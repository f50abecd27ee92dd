import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import send from 'send';
import { globMatcher, type HostingConfig } from './config';

type Found = { file: string } | { redirect: string };

/** Finds the file for a path in the public folder, or the canonical address to redirect to. */
export type PageFinder = (path: string) => Promise<Found | undefined>;

/**
 * Finds pages as Firebase Hosting does: index.html, clean URLs, canonical trailing slashes. Ignored files are not
 * found.
 */
export function pageFinder(folder: string, { ignore = [], cleanUrls, trailingSlash }: HostingConfig): PageFinder {
  const ignored = ignore.map(globMatcher);
  const exists = async (file: string) =>
    !ignored.some((matches) => matches(file)) &&
    ((await stat(join(folder, file)).catch(() => undefined))?.isFile() ?? false);

  return async (path) => {
    // File names cannot contain NUL. `..` could leave the folder.
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
    // Relative links in a folder's index need the trailing slash. The configuration can override it.
    const wantsSlash = trailingSlash ?? (isFolder || hasSlash);
    if (bare !== '/' && wantsSlash !== hasSlash) return { redirect: wantsSlash ? `${bare}/` : bare };
    return { file: page };
  };
}

/**
 * Sends a file below `folder` with ETag, conditional answers and ranges. Settles when it is sent or the client has
 * disconnected.
 */
export async function sendPage(req: IncomingMessage, res: ServerResponse, folder: string, file: string): Promise<void> {
  // The client may have disconnected before: `close` is not emitted again.
  if (res.destroyed) return;
  await new Promise<void>((resolve) => {
    res.once('close', resolve);
    send(req, encodeURI(file).replace(/[?#]/g, encodeURIComponent), { root: folder, dotfiles: 'allow', index: false })
      .on('error', ({ status = 500 }: { status?: number }) => void res.writeHead(status).end())
      .pipe(res);
  });
}

/** Sends a file as an error page. Ignores the request's conditions and range. */
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
