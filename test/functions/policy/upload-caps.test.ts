import {
  totalsOf,
  endOfGrants,
  exceededGrant,
  exceededGrants,
  exceededStored,
  openGrants,
} from '../../../functions/src/policy/upload-caps';
import { MB } from '../../../functions/src/values/units';
import { exceededUsage, usageOf, withClaim, type CountedUsage } from '../../../functions/src/policy/usage-caps';

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
    expect([totalsOf([]), totalsOf([{ sizeBytes: 3 }, { sizeBytes: 0 }])]).toEqual([none, { files: 2, bytes: 3 }]);
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
    const excess = { limit: 2000, actual: 2001, plan: 'free', unit: 'files', retryInSeconds: 3600 };
    expect(exceededGrants(more, 'free', now)).toEqual(excess);
  });

  test('are dropped when they have expired, and not before', () => {
    const open = openGrants([], { files: 5, bytes: 50, until: minutes(31) }, now);
    expect(open).toEqual([{ files: 5, bytes: 50, until: minutes(31) }]);
    const later = { files: 1, bytes: 1, until: minutes(90) };
    expect(openGrants(open, later, minutes(30.9))).toHaveLength(2);
    expect(openGrants(open, later, minutes(31))).toEqual([later]);
  });

  test('of a deck need at most 60 rows for 7 000 grants', () => {
    let open = openGrants([], { files: 1, bytes: 1, until: minutes(60) }, now);
    for (let i = 1; i < 7000; i++) {
      const at = new Date(now.getTime() + i * 1000);
      open = openGrants(open, { files: 1, bytes: 2, until: endOfGrants(at) }, at);
      expect(open.length).toBeLessThanOrEqual(60);
    }
    // Those after minute 57, which end after minute 117.
    expect(open.reduce((sum, { files }) => sum + files, 0)).toBe(7000 - 57 * 60);
  });
});

describe('the usage of an organization', () => {
  const nothing: CountedUsage = { decks: 0, storedBytes: 0, newDecks: [], newSessions: [], granted: [] };

  test.each([
    ['decks', { decks: 1 }, { ...nothing, decks: 99 }, 100],
    ['storedBytes', { storedBytes: 10 }, { ...nothing, storedBytes: 5 * 1024 * MB - 10 }, 5 * 1024 * MB],
    ['grantedBytes', { grants: { until: minutes(60), bytes: 500 * MB } }, nothing, 500 * MB],
    ['newDecksThisHour', { newDecks: 1 }, { ...nothing, newDecks: Array<Date>(59).fill(now) }, 60],
    ['newSessionsThisHour', { newSessions: 1 }, { ...nothing, newSessions: Array<Date>(119).fill(now) }, 120],
  ] as const)('may reach the cap of %s, and not exceed it', (unit, claim, counted, limit) => {
    expect(exceededUsage(usageOf(counted, now), claim, 'free')).toBeUndefined();
    const full = withClaim(counted, claim, now);
    expect(usageOf(full, now)[unit]).toBe(limit);
    expect(exceededUsage(usageOf(full, now), claim, 'free')).toMatchObject({ unit, limit, plan: 'free' });
    // Above a cap that was lowered, other claims are still accepted.
    expect(exceededUsage({ ...usageOf(full, now), [unit]: limit + 1 }, {}, 'free')).toBeUndefined();
  });

  test('forgets the times and grants that have ended', () => {
    const claim = { newDecks: 1, newSessions: 1, grants: { until: minutes(55), bytes: MB } } as const;
    const counted = withClaim(nothing, claim, now);
    expect(withClaim(counted, {}, minutes(59))).toEqual({ ...counted, granted: [] });
    expect(withClaim(counted, {}, minutes(54)).granted).toEqual([{ until: minutes(55), bytes: MB }]);
    expect(withClaim(counted, {}, minutes(60))).toEqual(nothing);
  });
});
