import { z } from 'zod';
import { code } from '../errors';
import { decodeLogo } from '../policy/logos';
import { knownEmail, newApiKey, oneTimeCode } from './fields';

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

/** The input that completes a signup. The logo is decoded: `bytes` with a `contentType` that they have. */
export const signupInput = z.object({
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
