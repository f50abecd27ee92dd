import { setTimeout as pause } from 'node:timers/promises';
import type { HashedFile } from '../../../client/src/folder/hash';
import { driver } from '../../../functions/runtime/bundle.cjs';
import { answerDeck } from '../site/answer-deck';
import { serveSite } from '../site/serve-site';
import { Browser } from './browser';

/** The files of a deck, and the one with which it opens. */
export interface DeckOnDisk {
  files: readonly HashedFile[];
  entryPath: string;
}

/** How long a page may go on loading after its `load` event. */
const LOADING_MS = 3_000;
/** Frameworks fade their first slide in. */
const SETTLE_MS = 500;
/** Pages look right without the fonts of these hosts. */
const FONT_HOSTS = /^https:\/\/(fonts\.googleapis\.com|fonts\.bunny\.net|use\.typekit\.net)\//;

/** Transitions of slides would be in the pictures, and take time. */
const REDUCED_MOTION = { name: 'prefers-reduced-motion', value: 'reduce' };
/** CSS pixels in an inch of paper. */
const CSS_DPI = 96;

/** The browser ended before it answered. */
export class BrowserNotStarted extends Error {}

/**
 * Opens a deck in a browser of this computer, and lets `work` look at it. The page reaches the files of the deck and no
 * other host. Rejects with `BrowserNotStarted`, when the browser fails, and with the reason of `signal`.
 */
export async function withDeckPage<T>(
  program: string,
  deck: DeckOnDisk,
  signal: AbortSignal,
  work: (page: DeckPage) => Promise<T>,
): Promise<T> {
  const byPath = new Map(deck.files.map((file) => [file.path, file]));
  const site = {
    entryPath: deck.entryPath,
    has: (path: string) => byPath.has(path),
    read: async (path: string) => byPath.get(path)!,
  };
  const server = await serveSite(0, (request, response) => answerDeck(request, response, site));
  let browser: Browser | undefined;
  const isOver = new AbortController();
  try {
    browser = await Browser.start(program, server.origin);
    const worked = DeckPage.open(browser, server.origin).then(work);
    return await Promise.race([worked, rejectAt(AbortSignal.any([signal, isOver.signal]))]);
  } finally {
    isOver.abort();
    await browser?.close();
    await server.close();
  }
}

const rejectAt = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    const give = () => reject(signal.reason as Error);
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });

type Send = (method: string, params?: object) => Promise<Record<string, unknown>>;

/** The page of a deck. */
export class DeckPage {
  private isComplete = true;
  private size = { width: 0, height: 0 };
  private readonly seen = new Set<string>();
  private readonly waiting = new Map<string, () => void>();

  private constructor(
    private readonly origin: string,
    private readonly send: Send,
  ) {}

  static async open(browser: Browser, origin: string): Promise<DeckPage> {
    await browser.send('Browser.getVersion').catch((cause: unknown) => {
      throw new BrowserNotStarted('The browser does not start.', { cause });
    });
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new DeckPage(origin, (method, params = {}) => browser.send(method, params, String(sessionId)));
    browser.onEvent((method, params) => page.take(method, params));
    await browser.send('Browser.setDownloadBehavior', { behavior: 'deny' });
    await Promise.all([page.send('Page.enable'), page.send('Network.enable')]);
    await page.send('Page.setLifecycleEventsEnabled', { enabled: true });
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: driver });
    await page.send('Emulation.setEmulatedMedia', { features: [REDUCED_MOTION] });
    return page;
  }

  /** Whether the page got everything that its look depends on. It does not when it asks other hosts for scripts. */
  get isWhole(): boolean {
    return this.isComplete;
  }

  /** Opens the entry in a window of so many CSS pixels, each of which is `scale` pixels of a picture. */
  async load({ width, height, scale }: { width: number; height: number; scale: number }): Promise<void> {
    this.size = { width, height };
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: false });
    const { loaderId } = await this.send('Page.navigate', { url: `${this.origin}/` });
    await this.reached(String(loaderId), 'load');
    await Promise.race([this.reached(String(loaderId), 'networkIdle'), pause(LOADING_MS, undefined, { ref: false })]);
    await this.evaluate(`document.fonts.ready.then(() => new Promise((done) => setTimeout(done, ${SETTLE_MS})))`);
  }

  /** The value of an expression, or of its promise. Undefined when the page throws. */
  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    return (result as { value?: unknown } | undefined)?.value;
  }

  /** A picture of the window as WebP. */
  async picture(quality = 80): Promise<Buffer> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'webp', quality });
    return Buffer.from(String(data), 'base64');
  }

  /**
   * The page as a PDF: the window as the screen shows it, on one sheet of its size, or all sheets of the styles for
   * paper.
   */
  async print(media: 'screen' | 'print'): Promise<Buffer> {
    await this.send('Emulation.setEmulatedMedia', { media, features: [REDUCED_MOTION] });
    const { width, height } = this.size;
    const paper = { paperWidth: width / CSS_DPI, paperHeight: height / CSS_DPI };
    const margins = { marginTop: 0, marginBottom: 0, marginLeft: 0, marginRight: 0 };
    const sheets = media === 'screen' ? { pageRanges: '1' } : { preferCSSPageSize: true };
    const { data } = await this.send('Page.printToPDF', { ...paper, ...margins, ...sheets, printBackground: true });
    return Buffer.from(String(data), 'base64');
  }

  private take(method: string, params: Record<string, unknown>): void {
    if (method === 'Page.lifecycleEvent') {
      const key = `${String(params['loaderId'])} ${String(params['name'])}`;
      this.seen.add(key);
      this.waiting.get(key)?.();
    }
    // A dialog stops the page until it is answered.
    else if (method === 'Page.javascriptDialogOpening')
      void this.send('Page.handleJavaScriptDialog', { accept: true }).catch(() => undefined);
    else if (method === 'Network.requestWillBeSent') {
      const { type, request } = params as { type?: string; request: { url: string } };
      const isForeign = /^https?:/.test(request.url) && !request.url.startsWith(`${this.origin}/`);
      const isNeeded = type === 'Script' || (type === 'Stylesheet' && !FONT_HOSTS.test(request.url));
      if (isForeign && (isNeeded || type === 'Document')) this.isComplete = false;
    }
  }

  /** Resolves when the document has come so far. */
  private reached(loaderId: string, name: string): Promise<void> {
    return new Promise((resolve) => {
      const key = `${loaderId} ${name}`;
      if (this.seen.has(key)) resolve();
      else this.waiting.set(key, resolve);
    });
  }
}
