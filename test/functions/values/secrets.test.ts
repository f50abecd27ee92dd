import fc from 'fast-check';
import { serviceSecrets } from '../../../functions/src/config';
import { isCode, macCode } from '../../../functions/src/policy/codes';
import { hashKey, isWellFormedKey, KEY_LENGTH, keyPrefix, mintKey } from '../../../functions/src/values/keys';
import { seal, unseal } from '../../../functions/src/values/secrets';
import {
  digestsOf,
  isToken,
  isWellFormedToken,
  mintShareToken,
  openShareToken,
} from '../../../functions/src/values/share-tokens';

const SECRET = 'a secret of the test, long enough';

test('a sealed text with one changed byte or another purpose is refused', () => {
  const sealed = Buffer.from(seal(SECRET, 'p', 'text', 'c'), 'base64url');
  for (let i = 0; i < sealed.length; i++) {
    const broken = Buffer.from(sealed);
    broken[i]! ^= 1;
    expect(() => unseal([SECRET], 'p', broken.toString('base64url'), 'c')).toThrow();
  }
  expect(() => unseal([SECRET], 'q', sealed.toString('base64url'), 'c')).toThrow();
});

describe('the service secret', () => {
  const before = process.env['SERVICE_SECRET'];
  afterEach(() => (process.env['SERVICE_SECRET'] = before));
  const open = (sealed: string) => unseal(serviceSecrets.accepted(), 'p', sealed, 'c');

  test('is a list of lines: the first one seals, and all of them open', () => {
    process.env['SERVICE_SECRET'] = 'the newer secret of the test\r\n\n  the older secret of the test \n';
    expect(serviceSecrets.current()).toBe('the newer secret of the test');
    for (const secret of ['the newer secret of the test', 'the older secret of the test'])
      expect(open(seal(secret, 'p', 'text', 'c'))).toBe('text');
    expect(() => open(seal('a secret that is gone now', 'p', 'text', 'c'))).toThrow();
  });

  test('ignores a later line that is too short, and names a first line that is', () => {
    process.env['SERVICE_SECRET'] = `${SECRET}\nshort\n`;
    expect(open(seal(SECRET, 'p', 'text', 'c'))).toBe('text');
    const code = macCode(serviceSecrets.current(), 'a@example.org', 'login', '123456');
    const stored = { codeMac: code, email: 'a@example.org', purpose: 'login' as const };
    expect(isCode(stored, '123456', serviceSecrets.accepted())).toBe(true);
    for (const secrets of [`short\n${SECRET}`, ' \n']) {
      process.env['SERVICE_SECRET'] = secrets;
      const message = 'The first line of SERVICE_SECRET is missing or shorter than 16 characters.';
      expect(() => serviceSecrets.current()).toThrow(message);
      expect(() => serviceSecrets.accepted()).toThrow(message);
    }
  });
});

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

  const others = ['', 'cko_', 'Bearer', 'cks_' + 'a'.repeat(49), mintKey('organization') + 'a', ` ${mintKey('admin')}`];
  test.each(others)('of another shape are refused: %j', (text) => expect(isWellFormedKey(text)).toBe(false));

  test('are stored as SHA-256', () => {
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('a share token', () => {
  const { token, stored } = mintShareToken(SECRET, 'deck');

  test('has 48 random bytes and matches its own hash only', () => {
    expect(Buffer.from(token, 'base64url')).toHaveLength(48);
    expect([isWellFormedToken(token), isToken(digestsOf(token), stored.hash)]).toEqual([true, true]);
    expect(isToken(digestsOf(mintShareToken(SECRET, 'deck').token), stored.hash)).toBe(false);
    expect(digestsOf(token).tokenId).toBe(stored.tokenId);
  });

  test('is not part of its stored form, which opens only with the secret and for its deck', () => {
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(openShareToken([SECRET], 'deck', stored.sealed)).toBe(token);
    expect(() => openShareToken([SECRET], 'other deck', stored.sealed)).toThrow();
    expect(() => openShareToken(['another secret of the test'], 'deck', stored.sealed)).toThrow();
  });

  test('has an id that no command line takes for an option', () => {
    const ids = Array.from({ length: 2_000 }, () => mintShareToken(SECRET, 'deck').stored.tokenId);
    expect(ids.filter((id) => id.startsWith('-'))).toEqual([]);
  });
});
