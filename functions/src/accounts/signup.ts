import { storeLogo } from '../blobs/logos';
import { signupCode } from '../contract/account-fields';
import { acceptInvitations } from '../decks/invitations';
import { ServiceError } from '../errors';
import { ensureIdentity } from '../identity/provider';
import { createAccount } from '../records/accounts';
import type { Transaction } from '../records/database';
import { assertCode, withCode } from '../records/one-time-codes';
import type { Organization } from '../records/organizations';
import { type User } from '../records/users';
import { displayNameOf } from '../values/display-name';
import { newId } from '../values/ids';

/** What an endpoint got from the client, checked by its input. */
interface Signup {
  email: string;
  code: unknown;
  requestToken?: string | null | undefined;
  user: { firstName: string; lastName?: string | null | undefined };
  company?: Partial<Record<CompanyField, string | null | undefined>> | null | undefined;
  logo?: { bytes: Buffer; contentType: string } | null | undefined;
}
/** When and from where a signup was sent. */
interface CallerOfSignup {
  now: Date;
  clientAddress: string;
}

/** The user of a new account, who owns its organization. */
type NewUser = User & { organizationId: string };

interface CompletedSignup<Credential> {
  user: NewUser;
  organizationName: string;
  isNewUser: boolean;
  credential: Credential;
}

type CompanyField = 'name' | 'description' | 'tone' | 'brandPrimary' | 'brandSecondary' | 'brandAccent';

/**
 * Creates an account from a mailed code. `createCredential` creates the first key or session in the transaction that
 * writes the account. When the call fails, no account is created.
 */
export async function completeSignup<Credential>(
  { email, code, requestToken, user: { firstName, lastName = null }, company, logo: sentLogo }: Signup,
  { now, clientAddress }: CallerOfSignup,
  createCredential: (tx: Transaction, user: NewUser, organizationName: string) => Credential,
): Promise<CompletedSignup<Credential>> {
  const sent = { email, purpose: 'signup', code, requestToken, clientAddress, now } as const;
  // A wrong code must not create an identity, so the code is checked first. The transaction that writes the account
  // checks it again and consumes it.
  await assertCode(sent);
  const { userId, isNewUser } = await ensureIdentity(email, displayNameOf({ firstName, lastName }));
  const logo = sentLogo ? await storeLogo(userId, sentLogo) : null;

  const organizationId = newId();
  const name = company?.name || `${firstName}'s workspace`;
  const brandColour = company?.brandPrimary ?? null;
  const user = { userId, email, firstName, lastName, organizationId, brandColour, createdAt: now };
  const created = await withCode(sent, async (tx) => {
    const written = await createAccount(tx, user, { name, logo, ...brandOf(company ?? {}) });
    return { user: written, credential: createCredential(tx, written, name) };
  });
  await acceptInvitations(user, now);
  return { ...created, organizationName: name, isNewUser };
}

type Brand = Pick<Organization, Exclude<CompanyField, 'name'>>;

const brandOf = (company: NonNullable<Signup['company']>): Brand => ({
  description: company.description ?? null,
  tone: company.tone ?? null,
  brandPrimary: company.brandPrimary ?? null,
  brandSecondary: company.brandSecondary ?? null,
  brandAccent: company.brandAccent ?? null,
});

/**
 * For a refused signup. A client may send the code before it asks the user for a name. A wrong code is told first, and
 * counted. A right one stays unused.
 */
export async function assertCodeWithoutName(
  sent: object,
  refusal: ServiceError,
  { now, clientAddress }: CallerOfSignup,
): Promise<void> {
  const { data } = signupCode.safeParse(sent);
  if (!data || refusal.code !== 'USER_FIRST_NAME_REQUIRED') return;
  await assertCode({ ...data, purpose: 'signup', clientAddress, now }).catch((error: unknown) => {
    // Without a code there is nothing to judge.
    if (!(error instanceof ServiceError) || error.code !== 'OTP_NOT_FOUND') throw error;
  });
}
