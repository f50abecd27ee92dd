import { gzipSync } from 'node:zlib';
import type { Request, Route } from 'playwright-core';
import { requestLocally } from '../support/deck-origin';
import { describeInBrowser, soon, until } from './browser';
import type { ProofPage } from './proof-pages';
import type { ProofStage } from './proof-stage';

/** A phone with a slow connection. No test measures a time: this makes the answers come one after the other. */
const slow = { offline: false, latency: 200, downloadThroughput: 100_000, uploadThroughput: 100_000 };

/** Requests and compressed kilobytes until the first contentful paint, and until the page is complete. */
interface Weight {
  blocking: number;
  paint: [requests: number, kilobytes: number];
  load: [requests: number, kilobytes: number];
}

/** The first view of a page loads at most so much compressed script. */
const SCRIPT_KILOBYTES = 80;

/** Upper bounds. A page that grows beyond them needs a reason. */
const limits = {
  /** The page for a new deck reads folders, archives, pictures and PDFs. A deck has the pictures of near slides. */
  dashboard: { blocking: 1, paint: [4, 41], load: [36, 69] },
  /** The reference of all commands is the longest page of the site. */
  static: { blocking: 1, paint: [2, 20], load: [4, 20] },
  /** The guide that has pictures of the dashboard. */
  illustrated: { blocking: 1, paint: [2, 15], load: [6, 64] },
  /** A listing has the pictures of near slides. */
  functions: { blocking: 0, paint: [1, 13], load: [8, 13] },
} satisfies Record<string, Weight>;

function limitOf({ name, isDashboard }: ProofPage): Weight {
  if (isDashboard) return limits.dashboard;
  if (name === '/docs/guides/browser') return limits.illustrated;
  return name === 'home' || name.startsWith('/docs') ? limits.static : limits.functions;
}

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

/** The bytes of scripts on the wire, as the browser counts them. Workers and preloads count, too. */
async function scriptKilobytes(requests: readonly Request[]): Promise<number> {
  const scripts = requests.filter(
    (request) => /\.m?js(\?|$)/.test(request.url()) || request.resourceType() === 'script',
  );
  const sizes = await Promise.all(scripts.map((request) => request.sizes()));
  return Math.ceil(sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0) / 1024);
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
  if (page.isDashboard) await soon(async () => expect(await stage.page.locator('.site-header').isVisible()).toBe(true));
  await code.open();
  if (page.isDashboard) {
    await stage.page.locator('main h1').waitFor();
    if (service.count > 0) await stage.page.locator('main [aria-busy="true"]').first().waitFor();
    await soon(async () => expect(await stage.page.locator('main').innerText()).toMatch(/\S/));
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
  const scripts = await scriptKilobytes(requests);
  expect(scripts).toBeLessThanOrEqual(SCRIPT_KILOBYTES);
  // The first view of a page of the dashboard has scripts: a measure of nothing is within every limit.
  if (page.isDashboard) expect(scripts).toBeGreaterThan(20);
  return {
    blocking: await stage.page.evaluate(blocking),
    paint: [paint.length, await kilobytesOf(paint)],
    load: [requests.length, await kilobytesOf(requests)],
  };
}

/** Weighs each page that its reader has to do nothing for. */
export function proveWeights(stage: ProofStage, pages: readonly ProofPage[]): void {
  const weighed = pages.filter(({ then, expects, as }) => !then && !expects && as !== 'guest');

  describeInBrowser('on a phone with a slow connection', () => {
    test.each(weighed.map((page) => [page.name, page] as const))('%s', async (_, page) => {
      const weight = await weigh(stage, page);
      const { blocking, paint, load } = limitOf(page);
      const isOver = ([requests, kilobytes]: Weight['paint'], limit: Weight['paint']) =>
        requests > limit[0] || kilobytes > limit[1];
      const over = weight.blocking > blocking || isOver(weight.paint, paint) || isOver(weight.load, load);
      expect({ ...weight, isOver: over }).toEqual({ ...weight, isOver: false });
    });
  });
}
