import fc from 'fast-check';
import { hashKey, isWellFormedKey, KEY_LENGTH, keyPrefix, mintKey } from '../../../functions/src/values/keys';

describe('API keys', () => {
  test('have a fixed length and a prefix for each kind, and are unique', () => {
    const keys = Array.from({ length: 500 }, () => mintKey('organization'));
    expect(new Set(keys).size).toBe(500);
    const isKey = (key: string) => /^cko_[0-9A-Za-z]{49}$/.test(key) && key.length === KEY_LENGTH;
    expect(keys.filter((key) => isKey(key) && isWellFormedKey(key))).toHaveLength(500);
    expect(mintKey('admin')).toMatch(/^cka_/);
    expect(keyPrefix(keys[0]!)).toBe(keys[0]!.slice(0, 8));
  });

  test('with one changed character are refused by their checksum', () => {
    const key = mintKey('organization');
    fc.assert(
      fc.property(fc.nat(KEY_LENGTH - 1), fc.constantFrom(...'0123456789abcXYZ'), (at, character) => {
        fc.pre(key[at] !== character);
        expect(isWellFormedKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
      }),
    );
  });

  test.each(['', 'cko_', 'Bearer', 'cks_' + 'a'.repeat(49), mintKey('organization') + 'a', ` ${mintKey('admin')}`])(
    'of another shape are refused: %j',
    (text) => expect(isWellFormedKey(text)).toBe(false),
  );

  test('are stored as SHA-256', () => {
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
