import { nextPath } from '../../web/dashboard/src/account/next-path';

// Where the page of the sign-in is.
Object.assign(globalThis, { location: new URL('https://decks.example.org/dashboard/sign-in') });

const opened = (next: string) => nextPath(new URLSearchParams({ next }), '/dashboard');

test.each([
  ...['//evil.example/', 'https://evil.example/', '/\\evil.example', '/\t/evil.example', '//[', 'javascript:alert(1)'],
  // A browser resolves the dots of these paths, and would then read two slashes at the start.
  ...['/.//evil.example/', '/x/..//evil.example/', '/%2e//evil.example/', '/.\\/evil.example/'],
])('an address of another site is not opened after the sign-in: %j', (next) => expect(opened(next)).toBe('/dashboard'));

test('a path of this site is opened after the sign-in, with its query and hash', () =>
  expect(opened('/marketplace/../share/x?token=y#3')).toBe('/share/x?token=y#3'));
