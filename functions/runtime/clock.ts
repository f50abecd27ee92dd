import { attempt } from './attempt';

const TICK_MS = 1000;
/** How long a reader counts as active after an input or a change of the slide. */
const IDLE_MS = 60_000;

/**
 * Counts the milliseconds in which the page is visible and its reader active. Calls `tick` every second while the page
 * is visible, and with `isLeft` when it is left or hidden. Two ticks that are more than 2 seconds apart, such as those
 * around the sleep of a computer, count as one second. Returns what is called when the reader is active.
 */
export function startClock(count: (milliseconds: number) => void, tick: (isLeft: boolean) => void): () => void {
  let last = performance.now();
  let activeUntil = 0;
  let ticking: ReturnType<typeof setInterval> | undefined;

  const advance = () => {
    const now = performance.now();
    const passed = now - last > 2 * TICK_MS ? TICK_MS : now - last;
    if (ticking !== undefined) count(Math.max(Math.min(passed, activeUntil - last), 0));
    last = now;
  };
  const keep = () => {
    advance();
    activeUntil = last + IDLE_MS;
  };
  const show = () => {
    if (document.hidden || ticking !== undefined) return;
    keep();
    ticking = setInterval(
      () =>
        attempt(() => {
          advance();
          tick(false);
        }),
      TICK_MS,
    );
  };
  const hide = () => {
    advance();
    clearInterval(ticking);
    ticking = undefined;
    tick(true);
  };
  addEventListener('visibilitychange', () => attempt(document.hidden ? hide : show), true);
  addEventListener('pagehide', () => attempt(hide), true);
  // The browser kept the page, and the reader came back to it.
  addEventListener('pageshow', () => attempt(show), true);
  show();
  return keep;
}
