/** Everything that jest can fake except the date: timers, sockets and the engines use the real clock. */
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

/** Moves the date that the functions see, until the end of the test. */
export function passSeconds(seconds: number): void {
  jest.useFakeTimers({ now: Date.now() + seconds * 1000, doNotFake: [...everythingElse] });
}

afterEach(() => jest.useRealTimers());
