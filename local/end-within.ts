import { setTimeout as pause } from 'node:timers/promises';

/** Waits until the work has ended. What has not ended in this time is cut off, and then waited for. */
export async function endWithin(ms: number, work: Iterable<Promise<void>>, cutOff: AbortController): Promise<void> {
  const waiting = new AbortController();
  const ended = Promise.all(work).finally(() => waiting.abort());
  await Promise.race([ended, pause(ms, undefined, { signal: waiting.signal }).catch(() => {})]);
  cutOff.abort();
  await ended;
}
