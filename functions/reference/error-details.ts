import { z } from 'zod';
import { example } from '../src/contract/example';
import type { ErrorCode } from '../src/errors';
import { scopes } from '../src/values/keys';

const count = (description: string, value: number) => z.number().meta({ description, example: value });
const text = (description: string, value: string) => z.string().meta({ description, example: value });

const errors = z
  .array(
    z.object({
      location: text('The place of the problem.', 'body.files[3].path'),
      message: text('The problem of this field.', 'A path must not be empty.'),
    }),
  )
  .optional()
  .meta({ description: 'The problems of the input, at most 200.' });
const moreErrors = z.int().optional().meta({ description: 'Number of further problems.', example: 12 });
const problems = { errors, moreErrors };

const retryInSeconds = z.int().optional().meta({ description: 'Seconds to wait, as in `Retry-After`.', example: 17 });
const limit = count('The limit.', 20).optional();
const windowSeconds = z.int().optional().meta({ description: 'Seconds over which the limit counts.', example: 3600 });
const unit = z.enum(['files', 'bytes']).optional().meta({ description: 'What the limit counts.', example: 'bytes' });
const plan = text('The plan that sets the limit.', 'free').optional();
const rate = { retryInSeconds, limit, windowSeconds };
const cap = { limit, actual: count('The value that exceeds the limit.', 31).optional(), unit, plan };

const context = { description: 'Context of the error.' };
const always = (fields: z.ZodRawShape) => z.object(fields).meta(context);
const sometimes = (fields: z.ZodRawShape) => z.object(fields).optional().meta(context);

const staleBase = z
  .object({
    serverVersion: z.int().meta({ description: 'The current version of the deck.', example: 6 }),
    expectedBaseVersion: z.int().meta({ description: 'The version that the call expected.', example: 5 }),
    updatedAt: z.iso.datetime().meta({ description: 'The time of the current version.', example: example.time }),
    updatedBy: z
      .string()
      .nullable()
      .meta({ description: 'The id of the user or key that made the current version.', example: example.userId }),
  })
  .meta({ title: 'Stale base', description: 'The deck has a newer version than the call started from.' });
const unpublishable = z
  .object({
    slug: text('The slug that is taken, or the slug of the listing of the deck.', example.slug),
    reason: z
      .enum(['slug-is-taken', 'deck-is-listed'])
      .meta({ description: 'Why the deck cannot be published under the slug.', example: 'slug-is-taken' }),
  })
  .meta({ title: 'Slug', description: 'The listing cannot be made.' });
const lostSource = z
  .object({
    slug: text('The listing of which the deck is a remix.', example.slug),
    state: z
      .enum(['deleted', 'taken-down', 'unlisted'])
      .meta({ description: 'Why the deck cannot be compared with it.', example: 'unlisted' }),
  })
  .meta({ title: 'Lost source', description: 'The source of a remix is not public any more.' });
const newerSource = z
  .object({
    slug: text('The listing of which the deck is a remix.', example.slug),
    latest: z.int().meta({ description: 'The version that it shows now.', example: 3 }),
    sourceVersion: z.int().meta({ description: 'The version that the call expected.', example: 2 }),
  })
  .meta({ title: 'Newer source', description: 'The source of a remix shows another version.' });
const bothChanged = z
  .object({
    paths: z
      .array(z.string().meta({ description: 'Path of the file in the deck.', example: 'style.css' }))
      .meta({ description: 'The files that stand in the way.' }),
  })
  .meta({ title: 'Files', description: 'Files of a remix that an update cannot take.' });
const capped = z.object(cap).meta({ title: 'Cap', description: 'The plan allows no more.' });

const lackingScope = z
  .object({ requiredScope: z.enum(scopes).meta({ description: 'The scope that the key lacks.' }) })
  .meta({ title: 'Scope', description: 'The key lacks a scope.' });
const gateRefusal = z
  .object({
    needs: z
      .array(z.enum(['passcode', 'email', 'code']).meta({ description: 'What the link asks for.' }))
      .meta({ description: 'All that is missing to open the link.', example: ['code'] }),
    wrong: z
      .enum(['passcode', 'code'])
      .optional()
      .meta({ description: 'What was sent and is wrong.', example: 'code' }),
    attemptsRemaining: z.int().optional().meta({ description: 'Remaining attempts for this code.', example: 4 }),
    requestToken: text('Send it with the code that was mailed.', example.requestToken).optional(),
  })
  .meta({ title: 'Gate', description: 'The link asks who opens it.' });

/** A call that takes two codes names the one that it refused. */
const field = z
  .enum(['code', 'newCode'])
  .optional()
  .meta({ description: 'The field with the code, for changeEmail.', example: 'newCode' });

/** `error.details` of each code that has them. Nothing else is in the details. */
export const errorDetails: Partial<Record<ErrorCode, z.ZodType>> = {
  'invalid-argument': sometimes(problems),
  'not-found': sometimes(problems),
  'hash-mismatch': always({
    declared: text('The declared hash.', example.hash),
    actual: text('The hash of the bytes.', example.hash.replace('9', 'a')),
  }),
  'blobs-missing': always({
    missing: z
      .array(text('A hash.', example.hash))
      .meta({ description: 'The hashes of the files that were not uploaded.' }),
  }),
  'too-many-files': always({ ...problems, ...cap }),
  'missing-recipients': always(problems),
  'too-many-recipients': always(problems),
  'message-too-long': always(problems),
  'permission-denied': z.union([lackingScope, gateRefusal]).optional().meta(context),
  conflict: z.union([staleBase, unpublishable, lostSource, newerSource, bothChanged, capped]).optional().meta(context),
  'payload-too-large': always({ ...cap, path: text('The file that is too large.', 'film.mp4').optional() }),
  'range-not-satisfiable': always({ size: z.int().meta({ description: 'Size of the file in bytes.', example: 1834 }) }),
  'rate-limited': always({
    ...rate,
    ...cap,
    emails: z
      .array(text('An address.', example.email))
      .optional()
      .meta({ description: 'The addresses to which too many mails were sent.' }),
  }),
  EMAIL_REQUIRED: always(problems),
  EMAIL_INVALID: always(problems),
  OTP_RESEND_COOLDOWN: always(rate),
  EMAIL_RATE_LIMITED: always(rate),
  IP_RATE_LIMITED: always(rate),
  OTP_NOT_FOUND: sometimes({ field }),
  OTP_EXPIRED: sometimes({ field }),
  OTP_ALREADY_USED: sometimes({ field }),
  OTP_PURPOSE_MISMATCH: sometimes({ field }),
  OTP_LOCKED_OUT: always({ ...rate, field }),
  OTP_INVALID: always({
    attemptsRemaining: z.int().optional().meta({ description: 'Remaining attempts for this code.', example: 4 }),
    field,
    ...problems,
  }),
  USER_FIRST_NAME_REQUIRED: always(problems),
  USER_NAME_TOO_LONG: always(problems),
  COMPANY_NAME_TOO_LONG: always(problems),
  BRAND_COLOR_INVALID: always(problems),
  LOGO_TOO_LARGE: always(problems),
  LOGO_INVALID_FORMAT: always(problems),
  LOGO_DECODE_FAILED: always(problems),
  INVALID_EXPIRES_IN_DAYS: always(problems),
  MAX_API_KEYS_REACHED: sometimes({
    limit,
    active: z.int().meta({ description: 'Number of active keys.', example: 20 }),
    retryInSeconds,
  }),
};
