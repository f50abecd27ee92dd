import { z } from 'zod';
import { scopes } from '../policy/keys';
import { isContentType } from '../policy/content-types';
import { isId } from '../policy/ids';

/** Fields that several endpoints share. A message that is a code of the catalogue makes that the error's code. */

const EMAIL_MAX_LENGTH = 254;
const trimmedEmail = z
  .string({ error: 'EMAIL_REQUIRED' })
  .trim()
  .toLowerCase()
  .min(1, { error: 'EMAIL_REQUIRED', abort: true });

/** An address that mail can be sent to, trimmed and lower-cased. */
export const email = trimmedEmail.max(EMAIL_MAX_LENGTH, 'EMAIL_INVALID').pipe(z.email('EMAIL_INVALID'));

/** An address that is only looked up. */
export const knownEmail = trimmedEmail;

/** An id of ours; what has another shape exists nowhere. */
const id = (what: string) =>
  z
    .string()
    .min(1, { error: `A ${what} is needed.`, abort: true })
    .refine(isId, 'not-found');

export const presentationId = id('presentationId');
export const sessionId = id('sessionId');

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'A SHA-256 is 64 lowercase hex characters.');

export const contentType = z
  .string()
  .refine(isContentType, 'A MIME type such as text/html is needed, of at most 255 characters.');

/** An ISO 8601 time, UTC, with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** The key options of signup and login. */
export const newApiKey = z
  .object({
    name: z.string().trim().min(1).max(100).default('CLI default key'),
    expiresInDays: z
      .int({ error: 'INVALID_EXPIRES_IN_DAYS' })
      .min(1, 'INVALID_EXPIRES_IN_DAYS')
      .max(365, 'INVALID_EXPIRES_IN_DAYS')
      .nullish(),
  })
  .prefault({});

/** A key as it is answered when it is made; `raw` is answered this once. */
export const createdApiKey = z.object({
  keyId: z.string(),
  raw: z.string(),
  keyPrefix: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  createdAt: timestamp,
});
