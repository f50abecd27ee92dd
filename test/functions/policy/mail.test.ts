import { createHash, randomUUID } from 'node:crypto';
import type { Plan } from '../../../functions/src/policy/plans';
import { failureOf } from '../../../functions/src/policy/mail-deliveries';
import {
  mailReportPlaceOf,
  withMailReport,
  type MailReportPlace,
  type MailReportReason,
} from '../../../functions/src/policy/mail-reports';
import {
  exceededInvitationRate,
  exceededMailRate,
  mailsInLastDay,
  mailsPerDay,
  recipientMark,
  stillCounted,
  type CountedMail,
  type CountedSend,
} from '../../../functions/src/policy/mail-rates';

test('many reports of one reason hide no other, and the places of an organization stay small', () => {
  const places = new Map<string, MailReportPlace>();
  const report = (name: string, reason: MailReportReason) => {
    const { id, mark } = mailReportPlaceOf(createHash('sha256').update(name).digest('hex').slice(0, 32));
    const added = { reason, presentationId: name, reportedAt: new Date(0) };
    const after = withMailReport(places.get(id), mark, added, Math.random());
    if (after) places.set(id, after);
    return after !== undefined;
  };
  for (let i = 0; i < 10_000; i++) report(`junk-${i}`, 'other');
  const counted = [report('true', 'phishing'), report('true', 'phishing'), report('true', 'spam')];
  expect(counted).toEqual([true, false, false]);
  const all = [...places.values()];
  const stored = all.flatMap(({ reports }) => reports);
  expect([all.length, stored.length]).toEqual([20, 41]);
  expect(stored.filter(({ reason }) => reason === 'phishing')).toMatchObject([{ presentationId: 'true' }]);
  expect(all.reduce((sum, { counts }) => sum + (counts.other ?? 0), 0)).toBe(10_000);
  expect(Math.max(...all.map((place) => JSON.stringify(place).length))).toBeLessThan(5000);
});

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
  const recipient = (email: string, mails: CountedMail[] = [], invitations: CountedMail[] = []) => {
    return { email, recipientId: email, mails, invitations };
  };
  const about = (...recipients: ReturnType<typeof recipient>[]) => ({ about: 'd', recipients });
  const to = (count: number) => about(...Array.from({ length: count }, (_, i) => recipient(`to-${i}@x.org`)));
  const excess = (limit: number, windowSeconds: number, retryInSeconds: number, ...emails: string[]) => {
    return { limit, windowSeconds, retryInSeconds, ...(emails.length > 0 && { emails }) };
  };
  const of = (plan: Plan, ageDays = 30) => ({ organizationId: 'o', plan, createdAt: ago(ageDays * 86_400) });
  const mailed = (count: number, at: Date, organizationId: string): CountedMail[] =>
    Array.from({ length: count }, (_, i) => ({ sendId: `s${i}`, at, organizationId }));

  test('have room when enough mails are older than the window', () => {
    const sends = [sent(50, ago(3000)), sent(50, ago(60))];
    expect(exceededMailRate(sends, to(1), of('pro'), now)).toEqual(excess(100, 3600, 600));
    expect(exceededMailRate(sends, to(20), of('pro'), new Date(now.getTime() + 600_000))).toBeUndefined();
    expect(exceededMailRate([sent(90, ago(60))], to(11), of('pro'), now)).toMatchObject({ retryInSeconds: 3540 });
    // An instance whose clock was ahead counted these mails.
    expect(exceededMailRate([sent(90, ago(-600))], to(11), of('pro'), now)).toMatchObject({ retryInSeconds: 3600 });
    expect(exceededMailRate([sent(90, ago(60))], to(10), of('pro'), now)).toBeUndefined();
  });

  test('allow 500 mails a day, 50 on the free plan; the rate with the longest wait is reported', () => {
    const sends = [sent(400, ago(80_000)), sent(100, ago(10))];
    expect(exceededMailRate(sends, to(1), of('enterprise'), now)).toEqual(excess(500, 86_400, 6400));
    expect(exceededMailRate([sent(50, ago(10_000))], to(1), of('free'), now)).toMatchObject({ limit: 50 });
    expect(exceededMailRate([sent(50, ago(10_000))], to(1), of('starter'), now)).toBeUndefined();
    expect(stillCounted([sent(1, ago(86_400)), sent(1, ago(86_399))], now)).toHaveLength(1);
  });

  test('allow 150 calls an hour, calls that mailed nobody included', () => {
    const callsWithoutMail = (count: number, at: Date) => Array.from({ length: count }, () => sent(0, at));
    expect(exceededMailRate(callsWithoutMail(149, ago(600)), to(0), of('free'), now)).toBeUndefined();
    const full = excess(150, 3600, 3000);
    expect(exceededMailRate(callsWithoutMail(150, ago(600)), to(0), of('free'), now)).toEqual(full);
    expect(exceededMailRate(callsWithoutMail(150, ago(600)), to(1), of('free'), now)).toEqual(full);
    const counted = [...callsWithoutMail(9, ago(3600)), ...callsWithoutMail(2, ago(3599)), sent(1, ago(3600))];
    expect(stillCounted(counted, now)).toHaveLength(3);
  });

  test('keep the window below 650 sends and 100 KB when an organization calls every 20 seconds for 26 hours', () => {
    let sends: CountedSend[] = [];
    let most = 0;
    for (let second = 0; second < 26 * 3600; second += 20) {
      const at = new Date(now.getTime() + second * 1000);
      // Every tenth call mails one address, the others mail nobody.
      const wanted = to(second % 200 === 0 ? 1 : 0);
      sends = stillCounted(sends, at);
      const mark = recipientMark('d', String(second));
      const isRefused = exceededMailRate(sends, { ...wanted, about: String(second) }, of('enterprise'), at);
      if (!isRefused) sends.push({ sendId: randomUUID(), at, recipients: wanted.recipients.map(() => mark) });
      most = Math.max(most, sends.length);
    }
    expect(most).toBeGreaterThan(400);
    expect(most).toBeLessThanOrEqual(650);
    expect(JSON.stringify(sends).length).toBeLessThan(100_000);
  });

  test('refuse no call that needs no mail, although the organization sent more than its new plan allows', () => {
    expect(exceededMailRate([sent(101, ago(60))], to(0), of('free'), now)).toBeUndefined();
    expect(exceededMailRate([sent(101, ago(60))], to(1), of('free'), now)).toMatchObject({ limit: 50 });
  });

  test('allow three mails a day to one address for each deck', () => {
    const mark = recipientMark('d', 'to-0@x.org');
    const sends = [1, 2, 3].map((hours) => ({ sendId: 's', at: ago(hours * 3600), recipients: [mark] }));
    expect(exceededMailRate(sends, to(2), of('pro'), now)).toEqual(excess(3, 86_400, 21 * 3600, 'to-0@x.org'));
    expect(exceededMailRate(sends, { ...to(2), about: 'e' }, of('pro'), now)).toBeUndefined();
  });

  test('allow 20 mails a day to an organization on the free plan in its first 7 days', () => {
    expect([0, 6.99, 7].map((days) => mailsPerDay(of('free', days), now))).toEqual([20, 20, 50]);
    expect(mailsPerDay(of('starter', 0), now)).toBe(500);
    expect(exceededMailRate([sent(19, ago(60))], to(1), of('free', 1), now)).toBeUndefined();
    expect(exceededMailRate([sent(19, ago(60))], to(2), of('free', 1), now)).toMatchObject({ limit: 20 });
    expect(mailsInLastDay([sent(9, ago(86_400)), sent(4, ago(10)), sent(0, ago(5))], now)).toBe(4);
  });

  test('allow one address 5 mails a day from one organization and 10 from all', () => {
    const crowded = (mails: CountedMail[]) => about(recipient('a@x.org'), recipient('b@x.org', mails));
    const rate = (mails: CountedMail[]) => exceededMailRate([], crowded(mails), of('pro'), now);
    expect(rate(mailed(4, ago(60), 'o'))).toBeUndefined();
    expect(rate(mailed(5, ago(60), 'o'))).toEqual(excess(5, 86_400, 86_340, 'b@x.org'));
    expect([rate(mailed(5, ago(86_400), 'o')), rate(mailed(9, ago(60), 'p'))]).toEqual([undefined, undefined]);
    // The answer tells a sender neither how many mails others sent, nor when.
    const ofBoth = [...mailed(6, ago(60), 'p'), ...mailed(4, ago(600), 'o')];
    expect(rate(ofBoth)).toEqual(excess(5, 86_400, 86_400, 'b@x.org'));
  });

  test('allow one address 20 invitations a day, whoever sends them', () => {
    const invited = (count: number) => recipient('a@x.org', [], mailed(count, ago(60), 'p'));
    expect(exceededInvitationRate(invited(19), now)).toBeUndefined();
    expect(exceededInvitationRate(invited(20), now)).toEqual(excess(20, 86_400, 86_400, 'a@x.org'));
  });

  test('do not count what an instance noted for an address whose clock was more than a minute ahead', () => {
    const ahead = (by: number) => recipient('a@x.org', mailed(10, ago(-by), 'p'), mailed(20, ago(-by), 'p'));
    const rates = (seconds: number) => [
      exceededMailRate([], about(ahead(seconds)), of('pro'), now)?.windowSeconds,
      exceededInvitationRate(ahead(seconds), now)?.limit,
    ];
    expect(rates(61)).toEqual([undefined, undefined]);
    expect(rates(60)).toEqual([86_400, 20]);
  });
});
