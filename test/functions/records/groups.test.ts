import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { Groups } from '../../../functions/src/records/groups';

/** How long a test waits for a call, in milliseconds. Calls begin within a few turns of the event loop. */
const PATIENCE_MS = 30_000;
/** The largest number of calls at the same time. */
const MAX_CALLS = 20;

type Options = Partial<ConstructorParameters<typeof Groups<string, string>>[0]>;
const splitsAfter = (error: unknown) => error instanceof RangeError;

/** A backend whose calls the test answers. An answer is the item in upper case. */
class Backend {
  readonly calls: { items: readonly string[]; answer: () => void; fail: (error: unknown) => void }[] = [];
  readonly groups: Groups<string, string>;

  constructor(options: Options = {}) {
    const call = (items: readonly string[]) =>
      new Promise<string[]>((resolve, reject) => {
        const answer = () => resolve(items.map((item) => item.toUpperCase()));
        this.calls.push({ items, answer, fail: reject });
      });
    this.groups = new Groups({ call, maxSize: 100, sizeOf: () => 1, splitsAfter, ...options });
  }

  join = (...items: string[]) => items.map((item) => this.groups.join(item));

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

  /** Answers a call when it has begun. */
  async answer(call: number): Promise<void> {
    await this.until(call + 1);
    this.calls[call]!.answer();
  }
}

test('items wait while each turn of the event loop brings further ones', async () => {
  const backend = new Backend({ patienceMs: 60_000 });
  for (const items of [['a', 'b'], ['c'], ['d']]) {
    void backend.join(...items);
    await turn();
  }
  await backend.until(1);
  expect(backend.items).toEqual([['a', 'b', 'c', 'd']]);
});

test.each([
  ['items do not wait for further ones when their patience is over', { patienceMs: 0 }, ['a', 'b']],
  ['one item alone does not wait for further ones', {}, ['a']],
])('%s', async (_name, options, items) => {
  const backend = new Backend(options);
  void backend.join(...items);
  await turn();
  expect(backend.items).toEqual([items]);
});

test('an item that comes after the start of a call is not in that call', async () => {
  const backend = new Backend();
  const [first] = backend.join('a');
  await backend.until(1);
  const later = backend.join('b', 'c');
  backend.calls[0]!.answer();
  expect(await first).toBe('A');
  await backend.answer(1);
  expect(backend.items).toEqual([['a'], ['b', 'c']]);
  expect(await Promise.all(later)).toEqual(['B', 'C']);
});

test('calls that get no answer do not stop the items that follow', async () => {
  const backend = new Backend();
  const joined: Promise<string>[] = [];
  for (const [i, item] of ['a', 'b', 'c'].entries()) {
    joined.push(...backend.join(item));
    await backend.until(i + 1);
  }
  backend.calls[2]!.answer();
  expect(await joined[2]).toBe('C');
  const [next] = backend.join('d');
  await backend.answer(3);
  expect(await next).toBe('D');
});

test('a call takes items up to its largest size and a larger item alone; the calls start side by side', async () => {
  const backend = new Backend({ maxSize: 4, sizeOf: (item) => item.length });
  const joined = backend.join('aaa', 'b', 'c', 'dddddd', 'e');
  await backend.until(4);
  expect(backend.items).toEqual([['aaa', 'b'], ['c'], ['dddddd'], ['e']]);
  for (const { answer } of backend.calls) answer();
  expect(await Promise.all(joined)).toEqual(['AAA', 'B', 'C', 'DDDDDD', 'E']);
});

/** A backend that refuses each call that has an item whose first letter is one of `refused`. */
function refusing(
  refused: string,
  options: Options = {},
  call: (context: { endsAt: number }) => Promise<void> = async () => {},
) {
  const calls: string[] = [];
  const backend = new Backend({
    call: async (items, context) => {
      calls.push(items.join(' '));
      await call(context);
      const bad = items.find((item) => refused.includes(item[0]!));
      if (bad) throw new RangeError(bad);
      return items;
    },
    ...options,
  });
  /** Joins the items. Returns their answers and errors. */
  const join = async (items: string) => {
    const settled = await Promise.allSettled(backend.join(...items.split(' ')));
    return settled.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))).join(', ');
  };
  return { calls, join };
}

test('a refused call fails the item alone that is refused alone', async () => {
  const { calls, join } = refusing('be');
  expect(await join('a b c d e f g h')).toBe('a, RangeError: b, c, d, RangeError: e, f, g, h');
  const halves = ['a b c d', 'e f g h', 'a b', 'c d', 'e f', 'g h', 'a', 'b', 'e', 'f'];
  expect(calls).toEqual(['a b c d e f g h', ...halves]);
});

test('a refused call keeps the items of one key together', async () => {
  const { calls, join } = refusing('a', { keyOf: (item) => item[0] });
  expect(await join('a1 b1 a2 b2 a3')).toBe('RangeError: a1, b1, RangeError: a1, b2, RangeError: a1');
  expect(calls).toEqual(['a1 b1 a2 b2 a3', 'a1 a2 a3', 'b1 b2']);
});

test('a call that is repeated has the time of the first call, and none is repeated after that time', async () => {
  const ends = new Set<number>();
  const { calls, join } = refusing('abcd', {}, async ({ endsAt }) => {
    ends.add(endsAt);
    const isSecondHalf = calls.at(-1) === 'c d';
    while (isSecondHalf && performance.now() < endsAt) await turn();
  });
  process.env['CALL_TIMEOUT_MS'] = '1000';
  try {
    expect(await join('a b c d')).toMatch(/^(RangeError: [a-d](, )?){4}$/);
  } finally {
    delete process.env['CALL_TIMEOUT_MS'];
  }
  expect(ends.size).toBe(1);
  expect(calls).toContain('c d');
  expect(calls).not.toContain('c');
});

test('at most 20 calls run at the same time, and slow calls make larger groups', async () => {
  const backend = new Backend();
  const joined: Promise<string>[] = [];
  for (let call = 1; call <= MAX_CALLS; call++) {
    joined.push(...backend.join('slow'));
    await backend.until(call);
  }
  for (const item of ['a', 'b', 'c']) {
    joined.push(...backend.join(item));
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
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const { calls, join } = refusing(letters, {}, async () => {
    most = Math.max(most, ++running);
    for (let i = 0; i < 5; i++) await turn();
    running--;
  });
  expect(await join([...letters].join(' '))).toBe([...letters].map((letter) => `RangeError: ${letter}`).join(', '));
  expect([most, calls.length]).toEqual([MAX_CALLS, 2 * 52 - 1]);
});

describe('groups that follow others', () => {
  let reads: Backend;
  let reading: Promise<string>;
  let views: Backend;
  const follow = (patienceMs: number) => new Backend({ patienceMs, following: () => reads.groups.last });
  /** A read begins, and a view joins that follows it. */
  beforeEach(async () => {
    reads = new Backend();
    [reading] = reads.join('read') as [Promise<string>];
    views = follow(60_000);
    void views.join('a');
    await reads.until(1);
  });

  test('take the items that come with the answer of the others', async () => {
    const second = reading.then(() => views.groups.join('b'));
    for (let i = 0; i < 5; i++) await turn();
    expect(views.items).toEqual([]);
    reads.calls[0]!.answer();
    await views.answer(0);
    expect(views.items).toEqual([['a', 'b']]);
    expect(await second).toBe('B');
  });

  test('take them after a failure of the others too', async () => {
    reads.calls[0]!.fail(new Error('no answer'));
    await expect(reading).rejects.toThrow('no answer');
    await views.until(1);
    expect(views.items).toEqual([['a']]);
  });

  test('do not wait for others that began later', async () => {
    await turn();
    void reads.join('second');
    reads.calls[0]!.answer();
    await views.until(1);
    expect(views.items).toEqual([['a']]);
  });

  test('do not wait longer than their patience', async () => {
    const hasty = follow(1);
    void hasty.join('a');
    await hasty.until(1);
    expect(hasty.items).toEqual([['a']]);
  });

  test('do not wait without others', async () => {
    reads = new Backend();
    const alone = follow(60_000);
    void alone.join('a');
    await turn();
    expect(alone.items).toEqual([['a']]);
  });
});
