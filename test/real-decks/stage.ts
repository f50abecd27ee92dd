import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Frame } from 'playwright-core';
import { Viewer } from '../browser/browser';

const PATIENCE_MS = 30_000;
const anyFont = join(__dirname, 'node_modules/katex/dist/fonts/KaTeX_Main-Regular.woff2');
const isElsewhere = ({ protocol, hostname }: URL) =>
  /^https?:$/.test(protocol) && !/^127\.0\.0\.1$|(^|\.)localhost$/.test(hostname);

export interface StageOptions {
  /** JavaScript that is true when the deck has drawn a slide. */
  isReady: string;
  /** Whether the deck runs in the first frame of the page. */
  isFramed: boolean;
  /** A phone: the width of its screen, touch, and a layout that follows `<meta name="viewport">`. */
  isPhone?: boolean;
  size?: { width: number; height: number };
}

/** A browser window that shows a deck, in the whole window or in a frame of a page. */
export class Stage {
  private constructor(
    readonly viewer: Viewer,
    private readonly options: StageOptions,
  ) {}

  static async open(browser: Browser, url: string, options: StageOptions): Promise<Stage> {
    const viewer = await Viewer.arrive(browser, {
      viewport: options.size ?? (options.isPhone ? { width: 390, height: 844 } : { width: 1280, height: 720 }),
      isMobile: options.isPhone ?? false,
      hasTouch: options.isPhone ?? false,
      reducedMotion: 'reduce',
    });
    // WebSlides takes a font from another server. That server is the only part that is not real.
    const font = { contentType: 'font/woff2', headers: { 'access-control-allow-origin': '*' } };
    const body = await readFile(anyFont);
    await viewer.context.route(isElsewhere, (route) => route.fulfill({ ...font, body }));
    await viewer.page.goto(url);
    if (options.isFramed) await viewer.page.evaluate(moveToWholePixels);
    return new Stage(viewer, options);
  }

  /** The frame in which the deck runs. A reload replaces it. */
  get frame(): Frame {
    const main = this.viewer.page.mainFrame();
    if (!this.options.isFramed) return main;
    const [child] = main.childFrames();
    if (!child) throw new Error(`${main.url()} has no frame.`);
    return child;
  }

  /** Waits until the deck has drawn a slide, and gives it the keyboard. */
  async ready(): Promise<void> {
    await this.holds(`document.readyState === 'complete' && Boolean(${this.options.isReady})`);
    await this.holds('document.fonts.ready.then(() => true)');
    if (this.options.isFramed) await this.viewer.page.locator('iframe').focus();
    else await this.viewer.page.bringToFront();
    await this.holds('document.hasFocus()');
  }

  /** Waits until an expression is true in the deck. */
  holds(condition: string): Promise<void> {
    return eventually(
      async () => (await this.frame.evaluate<unknown>(condition).catch(() => false)) === true,
      () => `${condition} did not come true in ${this.frame.url()}: ${JSON.stringify(this.viewer.troubles)}`,
    );
  }

  /** Waits until the address of the deck and the one that the window shows end with this text. */
  async arrivesAt(end: string): Promise<void> {
    await this.holds(`location.href.endsWith(${JSON.stringify(end)})`);
    // The page around a deck has a query of its own.
    const outer = this.options.isFramed ? end.replace('?', '&') : end;
    const { page } = this.viewer;
    await eventually(
      async () => page.url().endsWith(outer),
      () => `${page.url()} does not end with ${outer}`,
    );
  }

  async press(key: string): Promise<void> {
    await this.viewer.page.keyboard.press(key);
  }

  async reload(): Promise<void> {
    await this.viewer.page.reload();
  }

  /** The place of the deck in the window, in pixels. */
  async place(): Promise<{ x: number; y: number; width: number; height: number }> {
    const { page } = this.viewer;
    if (!this.options.isFramed) return { x: 0, y: 0, ...page.viewportSize()! };
    const { x, y, width, height } = (await page.locator('iframe').boundingBox())!;
    return { x: Math.round(x), y: Math.round(y), width: Math.floor(width), height: Math.floor(height) };
  }

  async picture(): Promise<Buffer> {
    return this.viewer.page.screenshot({ animations: 'disabled', clip: await this.place() });
  }

  facts(): Promise<Record<string, unknown>> {
    return this.frame.evaluate('window.facts ?? {}');
  }

  /**
   * What the console and the network reported: the first line of each message once, sorted, without folders and hashes.
   */
  troubles(): string[] {
    const lines = this.viewer.troubles
      .map((text) =>
        text
          .split('\n')[0]!
          .replaceAll(/https?:\/\/[^\s'"]*\/(?=[^\s/])/g, '…/')
          .replaceAll(/-[\w-]{8}(?=\.(js|css)\b)/g, '-#'),
      )
      // Screenshots read what the graphics driver has drawn, which the driver reports. The PDF viewer is an extension.
      .filter((text) => !/GPU stall due to ReadPixels|chrome-extension:/.test(text));
    return [...new Set(lines)].sort();
  }

  leave(): Promise<void> {
    return this.viewer.leave();
  }
}

/** Opens each address in a window for `work`. */
export async function onStages<T>(
  browser: Browser,
  urls: readonly string[],
  options: StageOptions,
  work: (stages: Stage[]) => Promise<T>,
): Promise<T> {
  const stages = await Promise.all(urls.map((url) => Stage.open(browser, url, options)));
  try {
    return await work(stages);
  } finally {
    await Promise.all(stages.map((stage) => stage.leave()));
  }
}

/**
 * Runs in the page around a deck. The frame of a listing stands between two pixels, below the fold and with round
 * corners: text would be smoothed differently. Its size stays the same, but for the part of a pixel.
 */
const moveToWholePixels = `{
  const frame = document.querySelector('iframe');
  const { x, y, width, height } = frame.getBoundingClientRect();
  if (![x, y, width, height].every(Number.isInteger)) {
    const size = \`width: \${Math.floor(width)}px; height: \${Math.floor(height)}px\`;
    frame.style.cssText = \`position: fixed; z-index: 1; inset: 0 auto auto 0; \${size}\`;
  }
}`;

/** Looks again until a condition holds. Throws what `explain` says when it does not hold within 30 s. */
export async function eventually(condition: () => Promise<boolean>, explain: () => string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(explain());
    await delay(50);
  }
}
