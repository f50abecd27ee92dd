import { randomBytes } from 'node:crypto';
import { logExclusion } from '../../../deploy/tables';
import type * as log from '../../../functions/src/log';
import { newLinkGrant, writeGrant } from '../../../functions/src/values/deck-grants';
import { writeDeviceToken } from '../../../functions/src/values/device-tokens';
import { writeGateToken } from '../../../functions/src/values/gate-tokens';
import { mintKey } from '../../../functions/src/values/keys';
import { writeLiveTicket } from '../../../functions/src/values/live-tickets';
import { writePictureLink } from '../../../functions/src/values/picture-links';
import { withoutSecrets } from '../../../functions/src/values/redact';
import { seal } from '../../../functions/src/values/secrets';
import { each } from '../../support/each';

const token = randomBytes(48).toString('base64url');
const mailToken = randomBytes(64).toString('base64url');
const secret = randomBytes(32).toString('hex');
const link = newLinkGrant({ presentationId: 'pQ7_x-1', tokenId: 'tok_en-2' });
const [ticket, grant] = (['ticket', 'grant'] as const).map((kind) => writeGrant(secret, kind, link, new Date()));
const frame = writeGrant(secret, 'frame', { presentationId: 'pQ7_x-1', version: 2, userId: 'u-1' }, new Date());
const codeLink = seal(secret, 'code-link', '1 ada@example.org', '');
const deviceToken = writeDeviceToken(secret, { email: 'ada@example.org', userId: 'ada', epoch: 0 }, new Date());
const again = writeGateToken(secret, 'again', link, new Date());
const picture = writePictureLink(secret, link.presentationId, link.tokenId);
const session = { presentationId: 'pQ7_x-1', tokenId: 'tok_en-2', liveId: 'live-3', until: new Date(Date.now() + 9e6) };
const presenter = writeLiveTicket(secret, 'presenter', session, new Date());

const lines: [text: string, redacted: string][] = [
  [`the key ${mintKey('organization')} is dead`, 'the key <key> is dead'],
  [`${mintKey('admin')},${mintKey('session')}`, '<key>,<key>'],
  [`GET /getSharedPresentation/1/_t/${token}/a.css failed`, 'GET /getSharedPresentation/1/_t/<token>/a.css failed'],
  [`GET /getSharedPresentation/1/_f/short/a.css failed`, 'GET /getSharedPresentation/1/_f/<token>/a.css failed'],
  [`https://x.test/share/1?token=${token}&a=b`, 'https://x.test/share/1?token=<token>&a=b'],
  [`GET https://a.decks.test/_open/${ticket}?print failed`, 'GET https://a.decks.test/_open/<grant>?print failed'],
  [`GET /getSharedPresentation/1/_g/${frame}/a.css failed`, 'GET /getSharedPresentation/1/_g/<token>/a.css failed'],
  [`"${frame}"`, '"<grant>"'],
  [`Cookie: a=b; __Host-deck=${grant}; c=d`, 'Cookie: a=b; __Host-deck=<grant>; c=d'],
  [`"${ticket}",${grant}.`, '"<grant>",<grant>.'],
  [`https://x.test/share/1/picture/${picture}?a=b`, 'https://x.test/share/1/picture/<signed>?a=b'],
  [`GET /sharePage/1/picture/${picture} failed`, 'GET /sharePage/1/picture/<signed> failed'],
  [`https://x.test/share/1/again/${again}?gate=${codeLink}`, 'https://x.test/share/1/again/<grant>?gate=<signed>'],
  [`https://x.test/share/1?grant=${grant}`, 'https://x.test/share/1?grant=<grant>'],
  [`GET /followLiveSession?ticket=${presenter} failed`, 'GET /followLiveSession?ticket=<grant> failed'],
  [`GET /getInvitation?invitation=${mailToken} failed`, 'GET /getInvitation?invitation=<token> failed'],
  [`GET /getInvitation/${mailToken} failed`, 'GET /getInvitation/<token> failed'],
  ['GET https://x.test/s/7hKq2ZrTfWn4cBxM?a=b failed', 'GET https://x.test/s/<code>?a=b failed'],
  ['GET /shortLink/7hKq2ZrTfWn4cBxM failed', 'GET /shortLink/<code> failed'],
  [`token ${token}`, 'token <token>'],
  [`https://x.test/mail/${mailToken}?choice=all`, 'https://x.test/mail/<token>?choice=all'],
  [`GET /mailPage/${mailToken} failed`, 'GET /mailPage/<token> failed'],
  [`https://x.test/codes/${codeLink}?choice=stop`, 'https://x.test/codes/<token>?choice=stop'],
  [`GET /codePage/${codeLink} failed`, 'GET /codePage/<token> failed'],
  [`"deviceToken":"${deviceToken}"`, `"deviceToken":"<device>"`],
  [`"to":["ada+x@mail.example.org"]`, `"to":["<address>"]`],
  ['Ada <ada@example.org>: no such mailbox', 'Ada <<address>>: no such mailbox'],
  ['/users?email=ada%40example.org&x=1', '/users?email=<address>&x=1'],
];
test.each(lines)('%s → %s', (text, expected) => expect(withoutSecrets(text)).toBe(expected));

test('the request log of Cloud Run keeps no address with a secret', () => {
  const parts = [...logExclusion.filter.matchAll(/"([/\w]+\/|\w+=)"/g)].map(([, part]) => part!);
  const addresses = lines.map(([text]) => text).filter((text) => /^(GET|https:)/.test(text));
  expect(addresses.length).toBeGreaterThan(15);
  expect(addresses.filter((address) => !parts.some((part) => address.includes(part)))).toEqual([]);
});

test.each([
  `apiKeys/${'0123456789abcdef'.repeat(4)} is missing`,
  '    at read (/srv/node_modules/@google-cloud/firestore/build/src/index.js:12:3)',
  '    at sendMails (functions/src/mail/send.ts:132:11)',
  'versions 1 to 12',
])('%s is not changed', (text) => expect(withoutSecrets(text)).toBe(text));

test('log lines have no secrets in messages, stacks and fields', () => {
  const written: string[] = [];
  for (const name of ['info', 'warn', 'error'] as const)
    jest.spyOn(console, name).mockImplementation((...line: unknown[]) => void written.push(line.join(' ')));
  // The logger keeps the functions of the console at the moment when it is loaded.
  const { logError, logInfo, logWarning } = jest.requireActual<typeof log>('../../../functions/src/log');
  const told = `to ada@example.org: https://x.test/share/1?token=${token}`;
  logInfo('A job has run.', { function: told, done: 1 });
  logWarning('A view was not counted.', new Error(told), { id: told });
  logError('A job could not process an item.', new Error(told), { id: told, status: null });
  jest.restoreAllMocks();
  expect(written.map((line) => /"severity":"(\w+)"/.exec(line)?.[1])).toEqual(['INFO', 'WARNING', 'ERROR']);
  expect(written[0]).toContain('"done":1');
  expect(written[2]).toContain('redact.test.ts');
  for (const line of each(written)) {
    expect(line).toContain('to <address>: https://x.test/share/1?token=<token>');
    expect(line).not.toMatch(new RegExp(`ada@|${token}`));
  }
});

/** The least processor time of five runs in milliseconds, which other work on the machine does not change. */
function leastCpuTime(work: () => void): number {
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

test('the time to redact a text grows with its length, and not with its square', () => {
  const parts = Array.from({ length: 10 }, () => 'a'.repeat(5_000));
  const whole = parts.join('');
  expect(withoutSecrets(whole)).toBe(whole);
  const ofParts = leastCpuTime(() => parts.forEach((part) => withoutSecrets(part)));
  // With a quadratic pattern the whole takes ten times the time of its parts. The processor counts in steps of 4 ms.
  expect(leastCpuTime(() => withoutSecrets(whole))).toBeLessThan(4 * ofParts + 20);
});
