import { randomUUID } from 'node:crypto';
import { failureOf } from '../../../functions/src/policy/mail-deliveries';
import {
  exceededMailRate,
  recipientMark,
  stillCounted,
  type CountedSend,
} from '../../../functions/src/policy/mail-rates';
import { contrast, inkOn } from '../../../functions/src/values/contrast';
import { oneLine, plainText, senderFor } from '../../../functions/src/values/mail-text';

describe('a header', () => {
  test.each([
    ['a\r\nBcc: b@example.org', 'a Bcc: b@example.org'],
    ['  a\t\u0000\u2028b  ', 'a b'],
    ['\u202egro.live\u202c', 'gro.live'],
    ['👩‍👩‍👧 ok', '👩‍👩‍👧 ok'],
    ['\ud800', '\ufffd'],
  ])('%j becomes %j', (text, line) => expect(oneLine(text)).toBe(line));

  test('is cut between characters, never through one', () => {
    expect(oneLine('😀'.repeat(300))).toBe(`${'😀'.repeat(199)}…`);
    expect(oneLine('x'.repeat(200))).toBe('x'.repeat(200));
  });
});

test.each([
  ['a\r\nb\tc', 'a\r\nb\tc'],
  ['a\u0000\u0007b', 'ab'],
  [' \n ', null],
])('the message %j becomes %j', (text, words) => expect(plainText(text)).toBe(words));

test.each([
  ["Ada's workspace", "Ada's workspace via Decks <decks@example.org>"],
  ['Söhne & Co. (Köln), GmbH', 'Söhne & Co Köln GmbH via Decks <decks@example.org>'],
  ['"Bank" <help@bank.example>', 'Bank help bank example via Decks <decks@example.org>'],
  ['a\r\nBcc: eve', 'a Bcc eve via Decks <decks@example.org>'],
  ['株式会社', '株式会社 via Decks <decks@example.org>'],
  ['<>@', 'Decks <decks@example.org>'],
  ['', 'Decks <decks@example.org>'],
])('the sender for %j is %j', (name, sender) => expect(senderFor(name, 'Decks <decks@example.org>')).toBe(sender));

test('the sender of a bare address has no name to follow', () => {
  expect(senderFor('Acme', 'decks@example.org')).toBe('Acme <decks@example.org>');
});

test('text on any colour can be read', () => {
  expect([inkOn('#000000'), inkOn('#ffffff'), inkOn('#ffe14d'), inkOn('#2f5bd8')]).toEqual([
    '#ffffff',
    '#111318',
    '#111318',
    '#ffffff',
  ]);
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  for (let colour = 0; colour <= 0xffffff; colour += 4099) {
    const ground = `#${colour.toString(16).padStart(6, '0')}`;
    // What WCAG asks of bold text of this size is 3; of any text 4.5.
    expect(contrast(ground, inkOn(ground))).toBeGreaterThan(4.2);
  }
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
  const to = (count: number) => ({
    about: 'd',
    emails: Array.from({ length: count }, (_, i) => `to-${i}@x.org`),
  });

  test('open when enough of the oldest have left the window', () => {
    const sends = [sent(50, ago(3000)), sent(50, ago(60))];
    expect(exceededMailRate(sends, to(1), 'pro', now)).toEqual({
      limit: 100,
      windowSeconds: 3600,
      retryInSeconds: 600,
    });
    expect(exceededMailRate(sends, to(20), 'pro', new Date(now.getTime() + 600_000))).toBeUndefined();
    expect(exceededMailRate([sent(90, ago(60))], to(11), 'pro', now)).toMatchObject({ retryInSeconds: 3540 });
    expect(exceededMailRate([sent(90, ago(60))], to(10), 'pro', now)).toBeUndefined();
  });

  test('of a day are five hundred, and fifty on the free plan; the one that opens last is told', () => {
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

  test('of an hour are a hundred and fifty calls, those that mailed nobody among them, and of a day some hundred', () => {
    const vain = (count: number, at: Date) => Array.from({ length: count }, () => sent(0, at));
    expect(exceededMailRate(vain(149, ago(600)), to(0), 'free', now)).toBeUndefined();
    const full = { limit: 150, windowSeconds: 3600, retryInSeconds: 3000 };
    expect(exceededMailRate(vain(150, ago(600)), to(0), 'free', now)).toEqual(full);
    expect(exceededMailRate(vain(150, ago(600)), to(1), 'free', now)).toEqual(full);
    expect(stillCounted([...vain(9, ago(3600)), ...vain(2, ago(3599)), sent(1, ago(3600))], now)).toHaveLength(3);
  });

  test('keep what is remembered small, whoever knocks all day', () => {
    let sends: CountedSend[] = [];
    let most = 0;
    for (let second = 0; second < 2 * 86_400; second += 20) {
      const at = new Date(now.getTime() + second * 1000);
      // One mail in every tenth call, and nobody in the others.
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

  test('of one address count for its deck alone', () => {
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
