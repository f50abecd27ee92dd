import { DeckService } from '../../client/src/service/service';
import type { Outgoing, Transport } from '../../client/src/service/transport';

/** The time limits of calls, on a clock that the test moves. */

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
afterEach(() => void jest.useRealTimers());

/** A server that accepts connections and never answers: what the transport of Node does then. */
class Silent implements Transport {
  requests = 0;

  constructor(private readonly idleMilliseconds: number) {}

  async exchange({ signal, onSent }: Outgoing): Promise<never> {
    const number = ++this.requests;
    onSent?.(number);
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('Aborted')));
      setTimeout(() => reject(Object.assign(new Error('Timed out'), { code: 'ETIMEDOUT' })), this.idleMilliseconds);
    });
  }

  close(): void {}
}

function aService(transport: Silent, readRetriesMs?: number) {
  const told: boolean[] = [];
  const service = new DeckService({
    baseUrl: 'https://decks.example.com',
    transport,
    readRetriesMs,
    onSilence: (isSilent) => told.push(isSilent),
  });
  return { service, told };
}

/** How a call ends, and after how many milliseconds. */
async function endOf(call: Promise<unknown>) {
  const startedAt = Date.now();
  let ended: { code: string; after: number } | undefined;
  call.catch(({ code }: { code: string }) => (ended = { code, after: Date.now() - startedAt }));
  for (let second = 0; second < 2000 && !ended; second++) await jest.advanceTimersByTimeAsync(1000);
  return ended;
}

test.each([120_000, 7_000])('a call that only reads ends after 30 s in all, with attempts of %i ms', async (idle) => {
  const { service } = aService(new Silent(idle));
  const end = await endOf(service.get('getServiceInfo'));
  expect(end?.code).toBe('unreachable');
  expect(end?.after).toBeLessThanOrEqual(30_000);
});

test('a call that only reads and fails at once ends in the time that the caller gives it', async () => {
  const transport = new Silent(10);
  const end = await endOf(aService(transport, 2_500).service.get('getServiceInfo'));
  expect([end?.code, transport.requests > 2]).toEqual(['unreachable', true]);
  expect(end?.after).toBeLessThanOrEqual(3_000);
});

test('a call that changes something ends when nothing of it arrived for 2 minutes', async () => {
  const transport = new Silent(120_000);
  const { service } = aService(transport);
  const input = { presentationId: '018f0000-0000-7000-8000-000000000000', title: 'x' };
  expect(await endOf(service.post('renamePresentation', input))).toEqual({ code: 'unreachable', after: 120_000 });
  expect(transport.requests).toBe(1);
});

test('the caller is told after 3 s without an answer, and at the end', async () => {
  const { service, told } = aService(new Silent(120_000));
  const ended = service.get('getServiceInfo').catch(() => undefined);
  await jest.advanceTimersByTimeAsync(2_999);
  expect(told).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(told).toEqual([true]);
  await jest.advanceTimersByTimeAsync(27_000);
  await ended;
  expect(told).toEqual([true, false]);
});

test('a call that its caller ended rejects with the reason of the caller', async () => {
  const { service } = aService(new Silent(120_000));
  const stop = new AbortController();
  const call = service.get('getServiceInfo', {}, { signal: stop.signal });
  stop.abort(new Error('Enough'));
  await expect(call).rejects.toThrow('Aborted');
});
