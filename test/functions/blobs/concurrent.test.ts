import fc from 'fast-check';
import { mapConcurrently, Slots } from '../../../functions/src/blobs/concurrent';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await turn();
};

test('returns the results in the order of the items and runs at most that many at a time', async () => {
  const delays = fc.array(fc.nat(5), { maxLength: 30 });
  const property = fc.asyncProperty(delays, fc.integer({ min: 1, max: 8 }), async (items, concurrency) => {
    let running = 0;
    let most = 0;
    const results = await mapConcurrently([...items.entries()], concurrency, async ([index, delay]) => {
      most = Math.max(most, ++running);
      await turns(2 + delay);
      running--;
      return index;
    });
    expect(results).toEqual([...items.keys()]);
    expect(most).toBe(Math.min(concurrency, items.length));
  });
  await fc.assert(property, { numRuns: 50 });
});

test('starts no item after a failure and throws the first error when the running items have ended', async () => {
  const started: number[] = [];
  const ended: number[] = [];
  const work = mapConcurrently([0, 1, 2, 3, 4, 5], 3, async (item) => {
    started.push(item);
    // Item 1 fails first, item 2 later; item 0 ends last.
    await turns([9, 1, 4][item]!);
    ended.push(item);
    if (item > 0) throw new Error(`item ${item}`);
  });
  await expect(work).rejects.toThrow('item 1');
  expect([started, ended]).toEqual([
    [0, 1, 2],
    [1, 2, 0],
  ]);
});

test('slots run at most that many pieces of work at a time, in order, also after failures', async () => {
  const delays = fc.array(fc.record({ turns: fc.nat(5), isFailure: fc.boolean() }), { maxLength: 30 });
  const property = fc.asyncProperty(delays, fc.integer({ min: 1, max: 8 }), async (items, count) => {
    const slots = new Slots(count);
    const started: number[] = [];
    let running = 0;
    let most = 0;
    const work = items.map((item, i) =>
      slots.run(async () => {
        started.push(i);
        most = Math.max(most, ++running);
        await turns(1 + item.turns);
        running--;
        if (item.isFailure) throw new Error('planned');
        return i;
      }),
    );
    const outcomes = (await Promise.allSettled(work)).map((each) =>
      each.status === 'fulfilled' ? each.value : 'failed',
    );
    expect(outcomes).toEqual(items.map(({ isFailure }, i) => (isFailure ? 'failed' : i)));
    expect([started, most]).toEqual([[...items.keys()], Math.min(count, items.length)]);
  });
  await fc.assert(property, { numRuns: 50 });
});
