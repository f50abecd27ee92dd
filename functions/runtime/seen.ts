import { attempt } from './attempt';
import { startBeacons, type Receiver } from './beacons';
import { startClock } from './clock';
import { watchSlides } from './slides/watch';

const FIRST_MS = 10_000;
const PAUSE_MS = 5 * 60_000;
const MAX_AGE_MS = 4 * 3600_000;
const MAX_SLIDES = 500;
const MOVE = 'pointermove';
const inputs = ['keydown', 'pointerdown', 'touchstart', 'wheel', MOVE];

/** What the reader saw of a slide: in milliseconds, not in seconds. */
interface Seen {
  key: string;
  title: string;
  index: number;
  time: number;
  visits: number;
}

/**
 * Counts what the reader of this page looks at, for at most 4 hours. Sends it from the time on at which the returned
 * function is called with a receiver. A browser that asks not to be tracked counts nothing, and asks for a live session
 * alone. `join` gets the ticket of one that began after the page was answered.
 */
export function observe(join: (ticket: string) => void): (to: Receiver) => void {
  const { globalPrivacyControl, doNotTrack } = navigator as Navigator & { globalPrivacyControl?: boolean };
  const startedAt = performance.now();
  const { sendChanged, ask } = startBeacons(join);
  const slides = new Map<string, Seen>();
  let current: Seen | undefined;
  let slideCount: number | null = null;
  let shown = '';
  /** Whether the slides are known, and not guessed. */
  let isSettled = false;
  let time = 0;
  let hasInput = false;
  /** Whether nothing is counted. */
  let isOver = globalPrivacyControl || doNotTrack === '1';
  let receiver: Receiver | undefined;
  let sentAt: number | undefined;

  const send = () => {
    // The first beacon makes a person of the reader: not one of a page that is closed at once.
    if (!receiver || isOver || (!hasInput && time < FIRST_MS)) return;
    sentAt = performance.now();
    const load = { seconds: seconds(time), hasInput, slideCount: null, current: null };
    if (!isSettled) return sendChanged(receiver, load, []);
    const seen = [...slides.values()].map(({ time: each, ...slide }) => ({ ...slide, seconds: seconds(each) }));
    sendChanged(receiver, { ...load, slideCount, current: current?.key ?? null }, seen);
  };

  const keep = startClock(
    (passed) => {
      if (isOver) return;
      time += passed;
      if (current) current.time += passed;
    },
    (isLeft) =>
      attempt(() => {
        const now = performance.now();
        const isLast = now - startedAt >= MAX_AGE_MS;
        const isDue = sentAt === undefined ? time >= FIRST_MS : now - sentAt >= PAUSE_MS;
        if (isDue || isLast || isLeft) send();
        isOver ||= isLast;
      }),
  );

  watchSlides({
    show({ key, title, index, count, step }) {
      const place = JSON.stringify([key, step]);
      // Neither a new title nor the first slide that is found is a sign of a reader.
      if (shown && place !== shown) keep();
      shown = place;
      slideCount = count;
      let slide = slides.get(key);
      if (!slide) {
        // The first slide was there before it was found.
        slide = { key, title, index, time: slides.size === 0 ? time : 0, visits: 0 };
        if (slides.size < MAX_SLIDES) slides.set(key, slide);
      }
      if (slide !== current) slide.visits++;
      Object.assign(slide, { title: title || slide.title, index });
      current = slide;
    },
    settle(isOther) {
      // What the server knows stays: its totals must not shrink.
      if (isOther && !isSettled) {
        slides.clear();
        current = undefined;
        shown = '';
      }
      isSettled = true;
    },
  });

  for (const name of inputs) {
    addEventListener(
      name,
      ({ isTrusted }) =>
        attempt(() => {
          if (!isTrusted) return;
          keep();
          if (hasInput || name === MOVE) return;
          hasInput = true;
          if (sentAt === undefined) send();
        }),
      { capture: true, passive: true },
    );
  }

  addEventListener('visibilitychange', () => attempt(() => document.hidden || (receiver && ask(receiver))), true);

  return (to) => {
    receiver = to;
    if (hasInput) attempt(send);
  };
}

const seconds = (milliseconds: number) => Math.round(milliseconds / 1000);
