// Shows one page of a deck at a time, and hears keys, touches and the address. It does not know how pages are drawn.
import { printPages } from './print';
import { sizeOf } from './size';

/** How the pages of the deck are drawn into their sections. */
export interface Pages {
  /** Resolves when the page is drawn so sharp, in device pixels for each unit of its size. */
  draw: (section: HTMLElement, scale: number) => Promise<void>;
  /** Makes the picture of a page for the printer. */
  printed: (section: HTMLElement) => Promise<HTMLImageElement>;
  /** The address of the file that has the page. */
  file: (section: HTMLElement) => string;
}

/** The controls hide so long after the last move of the pointer. */
const QUIET_MS = 2_500;
/** A page that is not drawn after that is shown empty. */
const PATIENCE_MS = 150;
/** A finger that moved less has tapped. */
const SWIPE_PIXELS = 40;
const RESIZE_MS = 150;
/** A picture is drawn again for a reader who looks closer, up to this. */
const MAX_ZOOM = 3;
/** A movement of a wheel or of two fingers turns one page. */
const WHEEL_MS = 800;
const ROLLING_MS = 120;
const WHEEL_PIXELS = 30;

const find = <E extends HTMLElement = HTMLElement>(selector: string) => document.querySelector<E>(selector)!;
const root = document.documentElement;
export const stage = find('.pdf-pages');
export const sections = [...stage.querySelectorAll<HTMLElement>('section')];
const controls = find('.controls');
const contents = find('.contents');
const status = find('.told');
const number = find<HTMLInputElement>('.number');
let pages: Pages;
let current = 0;
let zoom = 1;

/** The page that the address names, from 0. The first one for any other address. */
function named(): number {
  const found = /^#(?:.*\D)?(\d+)$/.exec(location.hash)?.[1];
  return Math.min(Math.max(Number(found ?? 1) - 1, 0), sections.length - 1);
}

/** Shows a page. A reader who turns pages goes back to where the reader came from, not through all of them. */
function turn(to: number): void {
  const index = Math.min(Math.max(to, 0), sections.length - 1);
  if (index === current) return;
  try {
    history.replaceState(history.state, '', `#${index + 1}`);
  } catch {
    // Browsers refuse too many changes in a short time.
  }
  show(index);
}

function show(index: number): void {
  current = index;
  const section = sections[index]!;
  number.value = `${index + 1}`;
  find<HTMLButtonElement>('.previous').disabled = index === 0;
  find<HTMLButtonElement>('.next').disabled = index === sections.length - 1;
  for (const link of contents.querySelectorAll('a')) link.removeAttribute('aria-current');
  const links = [...contents.querySelectorAll<HTMLAnchorElement>('a')];
  links.findLast((link) => Number(link.hash.slice(1)) <= index + 1)?.setAttribute('aria-current', 'page');
  fit(section);
  const isCurrent = () => sections[current] === section;
  const reveal = () => {
    if (!isCurrent()) return;
    for (const each of sections) if (each !== section) each.setAttribute('hidden', 'until-found');
    section.removeAttribute('hidden');
  };
  const late = setTimeout(reveal, PATIENCE_MS);
  pages.draw(section, sharpness(section)).then(
    () => finish(),
    (error: unknown) => {
      if ((error as Error).name === 'RenderingCancelledException') return;
      if (!section.querySelector('.problem')) section.append(problem(section));
      finish();
    },
  );
  function finish(): void {
    clearTimeout(late);
    if (!isCurrent()) return;
    reveal();
    fit(section);
    for (const each of sections) each.classList.toggle('shown', each === section);
    // A notice with a button, such as a failure or the print, stays.
    if (!status.querySelector('button')) tell(`Page ${index + 1} of ${sections.length}${titleOf(section)}`);
    // The page that comes next is drawn before it is asked for.
    const next = sections[index + 1];
    if (next) void pages.draw(next, sharpness(fit(next))).catch(() => undefined);
  }
}

const titleOf = (section: HTMLElement) => {
  const title = section.querySelector('h2')?.textContent;
  return title ? `: ${title}` : '';
};

/** Gives the section of a page its size in the window. */
function fit(section: HTMLElement): HTMLElement {
  const { width, height } = sizeOf(section);
  const scale = scaleOf(section);
  section.style.setProperty('--width', `${width * scale}px`);
  section.style.setProperty('--height', `${height * scale}px`);
  section.style.setProperty('--total-scale-factor', `${scale}`);
  return section;
}

/** CSS pixels in a point. */
function scaleOf(section: HTMLElement): number {
  const { width, height } = sizeOf(section);
  return Math.min(stage.clientWidth / width, stage.clientHeight / height);
}
const sharpness = (section: HTMLElement) => scaleOf(section) * devicePixelRatio * zoom;

function problem(section: HTMLElement): HTMLElement {
  const notice = document.createElement('p');
  notice.className = 'problem';
  const link = Object.assign(document.createElement('a'), { href: pages.file(section), textContent: 'Open its file' });
  notice.append('This page cannot be shown. ', link);
  return notice;
}

/** Tells readers of the screen what is shown, or everybody what the page does. */
export function tell(text: string, isSeen = false): HTMLElement {
  status.textContent = text;
  status.classList.toggle('is-seen', isSeen);
  return status;
}

let quiet: ReturnType<typeof setTimeout> | undefined;
function wake(): void {
  root.classList.remove('is-quiet');
  clearTimeout(quiet);
  quiet = setTimeout(() => root.classList.add('is-quiet'), QUIET_MS);
}

function showContents(isShown = contents.hidden): void {
  contents.hidden = !isShown;
  find('.show-contents').setAttribute('aria-expanded', `${isShown}`);
  if (!isShown) return;
  const link = contents.querySelector<HTMLElement>('[aria-current]') ?? contents.querySelector<HTMLElement>('a');
  link?.scrollIntoView({ block: 'center' });
  link?.focus();
}

function fullScreen(): void {
  const changed = document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen();
  changed.catch(() => undefined);
}

let printing: AbortController | undefined;
function printAll(): void {
  if (printing) return;
  printing = new AbortController();
  const { signal } = printing;
  const onPage = (at: number) => {
    const shown = tell(`Page ${at} of ${sections.length} for the printer`, true);
    const cancel = Object.assign(document.createElement('button'), { textContent: 'Cancel' });
    cancel.addEventListener('click', () => printing?.abort());
    shown.append(cancel);
  };
  printPages({ printed: pages.printed, sections, onPage, signal })
    .then(
      () => tell(''),
      () => tell('The pages cannot be printed.', true),
    )
    .finally(() => (printing = undefined));
}

const keys: Record<string, () => void> = {
  ArrowRight: () => turn(current + 1),
  ArrowDown: () => turn(current + 1),
  PageDown: () => turn(current + 1),
  Enter: () => turn(current + 1),
  ' ': () => turn(current + 1),
  n: () => turn(current + 1),
  ArrowLeft: () => turn(current - 1),
  ArrowUp: () => turn(current - 1),
  PageUp: () => turn(current - 1),
  Backspace: () => turn(current - 1),
  p: () => turn(current - 1),
  Home: () => turn(0),
  End: () => turn(sections.length - 1),
  f: fullScreen,
  c: () => showContents(),
};

addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (event.defaultPrevented) return;
  if ((ctrlKey || metaKey) && key.toLowerCase() === 'p' && !altKey && !shiftKey) {
    event.preventDefault();
    return printAll();
  }
  if (ctrlKey || metaKey || altKey) return;
  if (key === 'Escape') {
    printing?.abort();
    return showContents(false);
  }
  const on = target as HTMLElement;
  if (on === number || (contents.contains(on) && !key.startsWith('Page'))) return;
  if (on.closest('a, button') && (key === 'Enter' || key === ' ')) return;
  const act = key === ' ' && shiftKey ? keys['PageUp'] : keys[key.length === 1 ? key.toLowerCase() : key];
  if (!act) return;
  event.preventDefault();
  act();
});

find('.previous').addEventListener('click', () => turn(current - 1));
find('.next').addEventListener('click', () => turn(current + 1));
find('.print').addEventListener('click', printAll);
find('.full-screen').addEventListener('click', fullScreen);
find('.show-contents').addEventListener('click', () => showContents());
number.addEventListener('focus', () => number.select());
number.addEventListener('change', () => {
  const wanted = Number.parseInt(number.value, 10);
  if (wanted >= 1 && wanted <= sections.length) location.hash = `#${wanted}`;
  number.value = `${named() + 1}`;
});
number.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter' || key === 'Escape') number.blur();
});
contents.addEventListener('click', ({ target }) => {
  if ((target as HTMLElement).closest('a') && matchMedia('(max-width: 900px)').matches) showContents(false);
});

for (const name of ['pointermove', 'pointerdown', 'keydown', 'focusin'])
  addEventListener(name, wake, { passive: true });
addEventListener('hashchange', () => {
  if (named() !== current) show(named());
});
// The browser has found the text of a page that is not shown.
stage.addEventListener('beforematch', ({ target }) =>
  turn(sections.indexOf((target as HTMLElement).closest('section')!)),
);

stage.addEventListener('click', () => showContents(false));

let touch: { x: number; y: number; isQuiet: boolean } | undefined;
stage.addEventListener(
  'touchstart',
  ({ touches }) => {
    const [first] = touches;
    const isQuiet = root.classList.contains('is-quiet');
    touch = first && touches.length === 1 ? { x: first.clientX, y: first.clientY, isQuiet } : undefined;
  },
  { passive: true, capture: true },
);
stage.addEventListener(
  'touchend',
  ({ changedTouches: [last] }) => {
    const began = touch;
    touch = undefined;
    const isCloser = (visualViewport?.scale ?? 1) > 1.05;
    if (!began || !last || isCloser || getSelection()?.isCollapsed === false) return;
    const [x, y] = [last.clientX - began.x, last.clientY - began.y];
    if (Math.abs(x) > SWIPE_PIXELS && Math.abs(x) > 1.5 * Math.abs(y)) turn(current + (x < 0 ? 1 : -1));
    else if (Math.hypot(x, y) < 10 && !began.isQuiet) root.classList.add('is-quiet');
  },
  { passive: true },
);

let [turnedAt, wheeledAt] = [-Infinity, -Infinity];
stage.addEventListener(
  'wheel',
  ({ deltaY, deltaX, ctrlKey, timeStamp }) => {
    const delta = Math.abs(deltaY) > Math.abs(deltaX) ? deltaY : deltaX;
    // What fingers have pushed rolls on without them.
    const isRolling = timeStamp - wheeledAt < ROLLING_MS && timeStamp - turnedAt < WHEEL_MS;
    wheeledAt = timeStamp;
    if (ctrlKey || Math.abs(delta) < WHEEL_PIXELS || isRolling) return;
    turnedAt = timeStamp;
    turn(current + Math.sign(delta));
  },
  { passive: true },
);

let resizing: ReturnType<typeof setTimeout> | undefined;
function resize(): void {
  fit(sections[current]!);
  clearTimeout(resizing);
  resizing = setTimeout(() => {
    zoom = Math.min(Math.max(visualViewport?.scale ?? 1, 1), MAX_ZOOM);
    show(current);
  }, RESIZE_MS);
}
addEventListener('resize', resize);
visualViewport?.addEventListener('resize', resize);

/** Shows the page that the address names, and then those that the reader asks for. */
export function start(given: Pages): void {
  pages = given;
  if (!document.fullscreenEnabled) find('.full-screen').hidden = true;
  controls.hidden = false;
  // A mouse shows the controls when it moves; a finger finds them at the beginning.
  if (matchMedia('(pointer: coarse)').matches) wake();
  else root.classList.add('is-quiet');
  show(named());
}
