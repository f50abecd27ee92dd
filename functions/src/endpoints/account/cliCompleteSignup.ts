import { z } from 'zod';
import { storeLogo } from '../../blobs/logos';
import { serviceSecret } from '../../config';
import { endpoint } from '../../http/endpoint';
import { createdApiKey, knownEmail, newApiKey, oneTimeCode } from '../../contract/fields';
import { acceptInvitations } from '../../decks/invitations';
import { createdKeyView } from '../../contract/views';
import { ensureIdentity } from '../../identity/provider';
import { newId } from '../../values/ids';
import { decodeLogo } from '../../policy/logos';
import { createApiKey } from '../../records/api-keys';
import { createAccount } from '../../records/accounts';
import { assertCode, withCode } from '../../records/one-time-codes';
import { displayNameOf } from '../../records/users';

/**
 * Turns a mailed code into an account: a user, an organization of its own and a first API key, all or nothing. The code is checked
 * before the identity provider is asked, and used up only in the transaction that writes the account.
 */

const brandColor = z
  .string({ error: 'BRAND_COLOR_INVALID' })
  .regex(/^#?[0-9a-fA-F]{6}$/, 'BRAND_COLOR_INVALID')
  .nullish();
const freeText = z.string().trim().max(10_000).nullish();

const Logo = z
  .object({ data: z.string('LOGO_DECODE_FAILED'), contentType: z.string('LOGO_INVALID_FORMAT') })
  .transform((logo, context) => {
    const bytes = decodeLogo(logo.data, logo.contentType);
    if (Buffer.isBuffer(bytes)) return { bytes, contentType: logo.contentType };
    context.issues.push({ code: 'custom', message: bytes, input: logo });
    return z.NEVER;
  });

export const Input = z.object({
  email: knownEmail,
  code: oneTimeCode,
  user: z.object(
    {
      firstName: z
        .string({ error: 'USER_FIRST_NAME_REQUIRED' })
        .trim()
        .min(1, 'USER_FIRST_NAME_REQUIRED')
        .max(60, 'USER_NAME_TOO_LONG'),
      lastName: z.string().trim().max(60, 'USER_NAME_TOO_LONG').nullish(),
    },
    { error: 'USER_FIRST_NAME_REQUIRED' },
  ),
  company: z
    .object({
      name: z.string().trim().max(100, 'COMPANY_NAME_TOO_LONG').nullish(),
      description: freeText,
      tone: freeText,
      brandPrimary: brandColor,
      brandSecondary: brandColor,
      brandAccent: brandColor,
    })
    .nullish()
    .transform((company) => company ?? {}),
  logo: Logo.nullish(),
  apiKey: newApiKey,
});

export const Answer = z.object({
  organizationId: z.string(),
  organizationName: z.string(),
  apiKey: createdApiKey,
  isNewUser: z.boolean(),
});

export const cliCompleteSignup = endpoint({
  name: 'cliCompleteSignup',
  method: 'POST',
  caller: 'anyone',
  input: Input,
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
  runtime: { secrets: [serviceSecret] },

  async handle({ input, now }) {
    const { email, company } = input;
    const { firstName, lastName = null } = input.user;
    const sent = { email, purpose: 'signup', code: input.code, now } as const;
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

/** Colours are stored in one spelling. */
function withHash(color: string | null | undefined): string | null {
  return color ? `#${color.replace('#', '').toLowerCase()}` : null;
}
