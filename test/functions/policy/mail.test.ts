import { randomUUID } from 'node:crypto';
import { failureOf } from '../../../functions/src/policy/mail-deliveries';
import {
  exceededMailRate,
  recipientMark,
  stillCounted,
  type CountedSend,
} from '../../../functions/src/policy/mail-rates';

test.each([
  [429, 'provider-rate-limited'],
  [400, 'provider-rejected'],
  [403, 'provider-rejected'],
  [500, 'provider-unavailable'],
  [null, 'provider-unavailable'],
])('an answer %p of the provider means %s', (status, code) => expect(failureOf(status)).toBe(code));

describe('the rates of mails', () => {
  const now = new Date('2026-11-20T12:00:00.000Z');
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  const sent = (count: number, at: Date, about = 'd'): CountedSend => ({
    sendId: 's',
    at,
    recipients: Array.from({ length: count }, (_, i) => recipientMark(about, `${i}-${at.getTime()}@x.org`)),
  });
  const to = (count: number) => ({
    about: 'd',
    emails: Array.from({ length: count }, (_, i) => `to-${i}@x.org`),
  });

  test('have room when enough mails are older than the window', () => {
    const sends = [sent(50, ago(3000)), sent(50, ago(60))];
    expect(exceededMailRate(sends, to(1), 'pro', now)).toEqual({
      limit: 100,
      windowSeconds: 3600,
      retryInSeconds: 600,
    });
    expect(exceededMailRate(sends, to(20), 'pro', new Date(now.getTime() + 600_000))).toBeUndefined();
    expect(exceededMailRate([sent(90, ago(60))], to(11), 'pro', now)).toMatchObject({ retryInSeconds: 3540 });
    // An instance whose clock was ahead counted these mails.
    expect(exceededMailRate([sent(90, ago(-600))], to(11), 'pro', now)).toMatchObject({ retryInSeconds: 3600 });
    expect(exceededMailRate([sent(90, ago(60))], to(10), 'pro', now)).toBeUndefined();
  });

  test('allow 500 mails a day, 50 on the free plan; the rate with the longest wait is reported', () => {
    const sends = [sent(400, ago(80_000)), sent(100, ago(10))];
    expect(exceededMailRate(sends, to(1), 'enterprise', now)).toEqual({
      limit: 500,
      windowSeconds: 86_400,
      retryInSeconds: 6400,
    });
    expect(exceededMailRate([sent(50, ago(10_000))], to(1), 'free', now)).toMatchObject({ limit: 50 });
    expect(exceededMailRate([sent(50, ago(10_000))], to(1), 'starter', now)).toBeUndefined();
    expect(stillCounted([sent(1, ago(86_400)), sent(1, ago(86_399))], now)).toHaveLength(1);
  });

  test('allow 150 calls an hour, calls that mailed nobody included', () => {
    const callsWithoutMail = (count: number, at: Date) => Array.from({ length: count }, () => sent(0, at));
    expect(exceededMailRate(callsWithoutMail(149, ago(600)), to(0), 'free', now)).toBeUndefined();
    const full = { limit: 150, windowSeconds: 3600, retryInSeconds: 3000 };
    expect(exceededMailRate(callsWithoutMail(150, ago(600)), to(0), 'free', now)).toEqual(full);
    expect(exceededMailRate(callsWithoutMail(150, ago(600)), to(1), 'free', now)).toEqual(full);
    expect(
      stillCounted([...callsWithoutMail(9, ago(3600)), ...callsWithoutMail(2, ago(3599)), sent(1, ago(3600))], now),
    ).toHaveLength(3);
  });

  test('keep the window below 650 sends and 100 KB when an organization calls every 20 seconds for two days', () => {
    let sends: CountedSend[] = [];
    let most = 0;
    for (let second = 0; second < 2 * 86_400; second += 20) {
      const at = new Date(now.getTime() + second * 1000);
      // Every tenth call mails one address, the others mail nobody.
      const wanted = to(second % 200 === 0 ? 1 : 0);
      sends = stillCounted(sends, at);
      const mark = recipientMark('d', String(second));
      const isRefused = exceededMailRate(sends, { ...wanted, about: String(second) }, 'enterprise', at);
      if (!isRefused) sends.push({ sendId: randomUUID(), at, recipients: wanted.emails.map(() => mark) });
      most = Math.max(most, sends.length);
    }
    expect(most).toBeGreaterThan(400);
    expect(most).toBeLessThanOrEqual(650);
    expect(JSON.stringify(sends).length).toBeLessThan(100_000);
  });

  test('allow three mails a day to one address for each deck', () => {
    const mark = recipientMark('d', 'to-0@x.org');
    const sends = [1, 2, 3].map((hours) => ({ sendId: 's', at: ago(hours * 3600), recipients: [mark] }));
    expect(exceededMailRate(sends, to(2), 'pro', now)).toEqual({
      limit: 3,
      windowSeconds: 86_400,
      retryInSeconds: 21 * 3600,
      emails: ['to-0@x.org'],
    });
    expect(exceededMailRate(sends, { ...to(2), about: 'e' }, 'pro', now)).toBeUndefined();
  });
});
