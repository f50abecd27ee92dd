import { createInterface } from 'node:readline';
import { each } from '../support/each';
import { openOnOrigin, requestTarget, type OriginAnswer } from '../support/deck-origin';
import { aDeck, computer, type Running } from './testbed';

/** Servers of `deck dev`, compared with the origin of a deck. */

const running: Running[] = [];
/** Ends the servers, and waits until they have ended. */
export async function endServers(signal: NodeJS.Signals): Promise<void> {
  for (const { process } of running) process.kill(signal);
  await Promise.all(running.map(({ ended }) => ended));
}
/** Ends the servers after the tests of a file. */
export const withDevServers = () => afterAll(() => endServers('SIGKILL'));

/** Starts `deck dev` and resolves with its origin. */
export async function dev(folder: string, ...options: string[]): Promise<string> {
  const command = computer.start(['dev', folder, '--port', '0', ...options]);
  running.push(command);
  for await (const line of createInterface({ input: command.process.stdout! })) {
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (address) return address;
  }
  throw new Error((await command.ended).stderr);
}

export const isolation = ['cross-origin-opener-policy', 'cross-origin-embedder-policy'] as const;
/** What an answer says about the deck. The server for development and the origin insert scripts of their own. */
function shown({ status, headers, text }: OriginAnswer) {
  const isOwn = status < 400 || text.includes('own 404');
  if (!isOwn) return { status };
  const names = [
    'location',
    'content-type',
    'content-range',
    'accept-ranges',
    'x-content-type-options',
    ...isolation,
  ] as const;
  const named = names.map((name) => headers[name]);
  const etag = headers.etag?.replace(/-(dev|[\da-f]{16})/, '-with a script');
  return { status, named, etag, body: text.replace(/<script src="\/_deck\/[^"]*"( data-seen)?><\/script>/, '') };
}

const addresses = String.raw`
/ /?a=1&b=%2F /index.html /about /about.html /about/ /docs /docs?x /docs/ /nothing /docs/gr%C3%B6%C3%9Fe
/docs/gro%CC%88%C3%9Fe.html /app.js /module.mjs /style.css /film.mp4 /latin1.html /picture.svg /empty.html
/node_modules/a.js /.hidden /.deck.json /talk /../index.html /docs/../about /docs%2findex.html /% //about
/docs// /a\b /talk/a.png /_open/x /_deck/x /%5fdeck/x /index /docs/index /A.css /a.css`
  .trim()
  .split(/\s+/);

export interface Asked {
  method?: string;
  headers: Record<string, string>;
}

/** Tests that the server answers every address of a deck as the origin of the deck does. */
export async function expectAsOnOrigin(
  files: Record<string, string | Buffer>,
  requests: readonly Asked[],
): Promise<void> {
  const { folder, shareUrl } = await aDeck(files);
  const link = await openOnOrigin(shareUrl);
  const origin = await dev(folder);
  for (const options of each(requests))
    for (const address of each(addresses)) {
      const asked = { ...options, headers: { ...options.headers, cookie: link.cookie } };
      const real = shown(await requestTarget(link.origin, address, asked));
      const local = shown(await requestTarget(origin, address, options));
      expect([options, address, local]).toEqual([options, address, real]);
    }
}
