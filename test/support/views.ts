import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import type { viewRow } from '../../functions/src/contract/view-fields';
import type { Beacon } from '../../functions/src/policy/view-totals';
import { navigation, openOnOrigin, requestLocally, type OpenedLink, type OriginAnswer } from './deck-origin';
import { succeed, world, type Account, type Deck } from './world';

export type Row = z.output<typeof viewRow>;

/** What the browsers of readers send. */
export const browser = {
  'user-agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  'accept-language': 'en-GB,en;q=0.8',
};

export const newLoadId = () => randomBytes(16).toString('base64url');

/** A slide in a beacon. */
export const slide = (key: string, index: number, seconds: number, visits = 1) => ({
  key,
  title: key.toUpperCase(),
  index,
  seconds,
  visits,
});

/** A load of a page in the browser of a reader. Each beacon is the next one of the load. */
export class PageLoad {
  readonly loadId = newLoadId();
  sequence = 0;

  constructor(private readonly send: (beacon: object) => Promise<OriginAnswer>) {}

  beacon(changes: Partial<Beacon> = {}): Beacon {
    const { loadId } = this;
    const base = { seconds: 12, hasInput: true, slideCount: null, current: null, slides: [] };
    return { loadId, sequence: ++this.sequence, ...base, ...changes };
  }

  async tell(changes: Partial<Beacon> = {}): Promise<void> {
    expect((await this.send(this.beacon(changes))).status).toBe(204);
  }
}

/** A reader who has opened a link on the origin of its deck. */
export interface Reader extends OpenedLink {
  /** A new load of the deck, whose entry is requested. */
  load: () => Promise<PageLoad>;
  /** Sends a beacon. Without a `sec-fetch-site` of its own it is that of a page of the origin. */
  seen: (body: unknown, headers?: Record<string, string | undefined>) => Promise<OriginAnswer>;
}

export async function aReader(
  { shareUrl }: Pick<Deck, 'shareUrl'>,
  headers: Record<string, string> = {},
): Promise<Reader> {
  const { cookie: _, ...always } = headers;
  return readerOf(await openOnOrigin(shareUrl, { ...browser, ...headers }), always);
}

/** Opens a link, loads its deck once, and tells what was seen. */
export async function readOnce(link: Pick<Deck, 'shareUrl'>, seen: Partial<Beacon> = {}): Promise<void> {
  await (await (await aReader(link)).load()).tell(seen);
}

export function readerOf(opened: OpenedLink, headers: Record<string, string> = {}): Reader {
  const seen: Reader['seen'] = (body, more = {}) =>
    opened.get('/_deck/seen', {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { ...browser, 'sec-fetch-site': 'same-origin', ...headers, ...more },
    });
  const load = async () => {
    const { status } = await opened.get('/', { headers: { ...navigation, ...browser, ...headers } });
    expect(status).toBe(200);
    return new PageLoad((beacon) => seen(beacon));
  };
  return { ...opened, seen, load };
}

/** The views of a deck, newest first. */
export async function viewsOf(
  { key }: Pick<Account, 'key'>,
  { presentationId }: Pick<Deck, 'presentationId'>,
  query: Record<string, string> = {},
): Promise<Row[]> {
  const options = { key, path: `/${presentationId}`, query };
  return (await succeed(world.call<{ views: Row[] }>('listPresentationViews', undefined, options))).views;
}

/** The ticket of a share page with the deck in a frame, and what sends beacons with it. */
export async function aFramedReader(shareUrl: string, headers: Record<string, string> = {}) {
  const { text } = await requestLocally(shareUrl, { headers: { ...navigation, ...browser, ...headers } });
  const [, url, ticket] = /<main data-seen="([^"]*)" data-ticket="([^"]*)"/.exec(text) ?? [];
  const seen = (body: object, more: Record<string, string | undefined> = {}) =>
    requestLocally(url!, {
      method: 'POST',
      body: JSON.stringify({ ticket, ...body }),
      headers: { ...browser, 'sec-fetch-site': 'cross-site', origin: 'null', ...headers, ...more },
    });
  return { text, ticket, seen, load: () => new PageLoad((beacon) => seen(beacon)) };
}
