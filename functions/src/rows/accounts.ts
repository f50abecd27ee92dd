import { displayNameOf } from '../values/display-name';
import { countryName } from '../values/countries';
import type { Scope } from '../values/keys';
import { iso } from './fields';

/** The rows of an account. A parameter has the fields of a record that the row needs. */

interface UserFields {
  userId: string;
  email: string;
  firstName: string;
  lastName: string | null;
  createdAt: Date;
}

/** A user in an answer to this user. */
export function userView(user: UserFields) {
  const { userId, email, firstName, lastName, createdAt } = user;
  return { userId, email, firstName, lastName, displayName: displayNameOf(user), createdAt: createdAt.toISOString() };
}

interface OrganizationFields<Plan> {
  organizationId: string;
  name: string;
  description: string | null;
  tone: string | null;
  brandPrimary: string | null;
  brandSecondary: string | null;
  brandAccent: string | null;
  logo: { contentType: string } | null;
  plan: Plan;
}

/** An organization in an answer to its members. */
export function organizationView<Plan>(organization: OrganizationFields<Plan>) {
  const { organizationId, name, description, tone, brandPrimary, brandSecondary, brandAccent, logo, plan } =
    organization;
  return {
    organizationId,
    name,
    description,
    tone,
    brandPrimary,
    brandSecondary,
    brandAccent,
    logo: logo && { contentType: logo.contentType },
    plan,
  };
}

interface KeyFields {
  keyId: string;
  keyPrefix: string;
  name: string;
  description: string | null;
  scopes: Scope[];
  status: 'active' | 'revoked';
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  userId: string | null;
}

/** A key without its raw value. */
export const keyView = ({ keyId, keyPrefix, name, description, scopes, status, userId, ...times }: KeyFields) => ({
  keyId,
  keyPrefix,
  name,
  description,
  scopes,
  status,
  createdAt: times.createdAt.toISOString(),
  lastUsedAt: iso(times.lastUsedAt),
  expiresAt: iso(times.expiresAt),
  userId,
});

/** A new key with its raw value. */
export function createdKeyView(key: Omit<KeyFields, 'description' | 'status'> & { raw: string }) {
  const { keyId, raw, keyPrefix, name, scopes } = key;
  return { keyId, raw, keyPrefix, name, scopes, createdAt: key.createdAt.toISOString() };
}

interface SessionFields {
  sessionId: string;
  device: string;
  country: string | null;
  createdAt: Date;
  lastUsedAt: Date;
}

/** A dashboard session without its secrets. */
export const sessionView = ({ sessionId, device, country, createdAt, lastUsedAt }: SessionFields) => ({
  sessionId,
  device,
  place: country && countryName(country),
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt.toISOString(),
});
