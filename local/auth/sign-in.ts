import { assertAllowedClaims, list, newAccount, text, toUserInfo, type Account } from './account';
import { AccountError } from './errors';
import type { Operation } from './operation';
import type { AccountStore } from './store';
import { claimsOf, idTokenClaims, issueTokens, refreshGrantOf, seconds, sessionCookie } from './tokens';

type Json = Record<string, unknown>;

const CUSTOM_TOKEN_AUDIENCE =
  'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit';
const SESSION_MIN_SECONDS = 5 * 60;
const SESSION_MAX_SECONDS = 14 * 24 * 3600;

/** `POST accounts:signInWithCustomToken`. Creates the account of an unknown id. */
export const signInWithCustomToken: Operation = async ({ store, project }, request) => {
  const token = text(request, 'token');
  if (!token) throw new AccountError('MISSING_CUSTOM_TOKEN');
  const payload = claimsOf(token);
  if (!payload) throw new AccountError('INVALID_CUSTOM_TOKEN : Invalid assertion format');
  if (payload.aud !== CUSTOM_TOKEN_AUDIENCE) throw new AccountError('INVALID_CUSTOM_TOKEN : Invalid audience');
  const now = new Date();
  if (typeof payload.exp !== 'number' || payload.exp <= seconds(now)) {
    throw new AccountError('INVALID_CUSTOM_TOKEN : The token has expired');
  }
  const localId = text(payload, 'uid');
  if (!localId) throw new AccountError('MISSING_IDENTIFIER');
  const claims = (payload.claims ?? {}) as Json;
  assertAllowedClaims(claims);

  const signedIn = signedInAt(now);
  const { account, isNew } = await store.upsert(localId, (current) => {
    if (current?.disabled) throw new AccountError('USER_DISABLED');
    return { ...(current ?? newAccount({ localId }, now)), ...signedIn, customAuth: true };
  });
  return {
    kind: 'identitytoolkit#VerifyCustomTokenResponse',
    isNewUser: isNew,
    ...issueTokens(project, account, 'custom', claims, now),
  };
};

/** `POST token` of the Secure Token API: new tokens for a refresh token. Revoked ones are refused. */
export const refresh: Operation = async ({ store, project }, request) => {
  const grantType = text(request, 'grant_type') ?? text(request, 'grantType');
  if (!grantType) throw new AccountError('MISSING_GRANT_TYPE');
  if (grantType !== 'refresh_token') throw new AccountError('INVALID_GRANT_TYPE');
  const token = text(request, 'refresh_token') ?? text(request, 'refreshToken');
  if (!token) throw new AccountError('MISSING_REFRESH_TOKEN');
  const grant = refreshGrantOf(token);
  const now = new Date();
  const account = await store.update(grant.localId, (current) => {
    assertUsable(current, grant.issuedAt);
    return { ...current, lastRefreshAt: now.toISOString() };
  });
  const issued = issueTokens(project, account, grant.provider, grant.claims, now, grant.authTime);
  return {
    id_token: issued.idToken,
    access_token: issued.idToken,
    expires_in: issued.expiresIn,
    refresh_token: issued.refreshToken,
    token_type: 'Bearer',
    user_id: account.localId,
    project_id: project,
  };
};

/** `POST accounts:lookup` of a client: the account of an ID token, without the hash of its password. */
export const lookupOwn: Operation = ({ store, project }, request) => {
  const account = ownerOf(store, project, request);
  const shown = { ...toUserInfo(account), passwordHash: undefined, salt: undefined };
  return { kind: 'identitytoolkit#GetAccountInfoResponse', users: [shown] };
};

/** `POST :createSessionCookie`: 5 minutes to 14 days (the default). */
export const createSessionCookie: Operation = ({ store, project }, request) => {
  const ttlSeconds = request.validDuration === undefined ? SESSION_MAX_SECONDS : Number(request.validDuration);
  if (!(ttlSeconds >= SESSION_MIN_SECONDS && ttlSeconds <= SESSION_MAX_SECONDS)) {
    throw new AccountError('INVALID_DURATION');
  }
  ownerOf(store, project, request);
  const now = new Date();
  const claims = idTokenClaims(text(request, 'idToken')!, project, now);
  return { sessionCookie: sessionCookie(claims, Math.floor(ttlSeconds), now) };
};

/** The fields that a sign-in changes. */
export function signedInAt(now: Date): Pick<Account, 'lastLoginAt' | 'lastRefreshAt'> {
  return { lastLoginAt: String(now.getTime()), lastRefreshAt: now.toISOString() };
}

/** The account of the request's ID token. Throws for a token that is missing, foreign, expired or revoked. */
function ownerOf(store: AccountStore, project: string, request: Json): Account {
  const [token] = list(request.idToken);
  if (!token) throw new AccountError('MISSING_ID_TOKEN');
  const claims = idTokenClaims(token, project, new Date());
  const account = store.find(claims.user_id);
  if (!account) throw new AccountError('USER_NOT_FOUND');
  assertUsable(account, claims.iat);
  return account;
}

/** Throws USER_DISABLED, and TOKEN_EXPIRED for a token from before the revocation. */
function assertUsable(account: Account, issuedAt: number): void {
  if (account.disabled) throw new AccountError('USER_DISABLED');
  if (account.validSince !== undefined && issuedAt < Number(account.validSince))
    throw new AccountError('TOKEN_EXPIRED');
}
