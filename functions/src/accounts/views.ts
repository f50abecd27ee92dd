import type { z } from 'zod';
import type { accountOrganization, accountUser } from '../contract/account-fields';
import type { Organization } from '../records/organizations';
import { displayNameOf, type User } from '../records/users';

/** A user in an answer to this user. */
export function userView(user: User): z.output<typeof accountUser> {
  const { userId, email, firstName, lastName, createdAt } = user;
  return { userId, email, firstName, lastName, displayName: displayNameOf(user), createdAt: createdAt.toISOString() };
}

/** An organization in an answer to its members. */
export function organizationView(organization: Organization): z.output<typeof accountOrganization> {
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
