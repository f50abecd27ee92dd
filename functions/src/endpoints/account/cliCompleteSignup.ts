import { z } from 'zod';
import { storeLogo } from '../../blobs/logos';
import { serviceSecret } from '../../config';
import {
  createdApiKey,
  knownEmail,
  newApiKey,
  oneTimeCode,
  organizationId,
  organizationName,
} from '../../contract/fields';
import { createdKeyView } from '../../contract/views';
import { acceptInvitations } from '../../decks/invitations';
import { code } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { ensureIdentity } from '../../identity/provider';
import { decodeLogo } from '../../policy/logos';
import { createAccount } from '../../records/accounts';
import { createApiKey } from '../../records/api-keys';
import { assertCode, withCode } from '../../records/one-time-codes';
import { displayNameOf } from '../../records/users';
import { newId } from '../../values/ids';

const brandColor = (which: string) =>
  z
    .string({ error: code('BRAND_COLOR_INVALID') })
    .regex(/^#?[0-9a-fA-F]{6}$/, code('BRAND_COLOR_INVALID'))
    .nullish()
    .meta({ description: `${which} brand colour: 6 hex digits, with or without #.`, example: '#1a2b3c' });
const freeText = (description: string, example: string) =>
  z.string().trim().max(10_000).nullish().meta({ description, example: example });

const Logo = z
  .object({
    data: z.string(code('LOGO_DECODE_FAILED')).meta({
      description: 'The image as base64, at most 2 MB (2 097 152 bytes) when decoded.',
      example: 'PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
      contentEncoding: 'base64',
    }),
    contentType: z.string(code('LOGO_INVALID_FORMAT')).meta({
      description: 'Type of the image. The bytes must be of this type.',
      example: 'image/svg+xml',
      override: { enum: ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'] },
    }),
  })
  .transform((logo, context) => {
    const bytes = decodeLogo(logo.data, logo.contentType);
    if (Buffer.isBuffer(bytes)) return { bytes, contentType: logo.contentType };
    context.issues.push({ code: 'custom', message: bytes, input: logo });
    return z.NEVER;
  });

export const Input = z.object({
  email: knownEmail.meta({ description: 'Address to which the signup code was sent.' }),
  code: oneTimeCode,
  user: z
    .object(
      {
        firstName: z
          .string({ error: code('USER_FIRST_NAME_REQUIRED') })
          .trim()
          .min(1, code('USER_FIRST_NAME_REQUIRED'))
          .max(60, code('USER_NAME_TOO_LONG'))
          .meta({ description: 'First name.', example: 'Ada' }),
        lastName: z
          .string()
          .trim()
          .max(60, code('USER_NAME_TOO_LONG'))
          .nullish()
          .meta({ description: 'Last name.', example: 'Lovelace' }),
      },
      { error: code('USER_FIRST_NAME_REQUIRED') },
    )
    .meta({ description: 'The new user.' }),
  company: z
    .object({
      name: z.string().trim().max(100, code('COMPANY_NAME_TOO_LONG')).nullish().meta({
        description: "Name of the organization. The default is the first name followed by `'s workspace`.",
        example: 'Analytical Engines',
      }),
      description: freeText('Business of the organization.', 'We build calculating machines.'),
      tone: freeText('Tone of voice of the organization.', 'Precise and friendly.'),
      brandPrimary: brandColor('Primary'),
      brandSecondary: brandColor('Secondary'),
      brandAccent: brandColor('Accent'),
    })
    .nullish()
    .transform((company) => company ?? {})
    .meta({ description: 'The new organization. Without this field the service creates one with default values.' }),
  logo: Logo.nullish().meta({ description: 'Logo of the organization: PNG, JPEG, WebP or SVG.' }),
  apiKey: newApiKey,
});

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
    'Pending invitations of the address become active.',
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
