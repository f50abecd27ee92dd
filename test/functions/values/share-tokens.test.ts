import {
  digestsOf,
  isToken,
  isWellFormedToken,
  mintShareToken,
  openShareToken,
} from '../../../functions/src/values/share-tokens';

const SECRET = 'a secret of the test, long enough';

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
