import { attempt } from '../attempt';
import { dress } from './badge';
import type { Counts, LiveSlide } from './session';

const STYLE = `
section { position: fixed; inset: 0; box-sizing: border-box; display: flex; flex-direction: column; gap: 1em; padding: 1.2em;
  overflow: auto; background: #18181c; color: #fff; font: 400 clamp(16px, 4.4vw, 43px)/1.35 system-ui, sans-serif; }
section[hidden] { display: none }
header, footer { display: flex; gap: .8em; align-items: center; justify-content: space-between }
main { flex: 1; display: flex; flex-direction: column; justify-content: center; gap: .5em; overflow-wrap: anywhere }
h1 { margin: 0; font-size: 1.7em; line-height: 1.2 }
p { margin: 0 } .soft { color: #b9b9c3; font-size: .9em } .alone { padding: .8em; border-radius: .6em; background: #4a2a00 }
.alone:empty { display: none }
section button { justify-content: center; min-height: 2.8em; border-radius: .8em; padding: 0 1em; font: inherit; background: #34343d }
footer button { flex: 1; min-height: 5.5em } footer .next { flex: 2; background: #fff; color: #18181c; font-weight: 700 }
header button { font-variant-numeric: tabular-nums }`;

const keys: Readonly<Record<string, 'next' | 'previous'>> = {
  ArrowRight: 'next',
  ArrowDown: 'next',
  PageDown: 'next',
  ArrowLeft: 'previous',
  ArrowUp: 'previous',
  PageUp: 'previous',
};

interface Handlers {
  command: (name: 'next' | 'previous') => void;
  showDeck: () => void;
}

export interface Remote {
  setShown: (isShown: boolean) => void;
  show: (slide: LiveSlide | null, nextTitle: string | undefined) => void;
  count: (counts: Counts) => void;
  /** No window shows the deck. */
  tellAlone: () => void;
}

const element = (name: string, text = '', className = '') =>
  Object.assign(document.createElement(name), { textContent: text, className, dir: 'auto' });

const clockOf = (seconds: number): string => {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (value: number) => `${value}`.padStart(2, '0');
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(Math.floor(seconds) % 60)}`;
};

/**
 * The remote control of a presenter, over the deck: for a phone, or another window than the one that shows the deck.
 */
export function makeRemote(root: ShadowRoot, { command, showDeck }: Handlers): Remote {
  dress(root, STYLE);
  const section = element('section');
  section.setAttribute('aria-label', 'Remote control');
  section.hidden = true;
  const followers = element('span', 'Live');
  const timer = element('button');
  const place = element('p', '', 'soft');
  const title = element('h1', 'Not started');
  const upcoming = element('p', '', 'soft');
  const alone = element('p', '', 'alone');
  const [previous, next] = [element('button', 'Previous'), element('button', 'Next', 'next')];
  const deck = element('button', 'Show the deck here');
  const status = element('main');
  status.setAttribute('role', 'status');
  alone.setAttribute('role', 'alert');
  const [header, footer] = [element('header'), element('footer')];
  header.append(followers, timer);
  status.append(place, title, upcoming);
  footer.append(previous, next);
  section.append(header, status, alone, footer, deck);
  root.append(section);

  let startedAt = Date.now();
  let isReset = false;
  const tick = () => {
    const text = clockOf(Math.max(Date.now() - startedAt, 0) / 1000);
    timer.textContent = text;
    timer.setAttribute('aria-label', `Time: ${text}. Press to start from zero.`);
  };
  previous.addEventListener('click', () => command('previous'));
  next.addEventListener('click', () => command('next'));
  deck.addEventListener('click', showDeck);
  timer.addEventListener('click', () => {
    [startedAt, isReset] = [Date.now(), true];
    tick();
  });
  const onKey = (event: KeyboardEvent) => {
    const name = keys[event.key];
    if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
    // The deck below must not move by itself.
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.type === 'keydown') command(name);
  };
  let ticking: ReturnType<typeof setInterval> | undefined;
  const setInert = () => attempt(() => (document.body.inert = !section.hidden));
  addEventListener('DOMContentLoaded', setInert, true);

  return {
    setShown: (isShown) => {
      section.hidden = !isShown;
      setInert();
      clearInterval(ticking);
      for (const name of ['keydown', 'keyup'] as const) removeEventListener(name, onKey, true);
      if (!isShown) return;
      for (const name of ['keydown', 'keyup'] as const) addEventListener(name, onKey, true);
      ticking = setInterval(tick, 1000);
      tick();
    },
    show: (slide, nextTitle) => {
      if (!slide) return;
      const { index, count, step, steps } = slide;
      const inSlide = steps ? `, step ${step ?? 0} of ${steps}` : '';
      place.textContent = `Slide ${index + 1}${count === null ? '' : ` of ${count}`}${inSlide}`;
      title.textContent = slide.title ?? `Slide ${index + 1}`;
      const isLast = count !== null && index + 1 >= count;
      upcoming.textContent = isLast ? 'This is the last slide.' : nextTitle ? `Next: ${nextTitle}` : '';
    },
    count: (counts) => {
      followers.textContent = counts.followers === 1 ? 'Live · 1 follows' : `Live · ${counts.followers} follow`;
      if (!isReset) startedAt = Date.parse(counts.startedAt);
      const isAlone = counts.presenters === 0;
      alone.textContent = isAlone ? ALONE : '';
    },
    tellAlone: () => {
      alone.textContent = ALONE;
    },
  };
}

const ALONE =
  'No window shows the deck. Open the link of the presenter on the computer that shows it, or show the deck here.';
