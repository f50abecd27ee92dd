import { seal, unseal } from '../../../functions/src/values/secrets';

const SECRET = 'a secret of the test, long enough';

test('a sealed text with one changed byte or another purpose is refused', () => {
  const sealed = Buffer.from(seal(SECRET, 'p', 'text', 'c'), 'base64url');
  for (let i = 0; i < sealed.length; i++) {
    const broken = Buffer.from(sealed);
    broken[i]! ^= 1;
    expect(() => unseal(SECRET, 'p', broken.toString('base64url'), 'c')).toThrow();
  }
  expect(() => unseal(SECRET, 'q', sealed.toString('base64url'), 'c')).toThrow();
});
