import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Frame,
  type Page,
  type Request,
} from 'playwright-core';

const SHELL = 'chromium-headless-shell';
const given = process.env['CHROMIUM_PATH'] || undefined;
/** Chromium as people have it, if there is one. Its windows take the focus from each other. */
export const windowedPath =
  find('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable') ??
  (given?.endsWith(SHELL) ? undefined : given);
/** Chromium without windows, which uses less of the processor. Otherwise the one with windows. */
export const executablePath = given ?? find(SHELL) ?? windowedPath;

/** A suite that needs Chromium. Without Chromium the suite is skipped, with a warning. */
export const describeInBrowser: jest.Describe = executablePath ? describe : describe.skip;
if (!executablePath)
  console.warn('Skipped: no Chromium was found. Set CHROMIUM_PATH, or run `npm test`, which installs one.');

/**
 * How long a test waits for something that a page does. It is the limit of a page that hangs, not of a slow machine.
 */
const PATIENCE_MS = 100_000;

/** `more` are further options of Chromium's command line. */
export async function launch(more: string[] = [], program = executablePath): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: program,
    // The browser sends requests for the pages under test only.
    args: [
      ...more,
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
    ],
  });
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}

function find(...names: string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/**
 * Waits until an expression is true in a page or frame, and returns its value. Rejects after `PATIENCE_MS`. The test
 * polls from outside of the page: a new window replaces its document, and an observer inside the old document would not
 * see the new one.
 */
export async function until(page: Page | Frame, condition: string): Promise<unknown> {
  const deadline = performance.now() + PATIENCE_MS;
  let seen: unknown;
  while (performance.now() < deadline) {
    seen = await Promise.race([
      page.evaluate(condition).catch((error: unknown) => ({ error: String(error) })),
      delay(2000, { error: 'no answer' }, { ref: false }),
    ]);
    if (seen && !(typeof seen === 'object' && 'error' in seen)) return seen;
    await delay(20);
  }
  throw new Error(`${condition} did not come true in ${page.url()}: ${JSON.stringify(seen)}`);
}

/**
 * Looks again until what it expects of a page holds. Throws the last failure after `PATIENCE_MS`. A page shows what it
 * loaded some time after it was clicked: a test that looks once fails on a slow machine.
 */
export async function soon(look: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await delay(20);
  }
}

const reportViolations = `
addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
  console.error('Against the policy:', effectiveDirective, blockedURI);
});
`;

/** A viewer with a new browser context, without stored data. Problems in any of its frames are recorded. */
export class Viewer {
  /** Console errors and warnings, uncaught errors, refused policies, failed requests and answers of 400 and above. */
  readonly troubles: string[] = [];
  readonly answers: { status: number; url: string; contentRange: string | undefined }[] = [];
  private readonly running = new Set<Request>();

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  static async arrive(browser: Browser, options: BrowserContextOptions = {}): Promise<Viewer> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    await context.addInitScript({ content: reportViolations });
    const viewer = new Viewer(context, await context.newPage());
    viewer.watch();
    return viewer;
  }

  leave(): Promise<void> {
    return this.context.close();
  }

  /** Waits until no request runs. A browser cancels the requests of a page that it leaves. */
  quiet(): Promise<void> {
    return soon(() => Promise.resolve(expect([...this.running].map((request) => request.url())).toEqual([])));
  }

  /** Waits until the open page of the dashboard has loaded its code and its rows, and no call runs. */
  async settle(): Promise<void> {
    await this.page.locator('main[aria-busy="false"] h1').first().waitFor();
    await until(this.page, '!document.querySelector("[aria-busy=true]")');
    await this.quiet();
  }

  /**
   * Opens an address and answers the frame in which the deck runs, once its document is parsed. The frame is that of
   * the page itself or that of the share page.
   */
  async open(url: string): Promise<Frame> {
    // A window that a test has just closed may still be the active one.
    await this.page.bringToFront();
    const opened = this.page.waitForEvent('framenavigated', (frame) => frame.url().includes('/getSharedPresentation/'));
    await this.page.goto(url, { waitUntil: 'commit' });
    const frame = await opened;
    await frame.waitForLoadState('domcontentloaded');
    return frame;
  }

  /**
   * Opens an address as `open` does and answers the frame once it has the keyboard focus. The deck may still be
   * loading.
   */
  async openForKeys(url: string): Promise<Frame> {
    const frame = await this.open(url);
    await until(frame, 'document.hasFocus()');
    return frame;
  }

  /** Closes all windows except the first one. */
  async closeWindows(): Promise<void> {
    await Promise.all(
      this.context
        .pages()
        .slice(1)
        .map((page) => page.close()),
    );
  }

  private watch(): void {
    this.context.on('console', (message) => {
      // The Chromium of some systems has no Web Bluetooth, and says that it does not know how to forbid it.
      if (message.text().includes("Unrecognized feature: 'bluetooth'")) return;
      if (['error', 'warning'].includes(message.type())) this.troubles.push(`${message.type()}: ${message.text()}`);
    });
    this.context.on('weberror', (error) => this.troubles.push(`uncaught: ${error.error().message}`));
    this.context.on('response', (response) => {
      this.answers.push({
        status: response.status(),
        url: response.url(),
        contentRange: response.headers()['content-range'],
      });
      if (response.status() >= 400) this.troubles.push(`${response.status()}: ${response.url()}`);
    });
    this.context.on('request', (request) => this.running.add(request));
    this.context.on('requestfinished', (request) => this.running.delete(request));
    this.context.on('requestfailed', (request) => {
      this.running.delete(request);
      const reason = request.failure()?.errorText ?? 'failed';
      if (reason === 'net::ERR_ABORTED' && (isCancelable(request) || this.isLeft(frameOf(request)))) return;
      this.troubles.push(`${reason}: ${request.url()}`);
    });
  }

  /** Whether the browser leaves the page of a frame, or of one around it. It cancels the requests of that page. */
  private isLeft(frame: Frame | undefined): boolean {
    if (!frame || frame.isDetached() || frame.page().isClosed()) return true;
    const isReplaced = [...this.running].some((each) => each.isNavigationRequest() && frameOf(each) === frame);
    const around = frame.parentFrame();
    return isReplaced || (around !== null && this.isLeft(around));
  }
}

/** The frame of a request. Undefined for the first one of a window that Playwright does not know yet. */
function frameOf(request: Request): Frame | undefined {
  try {
    return request.frame();
  } catch {
    return undefined;
  }
}

/** Whether a player or a script may have cancelled the request, because it does not need the answer any longer. */
const isCancelable = (request: Request) => ['media', 'fetch', 'xhr', 'eventsource'].includes(request.resourceType());
