import { z } from 'zod';
import { code } from '../errors';
import { decodeLogo } from '../policy/logos';
import { plans } from '../policy/plans';
import { example } from './example';
import {
  answeredEmail,
  issuedDeviceToken,
  knownEmail,
  newApiKey,
  oneTimeCode,
  organizationId,
  organizationName,
  requestToken,
  time,
  userId,
} from './fields';
import { humanText, optionalText } from './human-text';

/** The fields of users, organizations and signups: as a client sends them, and as an answer has them. */

/** The fields of a user that the user writes. */
export const profileFields = {
  firstName: humanText({
    max: 60,
    tooLong: code('USER_NAME_TOO_LONG'),
    missing: code('USER_FIRST_NAME_REQUIRED'),
    error: code('USER_FIRST_NAME_REQUIRED'),
  }).meta({ description: 'First name.', example: 'Ada' }),
  lastName: optionalText({ max: 60, tooLong: code('USER_NAME_TOO_LONG') }).meta({
    description: 'Last name.',
    example: 'Lovelace',
  }),
};

const brandColor = (which: string) =>
  z
    .string({ error: code('BRAND_COLOR_INVALID') })
    .regex(/^#?[0-9a-fA-F]{6}$/, code('BRAND_COLOR_INVALID'))
    // The stored form: lower case, with #.
    .transform((color) => `#${color.replace('#', '').toLowerCase()}`)
    .nullish()
    .meta({ description: `${which} brand colour: 6 hex digits, with or without #.`, example: '#1a2b3c' });
const freeText = (description: string, example: string) =>
  optionalText({ max: 10_000, lines: true }).meta({ description, example });

const companyNameRules = { max: 100, tooLong: code('COMPANY_NAME_TOO_LONG') };
export const companyName = humanText({
  ...companyNameRules,
  missing: 'An organization needs a name that people can see.',
});

/** The fields of an organization besides its name and its logo. */
export const companyFields = {
  description: freeText('Business of the organization.', 'We build calculating machines.'),
  tone: freeText('Tone of voice of the organization.', 'Precise and friendly.'),
  brandPrimary: brandColor('Primary'),
  brandSecondary: brandColor('Secondary'),
  brandAccent: brandColor('Accent'),
};

/** A logo. It is decoded: `bytes` with a `contentType` that they have. */
export const sentLogo = z
  .object({
    data: z.string(code('LOGO_DECODE_FAILED')).meta({
      description:
        'The image as base64, at most 2 MB (2 097 152 bytes) when decoded. At most 16 megapixels, counted over all ' +
        'frames. An SVG needs a `viewBox` of at most 100 000 units on each side.',
      example: 'PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiLz4=',
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

/** Whether an input that changes a record names a field of it. */
export const someField = (input: object) => Object.values(input).some((value) => value !== undefined);
export const NO_FIELD = 'Send at least one field to change.';

/** The address and the code of a signup. A client may send them before it asks for the name of the user. */
export const signupCode = z.object({
  email: knownEmail.meta({ description: 'Address to which the signup code was sent.' }),
  code: oneTimeCode,
  requestToken,
});

const nameOfNew = optionalText(companyNameRules).meta({
  description: "Name of the organization. The default is the first name followed by `'s workspace`.",
  example: 'Analytical Engines',
});

/** The input that completes a signup. */
export const signupInput = signupCode.extend({
  user: z.object(profileFields, { error: code('USER_FIRST_NAME_REQUIRED') }).meta({ description: 'The new user.' }),
  company: z
    .object({ name: nameOfNew, ...companyFields })
    .nullish()
    .meta({ description: 'The new organization. Without this field the service creates one with default values.' }),
  logo: sentLogo.nullish().meta({ description: 'Logo of the organization: PNG, JPEG, WebP or SVG.' }),
  apiKey: newApiKey,
});

const displayName = z.string().meta({ description: 'Name of the user.', example: 'Ada Lovelace' });

/** A new dashboard session. No later answer contains its token. */
export const createdSession = z.object({
  sessionToken: z.string().meta({
    description:
      'Token of the session, to be sent as `Authorization: Bearer`. The service returns it in this answer only.',
    example: example.sessionToken,
  }),
  expiresAt: time('When the token expires.'),
  exchange: z.string().meta({
    description:
      'What a browser exchanges with dashboardSession for a cookie, within 60 seconds and once. A program ignores it.',
    example: example.exchange,
  }),
  organizationId,
  organizationName,
  user: z
    .object({
      userId,
      displayName,
      email: answeredEmail,
    })
    .meta({ description: 'The user of the session.' }),
  deviceToken: issuedDeviceToken,
});

export const isNewUser = z
  .boolean()
  .meta({ description: 'Whether the identity provider had no user with this address.' });

/** The user in an answer to this user. */
export const accountUser = z
  .object({
    userId,
    email: answeredEmail,
    firstName: z.string().meta({ description: 'First name.', example: 'Ada' }),
    lastName: z.string().nullable().meta({ description: 'Last name, or null.', example: 'Lovelace' }),
    displayName: displayName.meta({ description: 'First and last name.' }),
    createdAt: time('When the user signed up.'),
  })
  .meta({ id: 'User', description: 'The user of the key or session.' });

const textOrNull = (description: string, example: string) => z.string().nullable().meta({ description, example });
const colorOrNull = (which: string) => textOrNull(`${which} brand colour, or null.`, '#1a2b3c');

/** The organization in an answer to its members. */
export const accountOrganization = z
  .object({
    organizationId,
    name: organizationName,
    description: textOrNull('Business of the organization, or null.', 'We build calculating machines.'),
    tone: textOrNull('Tone of voice of the organization, or null.', 'Precise and friendly.'),
    brandPrimary: colorOrNull('Primary'),
    brandSecondary: colorOrNull('Secondary'),
    brandAccent: colorOrNull('Accent'),
    logo: z
      .object({ contentType: z.string().meta({ description: 'Type of the image.', example: 'image/svg+xml' }) })
      .nullable()
      .meta({ description: 'The logo of the organization, which getOrganizationLogo returns. Null without a logo.' }),
    plan: z.enum(plans).meta({ description: 'Plan of the organization.', example: 'free' }),
  })
  .meta({ id: 'Organization', description: 'The organization of the key or session.' });
