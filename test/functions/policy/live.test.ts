import { endOfStream, isLive, judgeCommand, judgeMove, sumOfStreams } from '../../../functions/src/policy/live';
import { NEVER } from '../../../functions/src/policy/presentation-access';

const now = new Date('2026-03-14T12:00:00.000Z');
const after = (seconds: number) => new Date(now.getTime() + seconds * 1000);

const session = { liveId: 'a', endedAt: null as Date | null, expiresAt: after(1), startedBy: 'ada', gate: 'rules' };
const deck = { expiresAt: null, takedown: null, tokensRevokedAt: null, memberIds: ['owner', 'ada'] };
const limits = { maxOpenings: null as number | null, openings: 0 };
const token = { createdAt: after(-60), revokedAt: null as Date | null, expiresAt: NEVER, isHeld: false, ...limits };
const link = { deck, token, gate: 'rules' };

type Changes = { of?: Partial<typeof session>; token?: Partial<typeof token>; gate?: string };
// links.test.ts has all states of a link.
test.each<[string, boolean, Changes]>([
  ['that runs is live', true, {}],
  ['that was ended is not', false, { of: { endedAt: now } }],
  ['whose time is over is not', false, { of: { expiresAt: now } }],
  ['whose link was revoked is not', false, { token: { revokedAt: now } }],
  ['whose link is used up is live', true, { token: { maxOpenings: 2, openings: 2 } }],
  ['whose link has other rules is not', false, { gate: 'others' }],
  ['that a removed collaborator started is not', false, { of: { startedBy: 'bob' } }],
])('a session %s', (_what, expected, changes) => {
  const changed = { deck, token: { ...token, ...changes.token }, gate: changes.gate ?? link.gate };
  expect(isLive({ ...session, ...changes.of }, changed, now)).toBe(expected);
});

test('a session whose deck or link is gone is not live', () => {
  expect(isLive(session, { ...link, deck: undefined }, now)).toBe(false);
  expect(isLive(session, { ...link, token: undefined }, now)).toBe(false);
  expect(isLive(undefined, link, now)).toBe(false);
});

test.each<[string, number, number, object]>([
  ['with the same number is late', 5, 9, { verdict: 'late' }],
  ['with a smaller number is late, also too soon', 4, 0.1, { verdict: 'late' }],
  ['after 0.4 seconds comes too soon', 6, 0.4, { verdict: 'too-soon', retryAfterMs: 600 }],
  ['before the last one, by another clock, waits a second', 6, -30, { verdict: 'too-soon', retryAfterMs: 1000 }],
  ['after a second is taken', 6, 1, { verdict: 'taken' }],
])('a move %s', (_what, sequence, seconds, verdict) => {
  expect(judgeMove({ sequence: 5, at: now }, sequence, after(seconds))).toEqual(verdict);
});

test.each<[string, number, number, object]>([
  ['that is repeated is late', 5, 9, { verdict: 'late' }],
  ['with a smaller number, of another remote control, is taken', 4, 1, { verdict: 'taken' }],
  ['after 0.4 seconds comes too soon', 6, 0.4, { verdict: 'too-soon', retryAfterMs: 600 }],
])('a command %s', (_what, sent, seconds, verdict) => {
  expect(judgeCommand({ sent: 5, at: now }, sent, after(seconds))).toEqual(verdict);
});

test('the first move is taken', () => expect(judgeMove(null, 1, now)).toEqual({ verdict: 'taken' }));

test('streams are summed over the instances that live, of this session alone', () => {
  const held = { liveId: 'a', followers: 3, presenters: 1, at: now };
  const instances = { one: held, two: held, other: { ...held, liveId: 'b' }, killed: { ...held, at: after(-61) } };
  expect(sumOfStreams(instances, 'a', now)).toEqual({ followers: 6, presenters: 2 });
});

test('a stream ends after 40 to 60 minutes', () => {
  for (let i = 0; i < 100; i++) {
    const minutes = (endOfStream(now).getTime() - now.getTime()) / 60_000;
    expect(minutes >= 40 && minutes <= 60).toBe(true);
  }
});
