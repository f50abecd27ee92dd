import { isView } from '../../../functions/src/policy/deck-views';
import { isGated, isGrantEnded, isProven } from '../../../functions/src/policy/link-gates';
import {
  isLiveToken,
  linkStateOf,
  mayAct,
  NEVER,
  revocationOf,
  type Actor,
} from '../../../functions/src/policy/presentation-access';
import { OPENING_SECONDS } from '../../../functions/src/values/deck-grants';

const NOON = Date.UTC(2026, 10, 20, 12);
const at = (milliseconds: number) => new Date(NOON + milliseconds);
const limits = { expiresAt: NEVER, maxOpenings: null, openings: 0 };
const token = { isRight: true, createdAt: at(-1000), revokedAt: null, isHeld: false, ...limits };
const deck = { tokensRevokedAt: null, expiresAt: null, takedown: null };

describe('a share link', () => {
  test.each([
    ['opens', deck, token, 'open'],
    ['of no deck', undefined, token, 'not-found'],
    ['that is unknown', deck, undefined, 'not-found'],
    ['whose token is wrong', deck, { ...token, isRight: false }, 'not-found'],
    ['that was revoked', deck, { ...token, revokedAt: at(-1) }, 'revoked'],
    ['that was revoked with all others', { ...deck, tokensRevokedAt: at(-1) }, token, 'revoked'],
    ['made in the millisecond in which all were revoked', { ...deck, tokensRevokedAt: at(-1000) }, token, 'revoked'],
    ['made a millisecond after all were revoked', { ...deck, tokensRevokedAt: at(-1001) }, token, 'open'],
    ['that expires in a millisecond', deck, { ...token, expiresAt: at(1) }, 'open'],
    ['that expires now', deck, { ...token, expiresAt: at(0) }, 'expired'],
    ['that is held and expires now', deck, { ...token, isHeld: true, expiresAt: at(0) }, 'expired'],
    ['that was revoked and has expired', deck, { ...token, revokedAt: at(-1), expiresAt: at(-2) }, 'revoked'],
    ['of a deck that expires in a millisecond', { ...deck, expiresAt: at(1) }, token, 'open'],
    ['of a deck that expires now', { ...deck, expiresAt: at(0) }, token, 'expired'],
    ['of a deck that was taken down', { ...deck, takedown: {} }, token, 'expired'],
    ['that was revoked, of an expired deck', { ...deck, expiresAt: at(0) }, { ...token, revokedAt: at(-1) }, 'revoked'],
    ['that is held', deck, { ...token, isHeld: true }, 'held'],
    ['that is held and was revoked', deck, { ...token, isHeld: true, revokedAt: at(-1) }, 'revoked'],
  ] as const)('%s', (_what, of, sent, verdict) => expect(linkStateOf(of, sent, at(0))).toBe(verdict));

  test('is live when it is neither held nor revoked', () => {
    expect([isLiveToken(token, deck), isLiveToken({ ...token, isHeld: true }, deck)]).toEqual([true, false]);
    expect(isLiveToken({ ...token, revokedAt: at(0) }, deck)).toBe(false);
    expect(isLiveToken(token, { tokensRevokedAt: at(0) })).toBe(false);
  });

  test('keeps the time at which it was revoked alone when all are revoked later', () => {
    expect(revocationOf({ ...token, revokedAt: at(-500) }, { tokensRevokedAt: at(0) })).toEqual(at(-500));
    expect(revocationOf(token, { tokensRevokedAt: at(0) })).toEqual(at(0));
    expect(revocationOf(token, { tokensRevokedAt: null })).toBeNull();
  });
});

describe('a caller', () => {
  const of = { ownerId: 'owner', memberIds: ['owner', 'dev'] };
  const user = (userId: string | null): Actor => ({ kind: 'organization', userId });
  const callers: [string, Actor, boolean, boolean][] = [
    ['the owner', user('owner'), true, true],
    ['a dev', user('dev'), false, true],
    ['a stranger', user('stranger'), false, false],
    ['nobody', user(null), false, false],
    ['an admin key', { kind: 'admin', userId: null }, true, true],
    ['the owner at the dashboard', { kind: 'session', userId: 'owner' }, true, true],
  ];
  test.each(callers)('that is %s may act as owner and as member, or not', (_who, actor, asOwner, asMember) => {
    expect([mayAct(actor, 'owner', of), mayAct(actor, 'member', of)]).toEqual([asOwner, asMember]);
  });
});

const now = at(0);
const secondsAgo = (seconds: number) => at(-seconds * 1000);
const open = { passcode: null, readers: null, maxOpenings: null };
const passcode = { ...open, passcode: { id: 'first' } };
const readers = { ...open, readers: ['ada', 'domain'] };
const counted = { ...open, maxOpenings: 1 };

test('a passcode, addresses or a number of openings make a gate', () => {
  expect([open, passcode, readers, counted].map(isGated)).toEqual([false, true, true, true]);
});

test.each([
  ['nothing', open, {}, true],
  ['no passcode', passcode, {}, false],
  ['the passcode', passcode, { passcode: 'first' }, true],
  ['an earlier passcode', passcode, { passcode: 'zero' }, false],
  ['no address', readers, {}, false],
  ['an admitted address', readers, { reader: ['ada', 'other'] as const }, true],
  ['an address of an admitted domain', readers, { reader: ['bob', 'domain'] as const }, true],
  ['another address', readers, { reader: ['bob', 'other'] as const }, false],
  ['the passcode without the address', { ...readers, ...passcode, readers: ['ada'] }, { passcode: 'first' }, false],
])('%s proves what the gate asks for or not', (_what, gate, proof, expected) => {
  expect(isProven(gate, proof)).toBe(expected);
});

const proof = { passcode: 'first', reader: ['ada', 'other'] as const };
test.each([
  ['of a link that has no gate', open, undefined, false],
  ['of a link that became gated', counted, undefined, true],
  ['within a day', counted, { at: secondsAgo(OPENING_SECONDS - 1) }, false],
  ['after a day', counted, { at: secondsAgo(OPENING_SECONDS) }, true],
  ['after a day, of a link whose gate is gone', open, { at: secondsAgo(OPENING_SECONDS) }, false],
  ['after a new passcode', { ...open, passcode: { id: 'second' } }, { at: now, ...proof }, true],
  ['after the passcode is gone', counted, { at: now, ...proof }, false],
  ['after a change that keeps the proven address', { ...open, readers: ['ada'] }, { at: now, ...proof }, false],
  ['after a change that drops the proven address', { ...open, readers: ['bob'] }, { at: now, ...proof }, true],
  ['that proved no address, after addresses were set', readers, { at: now, passcode: 'first' }, true],
])('a grant %s has ended or not', (_what, gate, opening, expected) => {
  expect(isGrantEnded(gate, opening, now)).toBe(expected);
});

const none = { purpose: undefined, destination: undefined, site: undefined };

const insideOfPages = ['iframe', 'frame', 'embed', 'object'];
test.each<[headers: object, age: number, counts: boolean]>([
  [{}, 0, true],
  [{}, 86_400, true],
  [{ site: 'none', destination: 'document' }, 86_400, true],
  [{ site: 'cross-site', destination: 'document' }, 86_400, true],
  [{ site: 'same-origin', destination: 'document' }, 86_400, true],
  // A window that the site or another deck opens through the share link has a new grant.
  [{ site: 'same-site', destination: 'document' }, 60, true],
  [{ site: 'same-site', destination: 'document' }, 61, false],
  [{ site: 'same-site' }, 86_400, false],
  [{ site: 'same-site', destination: 'iframe' }, 0, false],
  [{ destination: 'iframe' }, 0, false],
  ...insideOfPages.map((destination) => [{ site: 'same-origin', destination }, 0, false] as [object, number, boolean]),
  [{ purpose: '' }, 86_400, true],
  [{ purpose: 'prefetch' }, 0, false],
  [{ purpose: 'prefetch;prerender' }, 0, false],
  [{ purpose: ' Prefetch' }, 0, false],
  [{ purpose: 'preview' }, 0, false],
])('a load with %j, %i seconds after the grant, is a view: %s', (headers, age, counts) => {
  expect(isView({ ...none, ...headers }, secondsAgo(age), now)).toBe(counts);
});
