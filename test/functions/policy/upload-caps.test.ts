import {
  totalsOf,
  exceededGrant,
  exceededGrants,
  exceededStored,
  openGrants,
} from '../../../functions/src/policy/upload-caps';

import {
  claimFrom,
  evenShards,
  exceededUsage,
  subtractFrom,
  usageOf,
  USAGE_SHARDS,
} from '../../../functions/src/policy/usage-caps';

const MB = 1024 * 1024;
const now = new Date('2026-01-01T12:00:00Z');
const minutes = (count: number) => new Date(now.getTime() + count * 60_000);
const none = { files: 0, bytes: 0 };

describe('the stored files of a deck', () => {
  const limit = { files: 50 * 500, bytes: 50 * 250 * MB };

  test('may be 50 times the deck size of its plan, and not one byte or file more', () => {
    expect(exceededStored(none, limit, 'free')).toBeUndefined();
    expect(exceededStored({ ...limit, bytes: 0 }, { files: 0, bytes: 1 }, 'free')).toBeUndefined();
    const bytes = { limit: limit.bytes, actual: limit.bytes + 1, plan: 'free', unit: 'bytes' };
    expect(exceededStored(limit, { files: 0, bytes: 1 }, 'free')).toEqual(bytes);
    const files = { limit: limit.files, actual: limit.files + 1, plan: 'free', unit: 'files' };
    expect(exceededStored(limit, { files: 1, bytes: 0 }, 'free')).toEqual(files);
    expect(exceededStored(limit, { files: 1, bytes: 1 }, 'starter')).toBeUndefined();
  });

  test('are counted in files and in bytes', () => {
    expect(totalsOf([])).toEqual(none);
    expect(totalsOf([{ sizeBytes: 3 }, { sizeBytes: 0 }])).toEqual({ files: 2, bytes: 3 });
  });
});

describe('open grants', () => {
  test('may have 4 times the files of a deck of the plan, in one call and in total', () => {
    const most = { files: 4 * 500, bytes: 1 };
    expect(exceededGrant(most, 'free')).toBeUndefined();
    expect(exceededGrant({ ...most, files: most.files + 1 }, 'free')).toMatchObject({ unit: 'files' });
    const open = openGrants([], { ...most, until: minutes(60) }, now);
    expect(exceededGrants(open, 'free', now)).toBeUndefined();
    const more = openGrants(open, { files: 1, bytes: 0, until: minutes(60) }, now);
    expect(exceededGrants(more, 'free', now)).toEqual({
      ...{ limit: 2000, actual: 2001, plan: 'free', unit: 'files' },
      retryInSeconds: 3600,
    });
  });

  test('are dropped when they have expired, and not before', () => {
    const open = openGrants([], { files: 5, bytes: 50, until: minutes(31) }, now);
    expect(open).toEqual([{ files: 5, bytes: 50, until: minutes(40) }]);
    const later = { files: 1, bytes: 1, until: minutes(99) };
    expect(openGrants(open, later, minutes(39))).toHaveLength(2);
    expect(openGrants(open, later, minutes(40))).toEqual([{ ...later, until: minutes(100) }]);
  });

  test('need at most eight rows for 3 000 grants', () => {
    let open = openGrants([], { files: 1, bytes: 1, until: minutes(60) }, now);
    for (let i = 1; i < 3000; i++) {
      const at = new Date(now.getTime() + i * 1000);
      open = openGrants(open, { files: 1, bytes: 2, until: new Date(at.getTime() + 3600_000) }, at);
      expect(open.length).toBeLessThanOrEqual(8);
    }
    expect(open.reduce((sum, { files }) => sum + files, 0)).toBe(3000);
  });
});

describe('the usage of an organization in shards', () => {
  /** The same numbers in every run: 0 to 2^31. */
  let state = 1;
  const random = (below: number) => (state = (state * 48271) % 2147483647) % below;

  test.each([0, 60, 100, 130])(
    'stays within the cap of 100 decks, or within the %d decks of the time when the cap was lowered',
    (atStart) => {
      const later = (count: number) => new Date(now.getTime() + count * 3600_000);
      const shards = evenShards([], { decks: atStart, storedBytes: 0 }, now);
      const decks = () => usageOf(shards, now).decks;
      expect(decks()).toBe(atStart);
      for (let i = 0; i < 3000; i++) {
        const a = random(USAGE_SHARDS);
        const b = (a + 1 + random(USAGE_SHARDS - 1)) % USAGE_SHARDS;
        if (random(5) < 2 && decks() > 0) {
          [shards[a], shards[b]] = subtractFrom([shards[a]!, shards[b]!], { decks: 1, storedBytes: 0 });
          continue;
        }
        const claim = { decks: 1 as const, newDecks: 1 as const };
        const pair = new Map([a, b].map((shard) => [shard, shards[shard]!]));
        const all = new Map(shards.entries());
        const isRefused = exceededUsage(usageOf(shards, later(i)), claim, 'free') !== undefined;
        const taken =
          claimFrom(pair, claim, 'free', later(i)) ?? (isRefused ? undefined : claimFrom(all, claim, 'free', later(i)));
        // A call that the cap allows finds room.
        if (!isRefused) expect(taken).toBeDefined();
        for (const [shard, record] of taken ?? []) shards[shard] = record;
        expect(decks()).toBeLessThanOrEqual(Math.max(atStart, 100));
      }
      expect(decks()).toBeGreaterThan(80);
    },
  );

  test('takes large claims from several shards, and nothing without room', () => {
    const shards = evenShards([], { decks: 0, storedBytes: 0 }, now);
    const all = new Map(shards.entries());
    const bytes = 5 * 1024 * MB;
    const taken = claimFrom(all, { storedBytes: bytes }, 'free', now)!;
    expect(usageOf([...taken.values()], now).storedBytes).toBe(bytes);
    expect(claimFrom(all, { storedBytes: bytes + 1 }, 'free', now)).toBeUndefined();
    expect(claimFrom(taken, { storedBytes: 1 }, 'free', now)).toBeUndefined();
  });
});
