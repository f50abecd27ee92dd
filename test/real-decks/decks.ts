/**
 * How a deck is opened: the share link of a service with deck origins, the page of its listing there, and the share
 * link of a service without deck origins.
 */
export type Form = 'origin' | 'listing' | 'framed';

/** What a form shows differently from a static server. Every other thing must be the same. */
export interface Difference {
  reason: string;
  /** The deck draws nothing. */
  isBlank?: true;
  /** The deck draws something else; its keys and its facts are not looked at. */
  looksDifferent?: true;
  /** What the console and the network report, as `Stage.troubles` returns it. */
  troubles?: string[];
  /** Values of `window.facts` that differ: after a key, and after a reload. */
  facts?: Record<string, unknown>;
  factsAfterReload?: Record<string, unknown>;
}

export interface RealDeck {
  /** The folder in `.build/real-decks`, and the name in `build.mjs`. */
  name: string;
  /** JavaScript that is true when the deck has drawn a slide. */
  isReady: string;
  /** A single-page app: the static server answers paths without a file with the entry. */
  isSingle?: true;
  /**
   * Also tested on a phone. Its page has `<meta name="viewport">`: without it a frame has another width than a window.
   */
  isOnPhones?: true;
  /** How the address of the second slide ends, for decks that write the slide into the address. */
  second?: string;
  /** Keys that are pressed before the first slide is looked at, such as those that start the show. */
  first?: string[];
  /** What the deck reports under the static server too, as `Stage.troubles` returns it. */
  troubles?: string[];
  differences?: Partial<Record<Form, Difference>>;
}

const slidevTroubles = [
  "error: Failed to patch FloatingVue TypeError: Cannot read properties of undefined (reading 'Popper')",
];

/** A build with the base `/` in the framed form. `files` are those for which the entry asks, without their hashes. */
function absolute(...files: string[]): Difference {
  const kinds: Record<string, string> = { css: 'CSS stylesheet', js: 'script' };
  const refused = files.map(
    (file) =>
      `error: Access to ${kinds[file.split('.').at(-1)!]} at '…/${file}' from origin 'null' has been blocked by CORS ` +
      `policy: No 'Access-Control-Allow-Origin' header is present on the requested resource.`,
  );
  return {
    reason: 'The entry asks for /assets/…, which is outside of the path form. `deck push` warns about it.',
    isBlank: true,
    troubles: [
      ...refused,
      'error: Failed to load resource: net::ERR_FAILED',
      ...files.map((file) => `net::ERR_FAILED: …/${file}`),
    ],
  };
}

const opaque = 'SecurityError';
const refusedStorage = { caches: opaque, cookie: opaque, indexedDB: opaque, locks: opaque };

const noPdf: Difference = {
  reason: 'Chromium shows no embedded PDF in a sandbox, whatever its flags are.',
  looksDifferent: true,
  troubles: [
    "error: Failed to load '…/one.pdf' as a plugin, because the frame into which the plugin is loading is sandboxed.",
    'net::ERR_BLOCKED_BY_CLIENT: …/two.pdf',
  ],
};

const noServiceWorker: Difference = {
  reason: 'A service worker would answer for a link that is revoked. The service answers its script with 403.',
  facts: { serviceWorker: 'TypeError' },
  factsAfterReload: { serviceWorker: 'TypeError' },
  troubles: [
    'error: A bad HTTP response code (403) was received when fetching the script.',
    "uncaught: Failed to register a ServiceWorker for scope ('…/') with script ('…/sw.js'): " +
      'A bad HTTP response code (403) was received when fetching the script.',
  ],
};
const noServiceWorkerAtAll: Difference = {
  reason: 'An opaque origin has no service workers.',
  facts: { serviceWorker: opaque },
  factsAfterReload: { serviceWorker: opaque },
  troubles: [
    "uncaught: Failed to read the 'serviceWorker' property from 'Navigator': " +
      "Service worker is disabled because the context is sandboxed and lacks the 'allow-same-origin' flag.",
  ],
};

export const realDecks: RealDeck[] = [
  {
    name: 'slidev',
    isReady: `document.querySelector('.slidev-page h1')`,
    second: '/2',
    isSingle: true,
    troubles: slidevTroubles,
    differences: { framed: absolute('index-#.css', 'shiki-#.css', 'index-#.js', 'shiki-#.js', 'vue-#.js') },
  },
  {
    // Built with `--base ./` and with the router in the hash.
    name: 'slidev-relative',
    isReady: `document.querySelector('.slidev-page h1')`,
    second: '#/2',
    isOnPhones: true,
    troubles: slidevTroubles,
  },
  {
    name: 'vite-react',
    isReady: `document.querySelector('main h1')`,
    second: '/slides/2',
    isSingle: true,
    differences: { framed: absolute('index-#.css', 'index-#.js') },
  },
  {
    name: 'vite-three',
    isReady: 'window.facts',
    differences: {
      framed: {
        reason:
          'In an opaque origin a picture without `crossorigin` is of another origin, so a canvas with it is not readable.',
        facts: { pictureIsReadable: 'SecurityError' },
        factsAfterReload: { pictureIsReadable: 'SecurityError' },
      },
    },
  },
  { name: 'marp', isReady: `document.querySelector('.bespoke-marp-active')`, second: '#2', isOnPhones: true },
  { name: 'bespoke', isReady: `document.querySelector('.bespoke-active')`, second: '#2' },
  {
    name: 'spectacle',
    isReady: `document.body.innerText.includes(' slide')`,
    second: '?slideIndex=1&stepIndex=0',
  },
  { name: 'reveal', isReady: 'window.Reveal?.isReady()', second: '#/1', isOnPhones: true },
  { name: 'impress', isReady: `document.querySelector('.step.active')`, second: '#/second' },
  { name: 'webslides', isReady: `window.ws && document.querySelector('section.current')`, second: '#slide=2' },
  // The first key chooses the first slide in the list of slides, the second starts the show.
  { name: 'shower', isReady: 'window.shower', second: '#second', first: ['ArrowRight', 'Shift+F5'] },
  { name: 'remark', isReady: `document.querySelector('.remark-visible')`, second: '#2' },
  {
    name: 'storage',
    isReady: 'window.facts',
    differences: {
      framed: {
        reason: 'An opaque origin has no storage. The runtime keeps localStorage and sessionStorage in memory.',
        facts: refusedStorage,
        factsAfterReload: { ...refusedStorage, localStorage: 'none', sessionStorage: 'none' },
      },
    },
  },
  {
    name: 'pdf',
    isReady: 'true',
    differences: { framed: noPdf, listing: noPdf },
  },
  { name: 'film', isReady: 'window.facts' },
  { name: 'print', isReady: 'true' },
  {
    name: 'service-worker',
    isReady: 'window.facts',
    differences: {
      origin: { ...noServiceWorker, troubles: ['403: …/sw.js', ...noServiceWorker.troubles!] },
      listing: noServiceWorker,
      framed: noServiceWorkerAtAll,
    },
  },
];
