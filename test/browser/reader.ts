import type { Browser, BrowserContext, Page } from 'playwright-core';
import { linked } from '../../functions/runtime/bundle.cjs';
import { launch } from './browser';

export interface Beacon {
  ticket?: string;
  loadId: string;
  sequence: number;
  seconds: number;
  hasInput: boolean;
  slideCount: number | null;
  current: string | null;
  slides: { key: string; title: string; index: number; seconds: number; visits: number }[];
}

/** What the server knows of a load after its beacons. */
export interface Known extends Omit<Beacon, 'ticket' | 'loadId' | 'slides'> {
  /** Each slide as `[key, title, index, seconds, visits]`, in the order of the deck. */
  slides: [key: string, title: string, index: number, seconds: number, visits: number][];
}

/**
 * Waits for what the browser does without a timer: it reports changes of the document, and delivers messages. React
 * draws in a task of a message.
 */
const TURN = `new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => resolve();
  port2.postMessage(0);
})`;

/** A reader whose browser has a clock that stands still but for `pass`, and whose beacons are caught. */
export class Reader {
  readonly beacons: Beacon[] = [];
  /** The sizes of the beacons in bytes. */
  readonly sizes: number[] = [];
  readonly errors: string[] = [];
  /** How often the page has asked for a live session alone. */
  asked = 0;
  /** Whether the network takes beacons. */
  isOnline = true;

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  static async arrive(browser: Browser): Promise<Reader> {
    const context = await browser.newContext({ viewport: { width: 1000, height: 600 }, reducedMotion: 'reduce' });
    const arrived = new Reader(context, await context.newPage());
    await context.clock.install({ time: 0 });
    await context.clock.pauseAt(1000);
    context.on('weberror', (error) => arrived.errors.push(error.error().message));
    await context.route(/\/(_deck\/(seen|flush)|recordView)$/, async (route) => {
      const body = route.request().postDataBuffer();
      if (!body) return route.fulfill({ status: 204 });
      if (!arrived.isOnline) return route.abort();
      const sent = JSON.parse(body.toString()) as Beacon | { loadId?: undefined };
      if (sent.loadId === undefined) arrived.asked++;
      else {
        arrived.sizes.push(body.length);
        arrived.beacons.push(sent);
      }
      return route.fulfill({ status: 204 });
    });
    return arrived;
  }

  /** Opens a page of a deck with the runtime in front. `path` may have a query and a hash. */
  async open(html: string, { path = '/', element = `<script data-seen>${linked}</script>` } = {}): Promise<void> {
    await this.serve('/', `${element}${html}`);
    await this.page.goto(`http://deck.test${path}`);
  }

  /** Answers a path of the deck with a page or a script. */
  async serve(path: string, body: string): Promise<void> {
    const contentType = path.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8';
    const isAsked = (url: URL) => url.hostname === 'deck.test' && url.pathname === path;
    await this.context.route(isAsked, (route) => route.fulfill({ contentType, body }));
  }

  /** Lets time pass in the browser. */
  async pass(seconds: number): Promise<void> {
    await this.context.clock.runFor(Math.round(seconds * 1000));
    await this.page.evaluate(TURN);
  }

  /** Lets time pass until the page is `seconds` old. */
  async passUntil(seconds: number): Promise<void> {
    await this.pass(seconds - (await this.page.evaluate<number>('performance.now()')) / 1000);
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key);
      // A tool may draw in several steps, each of which waits for the one before.
      for (let step = 0; step < 5; step++) await this.pass(0.02);
    }
  }

  /** Hides the window, or shows it again. */
  async setHidden(isHidden: boolean): Promise<void> {
    await this.page.evaluate(`
      Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`);
    // The beacons that were sent are before this request.
    await this.page.evaluate(`fetch('/_deck/flush').then(() => undefined)`);
  }

  /** Leaves the window, which sends what is not sent yet. */
  async known(): Promise<Known> {
    await this.setHidden(true);
    return knownFrom(this.beacons);
  }

  leave(): Promise<void> {
    return this.context.close();
  }
}

/** The load by the highest sequence, each slide by its maximum. */
export function knownFrom(beacons: Beacon[]): Known {
  const last = beacons.reduce((most, beacon) => (beacon.sequence > most.sequence ? beacon : most));
  const slides = new Map<string, Known['slides'][number]>();
  for (const { key, title, index, seconds, visits } of beacons.flatMap((beacon) => beacon.slides)) {
    const before = slides.get(key);
    slides.set(key, [key, title, index, Math.max(seconds, before?.[3] ?? 0), Math.max(visits, before?.[4] ?? 0)]);
  }
  const { sequence, seconds, hasInput, slideCount, current } = last;
  return { sequence, seconds, hasInput, slideCount, current, slides: [...slides.values()].sort((a, b) => a[2] - b[2]) };
}

/** The reader of the present test, whose page must not report an error. */
export let reader: Reader;

/** Gives each test of the file a reader. */
export function startReaders(): void {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    reader = await Reader.arrive(browser);
  });
  afterEach(async () => {
    expect(reader.errors).toEqual([]);
    await reader.leave();
  });
}
