import {
  checkCode,
  macCode,
  MAX_CODES,
  mintCode,
  triedCode,
  withNewCode,
  type CodeRecord,
  type Way,
} from '../../../functions/src/policy/codes';
import { secondsUntilRoom } from '../../../functions/src/policy/request-windows';

const SECRET = 'a secret of the test, long enough';
const NOW = new Date('2026-01-01T12:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

const record = (changes: Partial<CodeRecord> = {}): CodeRecord => {
  const codeMac = macCode(SECRET, 'ada@example.org', 'login', '012345');
  const times = { createdAt: NOW, expiresAt: later(600), usedAt: null };
  const request = { requestHash: 'of-ada', isOfDevice: false, badAttempts: { token: 0, address: 0 } };
  return { purpose: 'login', codeMac, ...request, ...times, ...changes };
};
const sentTo = (email: string, code: unknown, way: Way = 'address') =>
  ({ email, code, purpose: 'login', way }) as const;
const check = (found: CodeRecord | undefined, code: unknown, at = NOW, way: Way = 'address') =>
  checkCode(found, sentTo('ada@example.org', code, way), [SECRET], at);

describe('a one-time code', () => {
  test('has six digits, leading zeroes included', () => {
    for (let i = 0; i < 1000; i++) expect(mintCode()).toMatch(/^[0-9]{6}$/);
  });

  test('is accepted when an earlier one of the secrets hashed it', () => {
    const sent = sentTo('ada@example.org', '012345');
    expect(checkCode(record(), sent, ['a newer secret of the test', SECRET], NOW)).toEqual({ outcome: 'right' });
    expect(checkCode(record(), sent, ['a newer secret of the test'], NOW)).toMatchObject({ outcome: 'OTP_INVALID' });
  });

  test('is accepted only for its address, its purpose and ten minutes', () => {
    expect(check(record(), '012345')).toEqual({ outcome: 'right' });
    expect(check(record(), '012345', later(599))).toEqual({ outcome: 'right' });
    expect(check(record(), '012345', later(600))).toEqual({ outcome: 'OTP_EXPIRED' });
    expect(check(record({ purpose: 'signup' }), '012345')).toEqual({ outcome: 'OTP_PURPOSE_MISMATCH' });
    expect(check(record({ usedAt: NOW }), '012345')).toEqual({ outcome: 'OTP_ALREADY_USED' });
    const ofEve = checkCode(record(), sentTo('eve@example.org', '012345'), [SECRET], NOW);
    expect(ofEve).toMatchObject({ outcome: 'OTP_INVALID' });
    expect(check(undefined, '012345')).toEqual({ outcome: 'OTP_NOT_FOUND' });
  });

  test.each<[Way, Way]>([
    ['address', 'token'],
    ['token', 'address'],
  ])('is void for the %s after five wrong attempts of it, and valid for the %s', (way, other) => {
    const tried = (attempts: number) => record({ badAttempts: { token: 0, address: 0, [way]: attempts } });
    const outcomes = [0, 1, 2, 3, 4].map((attempts) => check(tried(attempts), '999999', NOW, way));
    const wrong = (attemptsRemaining: number) => ({ outcome: 'OTP_INVALID', attemptsRemaining, counted: true });
    expect(outcomes).toEqual([wrong(4), wrong(3), wrong(2), wrong(1), { outcome: 'OTP_LOCKED_OUT' }]);
    expect(check(tried(5), '012345', NOW, way)).toEqual({ outcome: 'OTP_NOT_FOUND' });
    expect(check(tried(5), '012345', NOW, other)).toEqual({ outcome: 'right' });
  });

  const others = [undefined, null, 12345, '', '12345', '1234567', '12345a', '１２３４５６', ' 12345'];
  test.each(others)('does not count text that is not six digits as an attempt: %j', (code) => {
    const refusal = { outcome: 'OTP_INVALID', attemptsRemaining: 3, counted: false };
    expect(check(record({ badAttempts: { token: 0, address: 2 } }), code)).toEqual(refusal);
  });
});

describe('the codes of an address', () => {
  const ofStranger = (i: number, changes: Partial<CodeRecord> = {}) => record({ requestHash: `s${i}`, ...changes });
  const strangers = Array.from({ length: MAX_CODES }, (_, i) => ofStranger(i));
  const hashes = (codes: CodeRecord[]) => codes.map(({ requestHash }) => requestHash);

  test('lie side by side, up to twenty: then an expired one goes first, and then the oldest', () => {
    const added = ofStranger(20);
    const last = hashes([...strangers.slice(1), added]);
    expect(hashes(withNewCode(strangers.slice(1), added, NOW))).toEqual(last);
    expect(hashes(withNewCode(strangers, added, NOW))).toEqual(last);
    const withExpired = strangers.map((code, i) => (i === 7 ? { ...code, expiresAt: NOW } : code));
    const kept = strangers.filter((_, i) => i !== 7);
    expect(hashes(withNewCode(withExpired, added, NOW))).toEqual(hashes([...kept, added]));
  });

  test('that a device of the user asked for are not pushed out', () => {
    let codes = [record({ isOfDevice: true })];
    for (let i = 0; i < 100; i++) codes = withNewCode(codes, ofStranger(i), NOW);
    expect([codes.length, hashes(codes)[0], hashes(codes).at(-1)]).toEqual([MAX_CODES, 'of-ada', 's99']);
    const own = strangers.map((code) => ({ ...code, isOfDevice: true }));
    expect(hashes(withNewCode(own, ofStranger(20), NOW))).toEqual([...hashes(own), 's20']);
  });

  test('are tried by the token of their request, or else the newest one alone', () => {
    expect(triedCode(strangers, 's3')).toBe(strangers[3]);
    expect(triedCode(strangers, 'unknown')).toBeUndefined();
    expect(triedCode(strangers, undefined)).toBe(strangers.at(-1));
    expect(triedCode([], undefined)).toBeUndefined();
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
