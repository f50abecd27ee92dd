import { checkCode, macCode, mintCode, type CodeRecord } from '../../../functions/src/policy/codes';
import { secondsUntilRoom } from '../../../functions/src/policy/request-windows';

const SECRET = 'a secret of the test, long enough';
const NOW = new Date('2026-01-01T12:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

const record = (changes: Partial<CodeRecord> = {}): CodeRecord => {
  const codeMac = macCode(SECRET, 'ada@example.org', 'login', '012345');
  const times = { createdAt: NOW, expiresAt: later(600), usedAt: null };
  return { email: 'ada@example.org', purpose: 'login', codeMac, badAttempts: 0, ...times, ...changes };
};
const check = (found: CodeRecord | undefined, code: unknown, at = NOW) =>
  checkCode(found, { code, purpose: 'login' }, [SECRET], at);

describe('a one-time code', () => {
  test('has six digits, leading zeroes included', () => {
    for (let i = 0; i < 1000; i++) expect(mintCode()).toMatch(/^[0-9]{6}$/);
  });

  test('is accepted when an earlier one of the secrets hashed it', () => {
    const sent = { code: '012345', purpose: 'login' } as const;
    expect(checkCode(record(), sent, ['a newer secret of the test', SECRET], NOW)).toEqual({ outcome: 'right' });
    expect(checkCode(record(), sent, ['a newer secret of the test'], NOW)).toMatchObject({ outcome: 'OTP_INVALID' });
  });

  test('is accepted only for its address, its purpose and ten minutes', () => {
    expect(check(record(), '012345')).toEqual({ outcome: 'right' });
    expect(check(record(), '012345', later(599))).toEqual({ outcome: 'right' });
    expect(check(record(), '012345', later(600))).toEqual({ outcome: 'OTP_EXPIRED' });
    expect(check(record({ purpose: 'signup' }), '012345')).toEqual({ outcome: 'OTP_PURPOSE_MISMATCH' });
    expect(check(record({ usedAt: NOW }), '012345')).toEqual({ outcome: 'OTP_ALREADY_USED' });
    expect(check(record({ email: 'eve@example.org' }), '012345')).toMatchObject({ outcome: 'OTP_INVALID' });
    expect(check(undefined, '012345')).toEqual({ outcome: 'OTP_NOT_FOUND' });
  });

  test('is void after the fifth wrong attempt', () => {
    const outcomes = [0, 1, 2, 3, 4].map((badAttempts) => check(record({ badAttempts }), '999999'));
    const wrong = (attemptsRemaining: number) => ({ outcome: 'OTP_INVALID', attemptsRemaining, counted: true });
    expect(outcomes).toEqual([wrong(4), wrong(3), wrong(2), wrong(1), { outcome: 'OTP_LOCKED_OUT' }]);
  });

  const others = [undefined, null, 12345, '', '12345', '1234567', '12345a', '１２３４５６', ' 12345'];
  test.each(others)('does not count text that is not six digits as an attempt: %j', (code) => {
    const refusal = { outcome: 'OTP_INVALID', attemptsRemaining: 3, counted: false };
    expect(check(record({ badAttempts: 2 }), code)).toEqual(refusal);
  });
});

describe('a window of an hour', () => {
  const times = Array.from({ length: 20 }, (_, i) => later(i * 60));

  test('has room until it is full, and again when its oldest request is an hour old', () => {
    expect(secondsUntilRoom(times.slice(0, 19), 20, later(1200))).toBe(0);
    expect([secondsUntilRoom(times, 20, later(1200)), secondsUntilRoom(times, 20, later(3599.5))]).toEqual([2400, 1]);
    expect(secondsUntilRoom(times, 20, later(3600))).toBe(0);
  });

  test('asks for a wait of at most its length, also when an instance counted with a clock that was ahead', () => {
    const full = (seconds: number) => Array.from({ length: 20 }, () => later(seconds));
    expect([secondsUntilRoom(full(30), 20, NOW), secondsUntilRoom(full(61), 20, NOW)]).toEqual([3600, 0]);
    expect(secondsUntilRoom([...full(86_400), ...full(-60)], 20, NOW)).toBe(3540);
  });
});
