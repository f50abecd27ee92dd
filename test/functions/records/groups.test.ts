import { setImmediate as turn } from 'node:timers/promises';
import { Groups } from '../../../functions/src/records/groups';

/** A backend whose calls the test answers. An answer is the item in upper case. */
class Backend {
  readonly calls: { items: readonly string[]; answer: () => void; fail: (error: unknown) => void }[] = [];
  readonly groups: Groups<string, string>;

  constructor(maxSize = 100, sizeOf: (item: string) => number = () => 1) {
    const call = (items: readonly string[]) =>
      new Promise<string[]>((resolve, reject) => {
        const answer = () => resolve(items.map((item) => item.toUpperCase()));
        this.calls.push({ items, answer, fail: reject });
      });
    this.groups = new Groups({ call, maxSize, sizeOf, isRefusal: (error) => error instanceof RangeError });
  }

  get items(): readonly (readonly string[])[] {
    return this.calls.map(({ items }) => items);
  }

  /** Resolves when that many calls have begun. */
  async until(calls: number): Promise<void> {
    while (this.calls.length < calls) await turn();
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
    isRefusal: (error) => error instanceof RangeError,
  });
  const settled = await Promise.allSettled([...'abcdefgh'].map((item) => groups.join(item)));
  expect(settled.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))).toEqual(
    [...'abcdefgh'].map((item) => (refused.has(item) ? `RangeError: ${item}` : item)),
  );
  expect(calls).toEqual(['abcdefgh', 'abcd', 'efgh', 'ab', 'cd', 'ef', 'gh', 'a', 'b', 'e', 'f']);
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
