/** Everything that jest could fake but the date: timers, sockets and the engines go on by the real clock. */
const everythingElse = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'requestAnimationFrame',
  'cancelAnimationFrame',
  'requestIdleCallback',
  'cancelIdleCallback',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

/** Moves the date that the functions see; the next test has the real one again. */
export function passSeconds(seconds: number): void {
  jest.useFakeTimers({ now: Date.now() + seconds * 1000, doNotFake: [...everythingElse] });
}

afterEach(() => jest.useRealTimers());
