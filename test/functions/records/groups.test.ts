import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { Groups } from '../../../functions/src/records/groups';

/** How long a test waits for a call, in milliseconds. Calls begin within a few turns of the event loop. */
const PATIENCE_MS = 30_000;

/** A backend whose calls the test answers. An answer is the item in upper case. */
class Backend {
  readonly calls: { items: readonly string[]; answer: () => void; fail: (error: unknown) => void }[] = [];
  readonly groups: Groups<string, string>;

  constructor(
    maxSize = 100,
    sizeOf: (item: string) => number = () => 1,
    patienceMs?: number,
    following?: () => Promise<unknown> | undefined,
  ) {
    const call = (items: readonly string[]) =>
      new Promise<string[]>((resolve, reject) => {
        const answer = () => resolve(items.map((item) => item.toUpperCase()));
        this.calls.push({ items, answer, fail: reject });
      });
    const options = { call, maxSize, sizeOf, splitsAfter: (error: unknown) => error instanceof RangeError };
    this.groups = new Groups({
      ...options,
      ...(patienceMs !== undefined && { patienceMs }),
      ...(following && { following }),
    });
  }

  get items(): readonly (readonly string[])[] {
    return this.calls.map(({ items }) => items);
  }

  /** Resolves when that many calls have begun. Rejects when they do not begin. */
  async until(calls: number): Promise<void> {
    const endsAt = performance.now() + PATIENCE_MS;
    while (this.calls.length < calls) {
      if (performance.now() > endsAt) throw new Error(`Call ${calls} did not begin.`);
      await turn();
    }
  }
}

test('items that come in one turn of the event loop share a call, and each gets its own answer', async () => {
  const backend = new Backend();
  const joined = ['a', 'b', 'c'].map((item) => backend.groups.join(item));
  await backend.until(1);
  expect(backend.items).toEqual([['a', 'b', 'c']]);
  backend.calls[0]!.answer();
  expect(await Promise.all(joined)).toEqual(['A', 'B', 'C']);
});

test('items wait while each turn of the event loop brings further ones', async () => {
  const backend = new Backend(100, () => 1, 60_000);
  for (const item of ['a', 'b']) void backend.groups.join(item);
  await turn();
  void backend.groups.join('c');
  await turn();
  void backend.groups.join('d');
  await backend.until(1);
  expect(backend.items).toEqual([['a', 'b', 'c', 'd']]);
});

test('items do not wait for further ones when their patience is over', async () => {
  const backend = new Backend(100, () => 1, 0);
  for (const item of ['a', 'b']) void backend.groups.join(item);
  await turn();
  expect(backend.items).toEqual([['a', 'b']]);
});

test('one item alone does not wait for further ones', async () => {
  const backend = new Backend();
  void backend.groups.join('a');
  await turn();
  expect(backend.items).toEqual([['a']]);
});

test('an item that comes after the start of a call is not in that call', async () => {
  const backend = new Backend();
  const first = backend.groups.join('a');
  await backend.until(1);
  const later = ['b', 'c'].map((item) => backend.groups.join(item));
  backend.calls[0]!.answer();
  expect(await first).toBe('A');
  await backend.until(2);
  expect(backend.items).toEqual([['a'], ['b', 'c']]);
  backend.calls[1]!.answer();
  expect(await Promise.all(later)).toEqual(['B', 'C']);
});

test('calls that get no answer do not stop the items that follow', async () => {
  const backend = new Backend();
  void backend.groups.join('a');
  await backend.until(1);
  void backend.groups.join('b');
  await backend.until(2);
  const last = backend.groups.join('c');
  await backend.until(3);
  backend.calls[2]!.answer();
  expect(await last).toBe('C');
  const next = backend.groups.join('d');
  await backend.until(4);
  backend.calls[3]!.answer();
  expect(await next).toBe('D');
});

test('a call takes items up to its largest size, and an item above that size alone', async () => {
  const backend = new Backend(4, (item) => item.length);
  const joined = ['aaa', 'b', 'c', 'dddddd', 'e'].map((item) => backend.groups.join(item));
  for (let call = 0; call < 4; call++) {
    await backend.until(call + 1);
    backend.calls[call]!.answer();
  }
  expect(await Promise.all(joined)).toHaveLength(5);
  expect(backend.items).toEqual([['aaa', 'b'], ['c'], ['dddddd'], ['e']]);
});

test('a refused call fails the item alone that is refused alone', async () => {
  const refused = new Set(['b', 'e']);
  const calls: string[] = [];
  const groups = new Groups<string, string>({
    call: (items) => {
      calls.push(items.join(''));
      const bad = items.find((item) => refused.has(item));
      return bad ? Promise.reject(new RangeError(bad)) : Promise.resolve(items);
    },
    maxSize: 100,
    sizeOf: () => 1,
    splitsAfter: (error) => error instanceof RangeError,
  });
  const settled = await Promise.allSettled([...'abcdefgh'].map((item) => groups.join(item)));
  expect(settled.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))).toEqual(
    [...'abcdefgh'].map((item) => (refused.has(item) ? `RangeError: ${item}` : item)),
  );
  expect(calls).toEqual(['abcdefgh', 'abcd', 'efgh', 'ab', 'cd', 'ef', 'gh', 'a', 'b', 'e', 'f']);
});

/**
 * A backend that refuses each call in which items of the keys `refused` are. The key of an item is its first letter.
 */
function refusing(refused: string, call: (context: { endsAt: number }) => Promise<void> = async () => {}) {
  const calls: string[] = [];
  const groups = new Groups<string, string>({
    call: async (items, context) => {
      calls.push(items.join(' '));
      await call(context);
      if (items.some((item) => refused.includes(item[0]!))) throw new RangeError('refused');
      return items;
    },
    maxSize: 100,
    sizeOf: () => 1,
    splitsAfter: (error) => error instanceof RangeError,
    keyOf: (item) => item[0],
  });
  const join = async (items: string[]) =>
    (await Promise.allSettled(items.map((item) => groups.join(item)))).map(({ status }) => status);
  return { calls, join };
}

test('a refused call keeps the items of one key together', async () => {
  const { calls, join } = refusing('a');
  expect(await join(['a1', 'b1', 'a2', 'b2', 'a3'])).toEqual([
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
  ]);
  expect(calls).toEqual(['a1 b1 a2 b2 a3', 'a1 a2 a3', 'b1 b2']);
});

test('a call that is repeated has the time of the first call, and none is repeated after that time', async () => {
  const ends = new Set<number>();
  const { calls, join } = refusing('abcd', async ({ endsAt }) => {
    ends.add(endsAt);
    const isSecondHalf = calls.at(-1) === 'c d';
    while (isSecondHalf && performance.now() < endsAt) await turn();
  });
  process.env['CALL_TIMEOUT_MS'] = '1000';
  try {
    expect(await join(['a', 'b', 'c', 'd'])).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
  } finally {
    delete process.env['CALL_TIMEOUT_MS'];
  }
  expect(ends.size).toBe(1);
  expect(calls).toContain('c d');
  expect(calls).not.toContain('c');
});

/** The largest number of calls at the same time. */
const MAX_CALLS = 20;

test('at most 20 calls run at the same time, and slow calls make larger groups', async () => {
  const backend = new Backend();
  const joined = [];
  for (let call = 1; call <= MAX_CALLS; call++) {
    joined.push(backend.groups.join('slow'));
    await backend.until(call);
  }
  for (const item of ['a', 'b', 'c']) {
    joined.push(backend.groups.join(item));
    // Longer than an item waits beside a call that may run.
    await pause(50);
  }
  expect(backend.calls).toHaveLength(MAX_CALLS);
  backend.calls[7]!.answer();
  await backend.until(MAX_CALLS + 1);
  expect(backend.items.at(-1)).toEqual(['a', 'b', 'c']);
  for (const { answer } of backend.calls) answer();
  expect(await Promise.all(joined)).toHaveLength(MAX_CALLS + 3);
});

test('repeated calls are at most 20 at the same time too', async () => {
  let [running, most] = [0, 0];
  const { calls, join } = refusing('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', async () => {
    most = Math.max(most, ++running);
    for (let i = 0; i < 5; i++) await turn();
    running--;
  });
  expect(new Set(await join([...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ']))).toEqual(
    new Set(['rejected']),
  );
  expect([most, calls.length]).toEqual([MAX_CALLS, 2 * 52 - 1]);
});

test('items that do not fit into one call start calls side by side', async () => {
  const backend = new Backend(2);
  const joined = [...'abcde'].map((item) => backend.groups.join(item));
  await backend.until(3);
  expect(backend.items).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  for (const { answer } of backend.calls) answer();
  expect(await Promise.all(joined)).toEqual([...'ABCDE']);
});

test('a call whose effect is not known is not repeated, and fails all its items', async () => {
  const backend = new Backend();
  const joined = ['a', 'b'].map((item) => backend.groups.join(item));
  await backend.until(1);
  backend.calls[0]!.fail(new Error('lost'));
  expect(await Promise.allSettled(joined)).toMatchObject([
    { status: 'rejected', reason: { message: 'lost' } },
    { status: 'rejected', reason: { message: 'lost' } },
  ]);
  const next = backend.groups.join('c');
  await backend.until(2);
  expect(backend.items).toEqual([['a', 'b'], ['c']]);
  backend.calls[1]!.answer();
  expect(await next).toBe('C');
});

describe('groups that follow others', () => {
  const follow = (others: Backend, patienceMs: number) =>
    new Backend(
      100,
      () => 1,
      patienceMs,
      () => others.groups.last,
    );

  test('take the items that come with the answer of the others', async () => {
    const reads = new Backend();
    const views = follow(reads, 60_000);
    const reading = reads.groups.join('read');
    const first = views.groups.join('a');
    const second = reading.then(() => views.groups.join('b'));
    await reads.until(1);
    for (let i = 0; i < 5; i++) await turn();
    expect(views.items).toEqual([]);
    reads.calls[0]!.answer();
    await views.until(1);
    expect(views.items).toEqual([['a', 'b']]);
    views.calls[0]!.answer();
    expect(await Promise.all([first, second])).toEqual(['A', 'B']);
  });

  test('take them after a failure of the others too', async () => {
    const reads = new Backend();
    const views = follow(reads, 60_000);
    const reading = reads.groups.join('read');
    void views.groups.join('a');
    await reads.until(1);
    reads.calls[0]!.fail(new Error('no answer'));
    await expect(reading).rejects.toThrow('no answer');
    await views.until(1);
    expect(views.items).toEqual([['a']]);
  });

  test('do not wait for others that began later', async () => {
    const reads = new Backend();
    const views = follow(reads, 60_000);
    void reads.groups.join('first');
    void views.groups.join('a');
    await reads.until(1);
    await turn();
    void reads.groups.join('second');
    reads.calls[0]!.answer();
    await views.until(1);
    expect(views.items).toEqual([['a']]);
  });

  test('do not wait longer than their patience', async () => {
    const reads = new Backend();
    const views = follow(reads, 1);
    void reads.groups.join('read');
    void views.groups.join('a');
    await views.until(1);
    expect(views.items).toEqual([['a']]);
  });

  test('do not wait without others', async () => {
    const views = follow(new Backend(), 60_000);
    void views.groups.join('a');
    await turn();
    expect(views.items).toEqual([['a']]);
  });
});
