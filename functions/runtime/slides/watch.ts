import { attempt } from '../attempt';
import { page } from './page';
import { said } from './said';
import { slideOf, type Adapter, type Slide } from './slide';
import { tools } from './tools';

/** How long after a change the page is read: tools write their classes and addresses in several steps. */
const CHANGE_MS = 50;
/** How long the reader must not have scrolled. */
const SCROLLING_MS = 200;
/**
 * How often the tool is looked for, how many times after the page has loaded, and after how many of them it is read.
 */
const SEARCH_MS = 100;
const SEARCHES = 50;
const SEARCHES_A_GUESS = 5;
/** How often the address is looked at in a browser that does not tell its changes. */
const ADDRESS_MS = 250;

interface Watcher {
  /** The slide that is shown now, whenever it or its step has changed. */
  show: (slide: Slide) => void;
  /** It is known how the page shows its slides. `isOther`: the slides until now were a wrong guess. */
  settle: (isOther: boolean) => void;
}

/**
 * Tells which slide the page shows. A page is read as any page is until it turns out to be a deck of a tool, or until 5
 * seconds after it has loaded. Slides that the deck tells itself replace what was read.
 */
export function watchSlides({ show, settle }: Watcher): void {
  let adapter: Adapter = page;
  let told = '';
  let searches = 0;
  let loadedAt = Infinity;
  let isSaying = false;

  const tell = (slide: Slide) => {
    const now = JSON.stringify(slide);
    if (now === told) return;
    told = now;
    show(slide);
  };
  const know = (isOther: boolean) => {
    told = '';
    settle(isOther);
  };
  const read = () =>
    attempt(() => {
      const reading = isSaying ? undefined : adapter();
      if (reading) tell('slides' in reading ? slideOf(reading) : reading);
    });

  const search = () => {
    const tool = isSaying ? undefined : tools.find((each) => attempt(each));
    searches++;
    if (document.readyState === 'complete') loadedAt = Math.min(loadedAt, searches);
    const isOver = isSaying || tool || searches - loadedAt >= SEARCHES;
    if (isOver) clearInterval(searching);
    if (isSaying) return;
    if (isOver) {
      adapter = tool ?? page;
      know(!!tool);
      watchPage(read, !tool);
    }
    if (isOver || (searches % SEARCHES_A_GUESS === 0 && document.readyState !== 'loading')) read();
  };
  const searching = setInterval(() => attempt(search), SEARCH_MS);

  addEventListener(
    'deck:slide',
    (event) =>
      attempt(() => {
        const slide = said(event);
        if (!slide) return;
        if (!isSaying) know(true);
        isSaying = true;
        tell(slide);
      }),
    true,
  );
}

/**
 * Calls `read` after everything that may have changed the slide. In any page (`isAny`) that is more than in a tool's.
 */
function watchPage(read: () => void, isAny: boolean): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      read();
    }, CHANGE_MS);
  };
  let scrolling: ReturnType<typeof setTimeout> | undefined;
  const later = () => {
    clearTimeout(scrolling);
    scrolling = setTimeout(read, SCROLLING_MS);
  };
  attempt(() =>
    new MutationObserver(soon).observe(document, {
      subtree: true,
      childList: isAny,
      attributeFilter: isAny ? ['class', 'style', 'hidden'] : ['class', 'data-bespoke-marp-fragment'],
    }),
  );
  for (const name of ['hashchange', 'popstate', ...(isAny ? ['transitionend', 'animationend'] : [])])
    addEventListener(name, soon, true);
  for (const name of ['scroll', 'resize']) addEventListener(name, later, { capture: true, passive: true });
  const { navigation } = self as { navigation?: EventTarget & { currentEntry: unknown } };
  // In an opaque origin it has no entries, and tells nothing.
  if (navigation?.currentEntry) return navigation.addEventListener('currententrychange', soon);
  let address = '';
  setInterval(() => {
    if (address !== location.href) soon();
    address = location.href;
  }, ADDRESS_MS);
}
