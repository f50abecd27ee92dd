import { setTimeout as pause } from 'node:timers/promises';
import type { HashedFile } from '../../../client/src/folder/hash';
import { answerDeck } from '../site/answer-deck';
import { serveSite } from '../site/serve-site';
import { Browser } from './browser';

interface Deck {
  files: readonly HashedFile[];
  entryPath: string;
}

const SIZE = { width: 1200, height: 630 };
/** A drawing that takes longer is given up. */
const PATIENCE_MS = 15_000;
/** How long a page may go on loading after its `load` event. */
const LOADING_MS = 3_000;
/** Frameworks fade their first slide in. */
const SETTLE_MS = 500;
/** Pages look right without the fonts of these hosts. */
const FONT_HOSTS = /^https:\/\/(fonts\.googleapis\.com|fonts\.bunny\.net|use\.typekit\.net)\//;

/** The browser ended before it answered. */
export class BrowserNotStarted extends Error {}

/**
 * The first slide of the deck as WebP, 1200 × 630. The page reaches the files of the deck and no other host. Undefined
 * when the page asks other hosts for scripts or style sheets: without them it is not what viewers see. Rejects with
 * `BrowserNotStarted`, and when the browser fails or takes longer than 15 seconds. `signal` ends it early.
 */
export async function drawFirstSlide(program: string, deck: Deck, signal: AbortSignal): Promise<Buffer | undefined> {
  const byPath = new Map(deck.files.map((file) => [file.path, file]));
  const site = {
    entryPath: deck.entryPath,
    has: (path: string) => byPath.has(path),
    read: async (path: string) => byPath.get(path)!,
  };
  const server = await serveSite(0, (request, response) => answerDeck(request, response, site));
  let browser: Browser | undefined;
  const late = new AbortController();
  try {
    browser = await Browser.start(program, server.origin);
    const drawn = draw(browser, server.origin);
    const patience = AbortSignal.any([signal, late.signal]);
    const isLate = pause(PATIENCE_MS, undefined, { signal: patience }).then(() => {
      throw new Error('The browser takes too long.');
    });
    return await Promise.race([drawn, isLate]);
  } finally {
    late.abort();
    await browser?.close();
    await server.close();
  }
}

async function draw(browser: Browser, origin: string): Promise<Buffer | undefined> {
  await browser.send('Browser.getVersion').catch((cause: unknown) => {
    throw new BrowserNotStarted('The browser does not start.', { cause });
  });
  const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
  const send = (method: string, params: object = {}) => browser.send(method, params, String(sessionId));
  const page = watchPage(browser, send, origin);
  await browser.send('Browser.setDownloadBehavior', { behavior: 'deny' });
  await send('Emulation.setDeviceMetricsOverride', { ...SIZE, deviceScaleFactor: 1, mobile: false });
  await Promise.all([send('Page.enable'), send('Network.enable')]);
  await send('Page.setLifecycleEventsEnabled', { enabled: true });
  const { loaderId } = await send('Page.navigate', { url: `${origin}/` });
  await page.reached(String(loaderId), 'load');
  await Promise.race([page.reached(String(loaderId), 'networkIdle'), pause(LOADING_MS, undefined, { ref: false })]);
  const settled = `document.fonts.ready.then(() => new Promise((done) => setTimeout(done, ${SETTLE_MS})))`;
  await send('Runtime.evaluate', { expression: settled, awaitPromise: true });
  const { data } = await send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  return page.isWhole() && typeof data === 'string' ? Buffer.from(data, 'base64') : undefined;
}

/** Follows the events of the page. */
function watchPage(browser: Browser, send: (method: string, params?: object) => Promise<unknown>, origin: string) {
  const seen = new Set<string>();
  const waiting = new Map<string, () => void>();
  let isWhole = true;
  browser.onEvent((method, params) => {
    if (method === 'Page.lifecycleEvent') {
      const key = `${String(params['loaderId'])} ${String(params['name'])}`;
      seen.add(key);
      waiting.get(key)?.();
    }
    // A dialog stops the page until it is answered.
    else if (method === 'Page.javascriptDialogOpening')
      void send('Page.handleJavaScriptDialog', { accept: true }).catch(() => undefined);
    else if (method === 'Network.requestWillBeSent') {
      const { type, request } = params as { type?: string; request: { url: string } };
      const isForeign = /^https?:/.test(request.url) && !request.url.startsWith(`${origin}/`);
      const isNeeded = type === 'Script' || (type === 'Stylesheet' && !FONT_HOSTS.test(request.url));
      if (isForeign && (isNeeded || type === 'Document')) isWhole = false;
    }
  });
  return {
    /** Whether the page got everything that its look depends on. */
    isWhole: () => isWhole,
    /** Resolves when the document has come so far. */
    reached: (loaderId: string, name: string) =>
      new Promise<void>((resolve) => {
        const key = `${loaderId} ${name}`;
        if (seen.has(key)) resolve();
        else waiting.set(key, resolve);
      }),
  };
}
