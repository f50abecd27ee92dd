import { gzipSync } from 'node:zlib';
import type { Request, Route } from 'playwright-core';
import { requestLocally } from '../support/deck-origin';
import { describeInBrowser, until } from './browser';
import type { ProofPage } from './proof-pages';
import { ProofStage } from './proof-visit';

/** A phone with a slow connection. No test measures a time: this makes the answers come one after the other. */
const slow = { offline: false, latency: 200, downloadThroughput: 100_000, uploadThroughput: 100_000 };

/** Requests and compressed kilobytes until the first contentful paint, and until the page is complete. */
interface Weight {
  blocking: number;
  paint: [requests: number, kilobytes: number];
  load: [requests: number, kilobytes: number];
}

/** Somewhat above what was measured: a page that grows by more needs a reason, and a new row here. */
const limits: Record<string, Weight> = {
  'sign in, for nobody': { blocking: 1, paint: [7, 38], load: [15, 43] },
  'sign in after the end of a session, for nobody': { blocking: 1, paint: [7, 38], load: [15, 43] },
  'sign up, for nobody': { blocking: 1, paint: [7, 38], load: [15, 43] },
  'a missing page, for nobody': { blocking: 1, paint: [7, 38], load: [10, 39] },
  'decks, for newcomer': { blocking: 1, paint: [7, 38], load: [24, 46] },
  '/new, for newcomer': { blocking: 1, paint: [7, 38], load: [20, 62] },
  '/keys, for newcomer': { blocking: 1, paint: [7, 38], load: [22, 46] },
  '/usage, for newcomer': { blocking: 1, paint: [7, 38], load: [17, 43] },
  '/settings, for newcomer': { blocking: 1, paint: [7, 38], load: [19, 46] },
  'remix, for newcomer': { blocking: 1, paint: [7, 38], load: [24, 46] },
  'decks, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [24, 47] },
  '?q=nothing, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [24, 47] },
  '/new, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [20, 62] },
  '/keys, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [22, 47] },
  '/usage, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [17, 43] },
  '/settings, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [19, 46] },
  'a deck, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [29, 51] },
  'a deck/versions, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [24, 52] },
  'a deck/links, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [27, 52] },
  'a deck/mails, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [28, 54] },
  'a deck/people, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [28, 52] },
  'a deck/marketplace, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [36, 88] },
  'a deck/settings, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [24, 51] },
  'an expired deck, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [29, 51] },
  'links of a deck without one, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [27, 51] },
  'mails of a deck without one, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [28, 53] },
  'people of a deck without one, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [28, 52] },
  'a deck that is not listed, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [36, 88] },
  'remix, for somebody with hostile texts': { blocking: 1, paint: [7, 38], load: [24, 46] },
  home: { blocking: 1, paint: [2, 10], load: [4, 10] },
  '/docs': { blocking: 1, paint: [2, 10], load: [4, 10] },
  '/docs/guides/browser': { blocking: 1, paint: [2, 10], load: [4, 10] },
  '/docs/guides/first-deck': { blocking: 1, paint: [2, 10], load: [4, 10] },
  '/docs/guides/ci': { blocking: 1, paint: [2, 10], load: [4, 10] },
  '/docs/commands': { blocking: 1, paint: [2, 15], load: [4, 15] },
  '/docs/api': { blocking: 1, paint: [2, 12], load: [4, 12] },
  '/docs/api/commitPresentationVersion': { blocking: 1, paint: [2, 12], load: [4, 12] },
  '/docs/errors': { blocking: 1, paint: [2, 11], load: [4, 12] },
  'a kind in an order': { blocking: 0, paint: [1, 11], load: [3, 11] },
  'a category': { blocking: 0, paint: [1, 11], load: [3, 11] },
  'a tag': { blocking: 0, paint: [1, 11], load: [3, 11] },
  'an author': { blocking: 0, paint: [1, 11], load: [3, 11] },
  'a listing': { blocking: 0, paint: [1, 13], load: [4, 13] },
  'the choices of a mail': { blocking: 0, paint: [1, 5], load: [3, 5] },
  'the marketplace': { blocking: 0, paint: [1, 12], load: [4, 13] },
  'a search': { blocking: 0, paint: [1, 12], load: [4, 13] },
  'a search that finds nothing': { blocking: 0, paint: [1, 12], load: [4, 13] },
  'a listing with little': { blocking: 0, paint: [1, 12], load: [4, 13] },
};

/** Holds requests back until the test lets them go. */
class Gate {
  private held: Route[] = [];
  private isOpen = false;
  get count(): number {
    return this.held.length;
  }
  async pass(route: Route): Promise<void> {
    if (this.isOpen) return route.continue();
    this.held.push(route);
  }
  async open(): Promise<void> {
    this.isOpen = true;
    for (const route of this.held.splice(0)) await route.continue();
  }
}

/** What the head of a document names: a browser asks for it before it has run a script. */
async function namedIn(url: string): Promise<string[]> {
  const [head] = (await requestLocally(url)).text.split('<body');
  const tags = head!.match(/<(script|link rel="?(stylesheet|modulepreload))[^>]*>/g) ?? [];
  return tags.flatMap((tag) => /(?:src|href)="([^"]+)"/.exec(tag)?.[1] ?? []).map((path) => new URL(path, url).href);
}

/** Compressed as Hosting sends them. Answers of the service have ids of other lengths in each run: a few bytes. */
async function kilobytesOf(requests: Iterable<Request>): Promise<number> {
  let bytes = 0;
  for (const request of requests) {
    // A redirect has no body. The routes of a test do not see the request that follows.
    const response = await (request.redirectedTo() ?? request).response();
    bytes += gzipSync(await response!.body()).length;
  }
  return Math.ceil(bytes / 1024);
}

/** A browser may paint a document of the functions while the links of its header arrive. */
const PIECE_BY_PIECE = 0.02;

/** The shifts of a page, when they are more than a page may have. */
const shifted = (shifts: string[], { isDashboard }: ProofPage) =>
  shifts.reduce((sum, each) => sum + parseFloat(each), 0) > (isDashboard ? 0 : PIECE_BY_PIECE) ? shifts : [];

async function weigh(stage: ProofStage, page: ProofPage): Promise<Weight> {
  await stage.arrive({ viewport: { width: 390, height: 844 } });
  const url = await stage.prepare(page);
  const named = new Set(await namedIn(url));
  const [code, service] = [new Gate(), new Gate()];
  const requests: Request[] = [];
  await stage.page.route('**/*', (route) => {
    const request = route.request();
    // The deck in the frame of a listing is its author's.
    if (request.frame() !== stage.page.mainFrame()) return route.continue();
    requests.push(request);
    if (request.isNavigationRequest() || named.has(request.url())) return route.continue();
    return (request.url().startsWith(stage.world.cloud.baseUrl) ? service : code).pass(route);
  });
  const network = await stage.viewer.context.newCDPSession(stage.page);
  await network.send('Network.emulateNetworkConditions', slow);
  await stage.page.goto(url, { waitUntil: 'commit' });
  await until(stage.page, `performance.getEntriesByName('first-contentful-paint').length > 0`);
  const isOfPaint = (request: Request) => request.isNavigationRequest() || named.has(request.url());
  const paint = requests.filter(isOfPaint);
  if (page.isDashboard) expect(await stage.page.locator('.site-header').isVisible()).toBe(true);
  await code.open();
  if (page.isDashboard) {
    await stage.page.locator('main h1').waitFor();
    if (service.count > 0) await stage.page.locator('main [aria-busy="true"]').first().waitFor();
    expect(await stage.page.locator('main').innerText()).toMatch(/\S/);
  }
  await service.open();
  if (page.isDashboard) await stage.settle();
  await stage.page.waitForLoadState('networkidle');
  const blocking = `performance.getEntriesByType('resource').filter((each) => each.renderBlockingStatus === 'blocking').length`;
  expect({ shifts: shifted(await stage.ask('shifts()'), page), over: await stage.ask('overflowing()') }).toEqual({
    shifts: [],
    over: [],
  });
  expect(stage.troubles).toEqual([]);
  return {
    blocking: await stage.page.evaluate(blocking),
    paint: [paint.length, await kilobytesOf(paint)],
    load: [requests.length, await kilobytesOf(requests)],
  };
}

/** Weighs each page that its reader has to do nothing for. */
export function proveWeights(pages: readonly ProofPage[]): void {
  const stage = new ProofStage();
  const weighed = pages.filter(({ then, expects, as }) => !then && !expects && as !== 'guest');

  describeInBrowser('on a phone with a slow connection', () => {
    test.each(weighed.map((page) => [page.name, page] as const))('%s', async (name, page) => {
      const weight = await weigh(stage, page);
      expect(limits).toHaveProperty([name]);
      const { blocking, paint, load } = limits[name]!;
      const isOver = ([requests, kilobytes]: Weight['paint'], limit: Weight['paint']) =>
        requests > limit[0] || kilobytes > limit[1];
      const over = weight.blocking > blocking || isOver(weight.paint, paint) || isOver(weight.load, load);
      expect({ ...weight, isOver: over }).toEqual({ ...weight, isOver: false });
    });
  });
}
