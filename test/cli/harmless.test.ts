import { harmless, harmlessJson } from '../../cli/src/harmless';
import { shellWord } from '../../cli/src/command-line';

/** Every control character besides line feed and tab, the separators of lines, and the marks of direction. */
const commands = [
  ...Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).filter((unit) => !'\n\t'.includes(unit)),
  ...Array.from({ length: 33 }, (_, code) => String.fromCharCode(0x7f + code)),
  ...'\u2028\u2029\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069',
];

describe('text in the terminal', () => {
  test.each(commands)('keeps nothing of %j', (unit) => {
    for (const hasStyles of [true, false]) expect(harmless(`a${unit}b`, hasStyles)).toBe('a b');
    const escaped = harmlessJson(JSON.stringify({ a: `x${unit}` }));
    expect(escaped).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(escaped)).toEqual({ a: `x${unit}` });
    expect(shellWord(`a${unit}b`)).not.toContain(unit);
  });

  test('keeps lines, letters of every language and, with styles, those of the client', () => {
    const text = 'größe 日本 🎉\n\tعربى ✓ \u001b[1mbold\u001b[22m \u001b[32mgreen\u001b[39m';
    expect(harmless(text, true)).toBe(text);
    expect(harmless('\u001b[1mbold\u001b[22m', false)).toBe(' bold ');
  });

  test.each(['\u001b[8m', '\u001b[2J', '\u001b[99m', '\u001b[5m', '\u001b]0;x', '\u001b[1;1H', '\u009b1m'])(
    'keeps no other sequence: %j',
    (sequence) => expect(harmless(sequence, true)).not.toMatch(/\p{Cc}/u),
  );
});
