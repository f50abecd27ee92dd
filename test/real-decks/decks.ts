/**
 * How a deck is opened: the share link of a service with deck origins, the page of its listing there, and the share link
 * of a service without deck origins.
 */
export type Form = 'origin' | 'listing' | 'framed';

/** What a form shows differently from a static server. Every other thing must be the same. */
export interface Difference {
  reason: string;
  /** The deck draws nothing. */
  isBlank?: true;
  /** The pictures differ. */
  looksDifferent?: true;
  /** After a reload the deck shows its first slide. */
  startsAgain?: true;
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

export const realDecks: RealDeck[] = [
  {
    name: 'slidev',
    isReady: `document.querySelector('.slidev-page h1')`,
    second: '/2',
    isSingle: true,
    troubles: slidevTroubles,
    differences: {
      framed: {
        reason: 'The build asks for /assets/…, which is outside of the path form. `deck push` warns about it.',
        isBlank: true,
      },
    },
  },
  {
    name: 'slidev-relative',
    isReady: `document.querySelector('.slidev-page h1')`,
    second: '/2',
    isSingle: true,
    troubles: slidevTroubles,
  },
  {
    name: 'vite-react',
    isReady: `document.querySelector('main h1')`,
    second: '/slides/2',
    isSingle: true,
    differences: {
      framed: {
        reason: 'The build asks for /assets/…, which is outside of the path form. `deck push` warns about it.',
        isBlank: true,
      },
    },
  },
  { name: 'vite-three', isReady: 'window.facts' },
  { name: 'marp', isReady: `document.querySelector('.bespoke-marp-active')`, second: '#2' },
  { name: 'spectacle', isReady: `document.body.innerText.includes(' slide')`, second: '?slideIndex=1&stepIndex=0' },
  { name: 'reveal', isReady: 'window.Reveal?.isReady()', second: '#/1' },
  { name: 'impress', isReady: `document.querySelector('.step.active')`, second: '#/second' },
  { name: 'webslides', isReady: `window.ws && document.querySelector('section.current')`, second: '#slide=2' },
  // The first key chooses the first slide in the list of slides, the second starts the show.
  { name: 'shower', isReady: 'window.shower', second: '#second', first: ['ArrowRight', 'Shift+F5'] },
  { name: 'remark', isReady: `document.querySelector('.remark-visible')`, second: '#2' },
  { name: 'storage', isReady: 'window.facts' },
  { name: 'pdf', isReady: 'true' },
  { name: 'film', isReady: 'window.facts' },
  { name: 'print', isReady: 'true' },
];
