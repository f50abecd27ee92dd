import { words } from './words';

/** Everything that jest can fake except the date: timers, sockets and the engines use the real clock. */
const everythingElse = words(`hrtime nextTick performance queueMicrotask requestAnimationFrame cancelAnimationFrame
  requestIdleCallback cancelIdleCallback setImmediate clearImmediate setInterval clearInterval setTimeout clearTimeout`);

/** Moves the date that the functions see, until the end of the test. */
export function passSeconds(seconds: number): void {
  jest.useFakeTimers({ now: Date.now() + seconds * 1000, doNotFake: everythingElse as FakeableAPI[] });
}

afterEach(() => jest.useRealTimers());
