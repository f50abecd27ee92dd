import { randomBytes, scryptSync } from 'node:crypto';
import { AccountError } from './errors';

/** An identity of the user at another provider. */
export interface ProviderInfo {
  providerId: string;
  rawId: string;
  email?: string;
  displayName?: string;
  photoUrl?: string;
  phoneNumber?: string;
  federatedId?: string;
}

/** A second factor. */
export interface Factor {
  mfaEnrollmentId: string;
  phoneInfo?: string;
  displayName?: string;
  enrolledAt?: string;
}

/** A user in the format of the Identity Toolkit. Times are decimal strings in milliseconds, unless noted. */
export interface Account {
  localId: string;
  email?: string;
  emailVerified?: boolean;
  displayName?: string;
  photoUrl?: string;
  phoneNumber?: string;
  disabled?: boolean;
  /** Custom claims as JSON text. */
  customAttributes?: string;
  passwordHash?: string;
  salt?: string;
  passwordUpdatedAt?: number;
  /** Seconds. */
  validSince?: string;
  createdAt: string;
  lastLoginAt?: string;
  /** ISO 8601. */
  lastRefreshAt?: string;
  /** Whether the user has signed in with a custom token, or with a link. */
  customAuth?: boolean;
  emailLinkSignin?: boolean;
  /** The linked providers. The entries for password and phone are not stored; toUserInfo derives them. */
  linked?: ProviderInfo[];
  mfaInfo?: Factor[];
}

type Json = Record<string, unknown>;

const CLAIMS_LIMIT_CHARACTERS = 1000;
const reservedClaims = [
  'iss',
  'aud',
  'sub',
  'iat',
  'exp',
  'nbf',
  'jti',
  'nonce',
  'azp',
  'acr',
  'amr',
  'cnf',
  'auth_time',
  'firebase',
  'at_hash',
  'c_hash',
];
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** A new account from a request of `accounts`. Ids that the request lacks are generated. */
export function newAccount(request: Json, now: Date): Account {
  const localId = text(request, 'localId') ?? randomBytes(21).toString('base64url');
  if (localId.length === 0 || localId.length > 128) throw new AccountError('INVALID_LOCAL_ID');
  const account: Account = { localId, createdAt: String(now.getTime()), emailVerified: false, disabled: false };
  return changedAccount(
    account,
    { ...request, ...(request.mfaInfo !== undefined && { mfa: { enrollments: request.mfaInfo } }) },
    now,
  );
}

/**
 * Applies a request of `accounts` or `accounts:update`: fields that it sets, providers that it links, fields that it
 * deletes.
 */
export function changedAccount(current: Account, request: Json, now: Date): Account {
  const account: Account = structuredClone(current);
  const email = text(request, 'email')?.toLowerCase();
  if (email !== undefined) {
    assertEmail(email);
    if (email !== account.email) account.emailVerified = false;
    account.email = email;
  }
  if (typeof request.emailVerified === 'boolean') account.emailVerified = request.emailVerified;
  const phoneNumber = text(request, 'phoneNumber');
  if (phoneNumber !== undefined) {
    if (!/^\+[1-9]\d{4,14}$/.test(phoneNumber.replace(/[\s()-]/g, '')))
      throw new AccountError('INVALID_PHONE_NUMBER : Invalid format.');
    account.phoneNumber = phoneNumber;
  }
  account.displayName = text(request, 'displayName') ?? account.displayName;
  account.photoUrl = text(request, 'photoUrl') ?? account.photoUrl;
  const disabled = request.disableUser ?? request.disabled;
  if (typeof disabled === 'boolean') account.disabled = disabled;
  const claims = text(request, 'customAttributes');
  if (claims !== undefined) account.customAttributes = checkedClaims(claims);
  if (request.validSince !== undefined) account.validSince = String(Number(request.validSince));
  setPassword(account, text(request, 'password') ?? text(request, 'rawPassword'), now);
  link(account, request.linkProviderUserInfo);
  enroll(account, request.mfa, now);
  deleteFields(account, request);
  return account;
}

/** The account in the format of `accounts:lookup` and `accounts:batchGet`, with all provider entries. */
export function toUserInfo(account: Account): Json {
  const { linked = [], ...rest } = account;
  const { email, phoneNumber, displayName, photoUrl } = account;
  const providerUserInfo = [...linked];
  if (email !== undefined && (account.passwordHash !== undefined || account.emailLinkSignin)) {
    providerUserInfo.push({ providerId: 'password', email, federatedId: email, rawId: email, displayName, photoUrl });
  }
  if (phoneNumber !== undefined) providerUserInfo.push({ providerId: 'phone', phoneNumber, rawId: phoneNumber });
  return { ...rest, ...(providerUserInfo.length > 0 && { providerUserInfo }) };
}

function setPassword(account: Account, password: string | undefined, now: Date): void {
  if (password === undefined) return;
  if (password.length < 6) throw new AccountError('WEAK_PASSWORD : Password should be at least 6 characters');
  const salt = randomBytes(16);
  account.salt = salt.toString('base64');
  account.passwordHash = scryptSync(password, salt, 32, { N: 1024 }).toString('base64');
  account.passwordUpdatedAt = now.getTime();
  account.validSince = String(Math.floor(now.getTime() / 1000));
}

function link(account: Account, request: unknown): void {
  if (request === undefined) return;
  const { providerId, rawId, email, displayName, photoUrl } = request as ProviderInfo;
  if (!providerId || !rawId) throw new AccountError('INVALID_PROVIDER_ID');
  account.linked = (account.linked ?? []).filter((info) => info.providerId !== providerId);
  account.linked.push({ providerId, rawId, federatedId: rawId, email, displayName, photoUrl });
}

function enroll(account: Account, request: unknown, now: Date): void {
  if (request === undefined) return;
  const { enrollments = [] } = request as { enrollments?: Partial<Factor>[] };
  account.mfaInfo = enrollments.map((factor) => ({
    ...factor,
    mfaEnrollmentId: factor.mfaEnrollmentId ?? randomBytes(16).toString('hex'),
    enrolledAt: factor.enrolledAt ?? now.toISOString(),
  }));
  const ids = new Set(account.mfaInfo.map((factor) => factor.mfaEnrollmentId));
  if (ids.size !== account.mfaInfo.length) throw new AccountError('DUPLICATE_MFA_ENROLLMENT_ID');
  if (ids.size > 5) throw new AccountError('SECOND_FACTOR_LIMIT_EXCEEDED');
  if (ids.size === 0) delete account.mfaInfo;
}

const deletableFields: Record<string, (keyof Account)[]> = {
  DISPLAY_NAME: ['displayName'],
  PHOTO_URL: ['photoUrl'],
  EMAIL: ['email', 'emailVerified'],
  PASSWORD: ['passwordHash', 'salt', 'passwordUpdatedAt'],
};

function deleteFields(account: Account, request: Json): void {
  const remove = (fields: (keyof Account)[]) => fields.forEach((field) => delete account[field]);
  for (const attribute of list(request.deleteAttribute)) remove(deletableFields[attribute] ?? []);
  for (const provider of list(request.deleteProvider)) {
    if (provider === 'phone') remove(['phoneNumber']);
    else if (provider === 'password') remove([...deletableFields.EMAIL!, ...deletableFields.PASSWORD!]);
    else account.linked = account.linked?.filter((info) => info.providerId !== provider);
  }
}

function checkedClaims(claims: string): string {
  if (claims.length > CLAIMS_LIMIT_CHARACTERS) throw new AccountError('CLAIMS_TOO_LARGE');
  let parsed: unknown;
  try {
    parsed = JSON.parse(claims);
  } catch {
    // Text that is not JSON gets the same error as a value that is not an object.
  }
  assertAllowedClaims(parsed);
  return claims;
}

/**
 * Throws INVALID_CLAIMS for a value that is not an object, and FORBIDDEN_CLAIM for a name that tokens use themselves.
 */
export function assertAllowedClaims(claims: unknown): void {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) throw new AccountError('INVALID_CLAIMS');
  const reserved = reservedClaims.find((name) => Object.hasOwn(claims, name));
  if (reserved !== undefined) throw new AccountError(`FORBIDDEN_CLAIM : ${reserved}`);
}

/** Throws INVALID_EMAIL. */
export function assertEmail(email: string): void {
  if (!EMAIL.test(email)) throw new AccountError('INVALID_EMAIL');
}

/** A string field of the request, `undefined` when absent. Throws INVALID_ARGUMENT for another type. */
export function text(request: Json, field: string): string | undefined {
  const value = request[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new AccountError(`INVALID_ARGUMENT : ${field} must be a string.`);
  return value;
}

/** A list of strings. A single value counts as a list of one, an absent value as an empty list. */
export function list(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}
