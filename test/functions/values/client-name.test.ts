import { clientName } from '../../../functions/src/values/client-name';

const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';
const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';

test.each([
  ['Chrome on Windows', `${windows} ${chrome}`],
  ['Edge on Windows', `${windows} ${chrome} Edg/126.0.0.0`],
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0'],
  ['Safari on iOS', `${iphone} Version/17.5 Mobile/15E148 Safari/604.1`],
  ['the deck command', 'deckhost/1.0.0 node/24.1.0'],
  ['a program', 'Call 555 1234 now: https://evil.example/'],
  ['a program', undefined],
])('%s is the name of the client that sends %s', (name, userAgent) => expect(clientName(userAgent)).toBe(name));
