import { z } from 'zod';
import { scopes } from '../values/keys';
import { isContentType } from '../values/content-types';
import { isId } from '../values/ids';

/** Fields that several endpoints share. A message that is a code of the catalogue makes that the error's code. */

/** Options of a check of a whole object that looks at fields which may be wrong in themselves: all problems are told at once. */
export const always = { when: () => true };

const EMAIL_MAX_LENGTH = 254;
const trimmedEmail = z
  .string({ error: 'EMAIL_REQUIRED' })
  .trim()
  .toLowerCase()
  .min(1, { error: 'EMAIL_REQUIRED', abort: true });

/** An address that mail can be sent to, trimmed and lower-cased. */
export const email = trimmedEmail
  .max(EMAIL_MAX_LENGTH, 'EMAIL_INVALID')
  .pipe(z.email({ pattern: z.regexes.html5Email, error: 'EMAIL_INVALID' }))
  // The pattern is that of browsers, which let an address without a domain of its own pass.
  .refine((address) => /@.+\../.test(address), 'EMAIL_INVALID');

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

export const tokenId = z.string().regex(/^[A-Za-z0-9_-]{22}$/, 'not-found');

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'A SHA-256 is 64 lowercase hex characters.');

export const contentType = z
  .string()
  .refine(isContentType, 'A MIME type such as text/html is needed, of at most 255 characters.');

/** An ISO 8601 time, UTC, with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** A code that somebody sends. It is judged with the record, so that one of the wrong shape is answered with the tries that are left. */
export const oneTimeCode = z.unknown().optional().meta({ type: 'string', pattern: '^[0-9]{6}$' });

/** The life of a key in days; left out or null, it does not end. */
export const expiresInDays = z
  .int({ error: 'INVALID_EXPIRES_IN_DAYS' })
  .min(1, 'INVALID_EXPIRES_IN_DAYS')
  .max(365, 'INVALID_EXPIRES_IN_DAYS')
  .nullish();

/** The key options of signup and login. */
export const newApiKey = z
  .object({ name: z.string().trim().max(255).nullish(), expiresInDays })
  .nullish()
  .transform((options) => ({ name: options?.name || 'CLI default key', expiresInDays: options?.expiresInDays }));

/** A key as it is answered when it is made; `raw` is answered this once. */
export const createdApiKey = z.object({
  keyId: z.string(),
  raw: z.string(),
  keyPrefix: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  createdAt: timestamp,
});

/** What a token shows: the latest version, or always the same one. */
export const versionMode = z.discriminatedUnion('type', [
  z.object({ type: z.literal('latest') }),
  z.object({ type: z.literal('pinned'), version: z.int().positive() }),
]);
export type VersionMode = z.output<typeof versionMode>;

/** The number of a version in an address. */
export const versionNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'A version is a whole number from 1 on.')
  .transform(Number);

/** A version without its files. */
export const versionRow = z.object({
  version: z.int().positive(),
  title: z.string(),
  createdAt: timestamp,
  createdBy: z.string(),
  fileCount: z.int(),
  totalBytes: z.int(),
});

/** A file of a version; `size` in bytes. */
export const manifestFile = z.object({ path: z.string(), sha256, size: z.int(), contentType: z.string() });

/** A version that was made, of a new deck or of one that is there. */
export const committed = z.object({
  presentationId: z.uuidv7(),
  version: z.int().positive(),
  /** Of a new deck only. */
  tokenId: z.string().optional(),
  /** Of a new deck only, and in this answer only. */
  token: z.string().optional(),
  /** Null when no token that follows the latest version is left. */
  shareUrl: z.url().nullable(),
  fileCount: z.int(),
  totalBytes: z.int(),
});

export const collaboratorRow = z.object({
  collaboratorId: z.string(),
  email: z.string(),
  userId: z.string().nullable(),
  displayName: z.string().nullable(),
  role: z.literal('dev'),
  status: z.enum(['pending', 'active', 'revoked']),
  invitedBy: z.string(),
  invitedAt: timestamp,
  activatedAt: timestamp.nullable(),
  revokedAt: timestamp.nullable(),
});
