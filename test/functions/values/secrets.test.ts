import { serviceSecrets } from '../../../functions/src/config';
import { isCode, macCode } from '../../../functions/src/policy/codes';
import { seal, unseal } from '../../../functions/src/values/secrets';

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
    for (const secret of ['the newer secret of the test', 'the older secret of the test']) {
      expect(open(seal(secret, 'p', 'text', 'c'))).toBe('text');
    }
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
