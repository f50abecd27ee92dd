import { AccountError } from './errors';
import type { Account } from './account';

type Json = Record<string, unknown>;

const ID_TOKEN_TTL_SECONDS = 3600;

/** The tokens that a sign-in answers with. */
export interface Tokens extends Json {
  idToken: string;
  refreshToken: string;
  /** Seconds, as decimal text. */
  expiresIn: string;
}

/** What a refresh token stands for. */
export interface RefreshGrant {
  localId: string;
  provider: string;
  claims: Json;
  /** Seconds. */
  issuedAt: number;
  /** Seconds: the time of the sign-in, which refreshed tokens keep. */
  authTime: number;
}

/**
 * Tokens of the account. They are not signed: the Admin SDK accepts exactly such tokens while
 * FIREBASE_AUTH_EMULATOR_HOST is set, and the cloud refuses them.
 */
export function issueTokens(
  project: string,
  account: Account,
  provider: string,
  claims: Json,
  now: Date,
  authTime = seconds(now),
): Tokens {
  const issuedAt = seconds(now);
  const identities: Record<string, string[]> = {};
  if (account.email !== undefined) identities.email = [account.email];
  if (account.phoneNumber !== undefined) identities.phone = [account.phoneNumber];
  for (const { providerId, rawId } of account.linked ?? []) (identities[providerId] ??= []).push(rawId);
  const payload = {
    name: account.displayName,
    picture: account.photoUrl,
    ...(JSON.parse(account.customAttributes ?? '{}') as Json),
    ...claims,
    email: account.email,
    email_verified: account.email === undefined ? undefined : account.emailVerified,
    phone_number: account.phoneNumber,
    auth_time: authTime,
    user_id: account.localId,
    firebase: { identities, sign_in_provider: provider },
    iat: issuedAt,
    exp: issuedAt + ID_TOKEN_TTL_SECONDS,
    aud: project,
    iss: issuerOf(project),
    sub: account.localId,
  };
  const grant: RefreshGrant = { localId: account.localId, provider, claims, issuedAt, authTime };
  return {
    idToken: unsigned(payload),
    refreshToken: Buffer.from(JSON.stringify(grant)).toString('base64url'),
    expiresIn: String(ID_TOKEN_TTL_SECONDS),
  };
}

/** A session cookie with the claims of an ID token. */
export function sessionCookie(idToken: Json, ttlSeconds: number, now: Date): string {
  const iat = seconds(now);
  return unsigned({
    ...idToken,
    iat,
    exp: iat + ttlSeconds,
    iss: `https://session.firebase.google.com/${String(idToken.aud)}`,
  });
}

/** The claims of an ID token of the project. Throws INVALID_ID_TOKEN and TOKEN_EXPIRED. */
export function idTokenClaims(token: string, project: string, now: Date): Json & { user_id: string; iat: number } {
  const claims = claimsOf(token);
  const { user_id: userId, iat, exp, aud, iss } = claims ?? {};
  if (typeof userId !== 'string' || typeof iat !== 'number' || aud !== project || iss !== issuerOf(project)) {
    throw new AccountError('INVALID_ID_TOKEN');
  }
  if (typeof exp !== 'number' || exp <= seconds(now)) throw new AccountError('TOKEN_EXPIRED');
  return { ...claims, user_id: userId, iat };
}

/** The claims of a JSON Web Token, `undefined` for other text. The signature is not checked. */
export function claimsOf(token: string): Json | undefined {
  const parts = token.split('.');
  return parts.length === 3 ? jsonOf(parts[1]!) : undefined;
}

/** Throws INVALID_REFRESH_TOKEN. */
export function refreshGrantOf(token: string): RefreshGrant {
  const grant = jsonOf(token);
  const { localId, provider, claims, issuedAt, authTime } = grant ?? {};
  const isGrant =
    typeof localId === 'string' &&
    typeof provider === 'string' &&
    typeof claims === 'object' &&
    claims !== null &&
    typeof issuedAt === 'number' &&
    typeof authTime === 'number';
  if (!isGrant) throw new AccountError('INVALID_REFRESH_TOKEN');
  return { localId, provider, claims: claims as Json, issuedAt, authTime };
}

export function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

const issuerOf = (project: string) => `https://securetoken.google.com/${project}`;

function unsigned(payload: Json): string {
  const encode = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encode({ alg: 'none', typ: 'JWT' })}.${encode(payload)}.`;
}

function jsonOf(base64: string): Json | undefined {
  try {
    const value = JSON.parse(Buffer.from(base64, 'base64url').toString('utf8')) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}
