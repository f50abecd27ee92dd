import { oneLine, plainText, senderFor } from '../../../functions/src/values/mail-text';

describe('the text of a header', () => {
  test.each([
    ['a\r\nBcc: b@example.org', 'a Bcc: b@example.org'],
    ['  a\t\u0000\u2028b  ', 'a b'],
    ['\u202egro.live\u202c', 'gro.live'],
    ['👩‍👩‍👧 ok', '👩‍👩‍👧 ok'],
    ['\ud800', '\ufffd'],
  ])('%j becomes %j', (text, line) => expect(oneLine(text)).toBe(line));

  test('is cut between characters', () => {
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

test('the sender for a bare address is the name of the organization alone', () => {
  expect(senderFor('Acme', 'decks@example.org')).toBe('Acme <decks@example.org>');
});
