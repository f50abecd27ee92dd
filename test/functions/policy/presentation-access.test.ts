import {
  isLiveToken,
  linkStateOf,
  mayAct,
  NEVER,
  revocationOf,
  type Actor,
} from '../../../functions/src/policy/presentation-access';

const NOON = Date.UTC(2026, 10, 20, 12);
const at = (milliseconds: number) => new Date(NOON + milliseconds);
const token = {
  isRight: true,
  createdAt: at(-1000),
  revokedAt: null,
  expiresAt: NEVER,
  isHeld: false,
  maxOpenings: null,
  openings: 0,
};
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
