import { z } from 'zod';
import { storeLogo } from '../../blobs/logos';
import { serviceSecret } from '../../config';
import { createdApiKey, knownEmail, oneTimeCode, organizationId, organizationName } from '../../contract/fields';
import { signupInput } from '../../contract/signup-input';
import { createdKeyView } from '../../contract/views';
import { acceptInvitations } from '../../decks/invitations';
import { endpoint } from '../../http/endpoint';
import { ServiceError } from '../../errors';
import { ensureIdentity } from '../../identity/provider';
import { createAccount } from '../../records/accounts';
import { createApiKey } from '../../records/api-keys';
import { assertCode, withCode } from '../../records/one-time-codes';
import { displayNameOf } from '../../records/users';
import { newId } from '../../values/ids';
import { MB } from '../../values/units';

const SentCode = z.object({ email: knownEmail, code: oneTimeCode });

export const Answer = z.object({
  organizationId,
  organizationName,
  apiKey: createdApiKey,
  isNewUser: z.boolean().meta({ description: 'Whether the identity provider had no user with this address.' }),
});

export const cliCompleteSignup = endpoint({
  name: 'cliCompleteSignup',
  about:
    'Creates an account from an emailed signup code: a user, an organization that this user owns, and an API key ' +
    'with the scopes presentations:write and presentations:read. When the call fails, no account is created. ' +
    'A call without a first name checks the code and does not use it. ' +
    'Pending invitations of the address become active.',
  method: 'POST',
  caller: 'anyone',
  limit: 3 * MB,
  input: signupInput,
  answer: Answer,
  errors: [
    'EMAIL_REQUIRED',
    'OTP_INVALID',
    'USER_FIRST_NAME_REQUIRED',
    'USER_NAME_TOO_LONG',
    'COMPANY_NAME_TOO_LONG',
    'BRAND_COLOR_INVALID',
    'LOGO_TOO_LARGE',
    'LOGO_INVALID_FORMAT',
    'LOGO_DECODE_FAILED',
    'INVALID_EXPIRES_IN_DAYS',
    'OTP_NOT_FOUND',
    'OTP_EXPIRED',
    'OTP_ALREADY_USED',
    'OTP_PURPOSE_MISMATCH',
    'USER_ALREADY_HAS_ORGANIZATION',
    'OTP_LOCKED_OUT',
    'INTERNAL',
  ],
  runtime: { class: 'hot', secrets: [serviceSecret] },

  /**
   * A client may send the code before it asks the user for a name. A wrong code is told first, and counted. A right one
   * stays unused.
   */
  async onRefusedInput(sent, refusal, now) {
    const { data } = SentCode.safeParse(sent);
    if (!data || refusal.code !== 'USER_FIRST_NAME_REQUIRED') return;
    await assertCode({ ...data, purpose: 'signup', now }).catch((error: unknown) => {
      // Without a code there is nothing to judge.
      if (!(error instanceof ServiceError) || error.code !== 'OTP_NOT_FOUND') throw error;
    });
  },

  async handle({ input, now }) {
    const { email, company } = input;
    const { firstName, lastName = null } = input.user;
    const sent = { email, purpose: 'signup', code: input.code, now } as const;
    // A wrong code must not create an identity, so the code is checked first. The transaction that writes the account
    // checks it again and consumes it.
    await assertCode(sent);
    const { userId, isNewUser } = await ensureIdentity(email, displayNameOf({ firstName, lastName }));
    const logo = input.logo && {
      objectPath: await storeLogo(userId, input.logo),
      contentType: input.logo.contentType,
    };

    const organizationId = newId();
    const organizationName = company.name || `${firstName}'s workspace`;
    const user = { userId, email, firstName, lastName, organizationId, createdAt: now };
    const apiKey = await withCode(sent, async (tx) => {
      await createAccount(tx, user, {
        name: organizationName,
        description: company.description ?? null,
        tone: company.tone ?? null,
        brandPrimary: withHash(company.brandPrimary),
        brandSecondary: withHash(company.brandSecondary),
        brandAccent: withHash(company.brandAccent),
        logo: logo ?? null,
      });
      return createApiKey(
        tx,
        { ...input.apiKey, scopes: ['presentations:write', 'presentations:read'], organizationId, userId },
        now,
      );
    });
    await acceptInvitations(user, now);
    return { organizationId, organizationName, apiKey: createdKeyView(apiKey), isNewUser };
  },
});

/** The colour in the stored form: lower case, with #. */
function withHash(color: string | null | undefined): string | null {
  return color ? `#${color.replace('#', '').toLowerCase()}` : null;
}
