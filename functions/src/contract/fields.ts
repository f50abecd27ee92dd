import { z } from 'zod';
import { code } from '../errors';
import { mailStates } from '../policy/mail-deliveries';
import { closures, notifications, tokenStates } from '../policy/presentation-access';
import { isContentType } from '../values/content-types';
import { deckCursor } from '../values/deck-cursor';
import { LAST_MOMENT_MS, pageCursor } from '../values/cursor';
import { isId } from '../values/ids';
import { MAX_ACTIVE_KEYS, scopes } from '../values/keys';
import { MAX_PASSCODE, MIN_PASSCODE } from '../values/passcodes';
import { example } from './example';
import { humanText, optionalText } from './human-text';

/**
 * Fields that several endpoints share. A message that is a code of the error table becomes the code of the error.
 * Metadata are public text: the API reference shows each description and the first example.
 */

/**
 * Options of a check of a whole object. The check also runs when a field is invalid, so that one answer lists all
 * problems.
 */
export const always = { when: () => true };

/** Documents that an input has exactly one of two fields. `withOther` is a field that `other` needs. */
export const eitherOf = (one: string, other: string, withOther?: string) => ({
  oneOf: [present(one), present(other, ...(withOther ? [withOther] : []))],
});
/** Documents that an input does not have both fields. */
export const notBothOf = (one: string, other: string) => ({ not: present(one, other) });
const present = (...names: string[]) => ({
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string', minLength: 1 }])),
});

/**
 * An array of `min` to `max` items. A longer array is refused before its items are checked. The documented schema is
 * that of the inner array. `refine` adds to the inner array: zod would document an array that is changed after this
 * function as optional.
 */
export function boundedArray<Item extends z.ZodType, Refined extends z.ZodType = z.ZodArray<Item>>(
  item: Item,
  { max, tooMany, min = 0, tooFew, error }: Bounds,
  refine = (array: z.ZodArray<Item>) => array as unknown as Refined,
) {
  return z.preprocess(
    (value, context) => {
      if (!Array.isArray(value) || value.length <= max) return value;
      context.issues.push({ code: 'custom', message: tooMany, input: value });
      return z.NEVER;
    },
    refine(
      z
        .array(item, error && { error })
        .min(min, tooFew)
        .max(max, tooMany),
    ),
  );
}

interface Bounds {
  max: number;
  tooMany: string;
  min?: number;
  tooFew?: string;
  /** The message when the value is not an array. */
  error?: (issue: { input?: unknown }) => string | undefined;
}

// ---- Accounts

const EMAIL_MAX_LENGTH = 254;
const trimmedEmail = z
  .string({ error: code('EMAIL_REQUIRED') })
  .trim()
  .toLowerCase()
  .min(1, { error: code('EMAIL_REQUIRED'), abort: true });

const emailMeta = {
  description: 'Email address. The service trims it and converts it to lower case.',
  example: example.email,
};

/** An address to which the service may send mail: trimmed and in lower case. */
export const email = trimmedEmail
  .max(EMAIL_MAX_LENGTH, { error: code('EMAIL_INVALID'), abort: true })
  .pipe(z.email({ pattern: z.regexes.html5Email, error: code('EMAIL_INVALID'), abort: true }))
  // The pattern is the one of browsers. It accepts an address without a top-level domain.
  .refine((address) => /^[^@]+@.+\../.test(address), code('EMAIL_INVALID'))
  .meta({ ...emailMeta, format: 'email', pattern: z.regexes.html5Email.source });

/** An address that the service only looks up and does not mail. */
export const knownEmail = trimmedEmail.meta(emailMeta);

/** An address in an answer. */
export const answeredEmail = z
  .string()
  .meta({ description: 'Email address in lower case.', example: emailMeta.example });

/**
 * A code that a client sends. The endpoint checks the shape of the code together with its record: the answer to a code
 * of another shape carries the remaining tries.
 */
export const oneTimeCode = z
  .preprocess((sent) => sent ?? '', z.unknown())
  .meta({
    description: 'The 6-digit code from the email.',
    example: '042137',
    override: { type: 'string', pattern: '^[0-9]{6}$' },
  });

/** The proof of a request for a code. */
export const requestToken = z
  .string()
  .max(200)
  .nullish()
  .meta({
    description:
      'The `requestToken` of the request that had the code mailed. The code of that request is tried, with 5 attempts ' +
      'that nobody else can use up. Without it the newest code of the address is tried.',
    example: example.requestToken,
  });

/** What a device sends that has signed in before. */
export const deviceToken = z
  .string()
  .max(200)
  .nullish()
  .meta({
    description:
      'The `deviceToken` that the last sign-in of the address on this device answered. Requests with it have a ' +
      'cooldown and a limit of their own. A token that is not valid counts as none.',
    example: example.deviceToken,
  });

/** The token in the answer of a sign-in. */
export const issuedDeviceToken = z.string().meta({
  description:
    'Shows to cliRequestLoginOtp and cliRequestSignupOtp for 90 days that a user of this address has signed in on ' +
    'this device, and is good for nothing else. Store it as you store a key.',
  example: example.deviceToken,
});

export const organizationId = z
  .string()
  .meta({ description: 'Id of the organization.', example: example.organizationId });
export const organizationName = z
  .string()
  .meta({ description: 'Name of the organization.', example: "Ada's workspace" });
export const userId = z.string().meta({ description: 'Id of the user.', example: example.userId });

/** The answer to a request for a code. */
export const codeSent = z.object({
  email: answeredEmail.meta({ description: 'The address to which the code was sent, in lower case.' }),
  expiresInSeconds: z.int().meta({ description: 'Lifetime of the code in seconds.', example: 600 }),
  requestToken: z.string().meta({
    description: 'Send it with the code. Then nobody else can use up your attempts. It is valid as long as the code.',
    example: example.requestToken,
  }),
});

// ---- Keys

/** The lifetime of a key in days. Without it, or with null, the key does not expire. */
export const expiresInDays = z
  .int({ error: code('INVALID_EXPIRES_IN_DAYS') })
  .min(1, code('INVALID_EXPIRES_IN_DAYS'))
  .max(365, code('INVALID_EXPIRES_IN_DAYS'))
  .nullish()
  .meta({
    description: 'Lifetime of the key in days. Without it, or with null, the key does not expire.',
    example: 90,
  });

/** The key options of signup and login. */
export const newApiKey = z
  .object({
    name: optionalText({ max: 255 }).meta({
      description: 'Name of the new key. The default is `CLI default key`.',
      example: 'Laptop',
    }),
    expiresInDays,
  })
  .nullish()
  .transform((options) => ({ name: options?.name || 'CLI default key', expiresInDays: options?.expiresInDays }))
  .meta({ description: 'Options of the new key.' });

export const keyId = z.string().meta({ description: 'Id of the key.', example: example.keyId });
export const keyPrefix = z.string().meta({
  description: 'First 8 characters of the key. They identify the key for people and give no access.',
  example: 'cko_EXAM',
});
export const keyName = z.string().meta({ description: 'Name of the key.', example: 'CLI default key' });
export const keyScopes = z
  .array(z.enum(scopes).meta({ description: 'A scope.' }))
  .meta({ description: 'Scopes of the key.', example: ['presentations:write', 'presentations:read'] });

/** An ISO 8601 time, UTC, with milliseconds. */
export const timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'A time: ISO 8601, UTC, with milliseconds.', example: example.time });
/** A time in an answer. */
export const time = (description: string) => timestamp.meta({ description });
export const timeOrNull = (description: string) => timestamp.nullable().meta({ description, example: example.time });

/** A time that a caller sets. `assertFuture` (decks/preconditions) checks that it has not passed. */
export const futureTime = z.iso
  .datetime({ offset: true, error: 'Send an ISO 8601 time, or null.' })
  .transform((text) => new Date(text))
  .refine((at) => at.getTime() <= LAST_MOMENT_MS, 'The time must not be after the year 9999.')
  .meta({ description: 'A time in the future: ISO 8601.', example: '2031-01-01T00:00:00.000Z' });

/** Why all links of a deck are closed. */
export const closed = z
  .enum(closures)
  .nullable()
  .meta({
    description:
      'Why all links of the deck are closed: taken-down: by an operator. expired: `expiresAt` has passed. Null when ' +
      'they are not closed.',
    example: null,
  });

const takedown = z.object({
  at: time('When the operator took it down.'),
  reason: z.string().meta({ description: 'Why the operator took it down.', example: 'Copyright complaint' }),
});
export const takedownOrNull = (description: string) => takedown.nullable().meta({ description, example: null });

export const rawKey = z.string().meta({
  description: 'The key itself. The service returns it in this answer only and stores its SHA-256 hash.',
  example: example.key,
});

/** A new key. No later answer contains `raw`. */
export const createdApiKey = z
  .object({
    keyId,
    raw: rawKey,
    keyPrefix,
    name: keyName,
    scopes: keyScopes,
    createdAt: time('When the key was created.'),
  })
  .meta({ id: 'CreatedApiKey', description: 'The new API key.' });

export const keyLimit = z
  .int()
  .meta({ description: 'The most active keys that an organization may have.', example: MAX_ACTIVE_KEYS });

// ---- Decks, versions and files

/** An id of the service. A text of another shape cannot be an id: not-found. */
export const id = (field: string) =>
  z
    .string()
    .min(1, { error: `A ${field} is needed.`, abort: true })
    .refine(isId, code('not-found'))
    .meta({ format: 'uuid' });

export const presentationId = id('presentationId').meta({ description: 'Id of the deck.', example: example.deckId });
export const sessionId = id('sessionId').meta({
  description: 'Id of an upload session that precheckAssets opened.',
  example: example.sessionId,
});
export const dashboardSessionId = id('sessionId').meta({
  description: 'Id of a dashboard session.',
  example: example.dashboardSessionId,
});

/** The id of a deck in an answer. */
export const deckId = z.uuidv7().meta({ description: 'Id of the deck.', example: example.deckId });

export const tokenId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{22}$/, code('not-found'))
  .meta({
    description: 'Id of the share token. The id is not the secret in the link and gives no access.',
    example: example.tokenId,
  });
export const token = z.string().meta({
  description:
    'The share token itself, the secret in the link: 64 characters. The service returns it in this answer only.',
  example: example.token,
});
/** A name that the owner of a link chooses. */
export const newTokenName = humanText({ max: 255, missing: 'A token needs a name that people can see.' }).meta({
  description: 'Name of the link, for its owner.',
  example: 'Board meeting',
});
export const tokenName = z.string().meta({ description: 'Name of the share token.', example: 'default' });
export const shareUrl = z
  .url()
  .meta({ description: 'Address that opens the deck in a browser.', example: example.shareUrl });
/** Fields of a link that its owner sets. With null, and without one for a new link, the rule is off. */
export const linkExpiry = futureTime.nullish().meta({
  description: 'When the link stops opening: ISO 8601, in the future. Null: it does not expire.',
  example: '2031-01-01T00:00:00.000Z',
});
export const linkShort = z
  .boolean()
  .nullish()
  .meta({
    description:
      'Whether the link also has a short address, which a person can type. False or null: it has none, and an address ' +
      'that it had never opens again.',
    example: true,
  });
const passcodeRules = `A passcode has ${MIN_PASSCODE} to ${MAX_PASSCODE} characters, at least two different ones.`;
export const linkPasscode = z
  .string()
  .min(MIN_PASSCODE, { error: passcodeRules, abort: true })
  .max(MAX_PASSCODE, { error: passcodeRules, abort: true })
  .refine((text) => new Set(text).size > 1, passcodeRules)
  .nullish()
  .meta({
    description:
      'What readers must know to open the link, 6 to 64 characters. No answer shows it. Null: nothing. A new passcode ' +
      'closes the deck for those who opened it with the old one.',
    example: example.passcode,
  });
const MAX_OPENINGS = 1_000_000;
export const linkMaxOpenings = z
  .int()
  .min(1)
  .max(MAX_OPENINGS)
  .nullish()
  .meta({
    description:
      'How often the link opens; each opening lasts 24 hours in one browser, and those of the owner and the devs are ' +
      'not counted. Null: any number.',
    example: 10,
  });
const MAX_READER_RULES = 200;
const domainRule = z
  .string()
  .trim()
  .toLowerCase()
  .regex(
    /^@[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)+$/,
    'Send an address, or a domain such as @example.com.',
  );
export const linkReaders = z
  .array(z.string().meta({ description: 'An address or a domain.', example: '@example.org' }))
  .min(1)
  .max(MAX_READER_RULES)
  .pipe(
    z
      .array(z.union([domainRule, email], { error: 'Send an address, or a domain such as @example.com.' }))
      .transform((rules) => [...new Set(rules)]),
  )
  .nullish()
  .meta({
    description:
      'Who may open the link: up to 200 addresses, and domains such as `@example.com` without their subdomains. A ' +
      'reader proves an address with a code that is mailed to it. Null: everybody who has the link.',
    example: ['grace@example.com', '@example.org'],
  });
export const linkNotify = z.enum(notifications).nullish().meta({
  description:
    'first: the owner gets a mail when somebody else first views the deck through the link. The default is never.',
  example: 'first',
});
/** The rules that a call sets for a link. */
export const linkRules = {
  expiresAt: linkExpiry,
  short: linkShort,
  passcode: linkPasscode,
  maxOpenings: linkMaxOpenings,
  allowedEmails: linkReaders,
  notify: linkNotify,
};
export const requireEmail = z
  .boolean()
  .optional()
  .meta({
    description:
      'Whether each new link opens for its recipient alone, who proves the address with a mailed code. Not together ' +
      'with `allowedEmails`.',
    example: true,
  });
export const shortUrl = z
  .url()
  .meta({ description: 'Short address of the link, which leads to `shareUrl`.', example: example.shortUrl });

export const shareUrlOrNull = (description: string) =>
  z.url().nullable().meta({ description, example: example.shareUrl });
export const shareUrlIsPersonal = z
  .literal(true)
  .meta({
    description: 'Present when `shareUrl` is the link of the recipient of a mail, which is not meant for others.',
  })
  .optional();

export const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'A SHA-256 is 64 lowercase hex characters.')
  .meta({ description: 'SHA-256 hash of the bytes: 64 lowercase hex characters.', example: example.hash });

export const contentType = z
  .string()
  .refine(isContentType, 'A MIME type such as text/html is needed, of at most 255 characters.')
  .meta({
    description: 'MIME type of the file, with parameters where the type has them.',
    example: 'text/html; charset=utf-8',
    maxLength: 255,
    pattern: "^[-!#$%&'*+.^_`|~0-9A-Za-z]+/[-!#$%&'*+.^_`|~0-9A-Za-z]+ *(;.*)?$",
  });

/** The path of a file in an address. An OpenAPI path template cannot say that a parameter has slashes. */
export const assetPath = z.string().meta({
  description: 'Path of the file in the deck. It may contain slashes. The empty path is the entry HTML.',
  example: 'index.html',
});

/** Fields of a file in an answer. */
export const path = z.string().meta({ description: 'Path of the file in the deck.', example: 'index.html' });
export const size = z.int().nonnegative().meta({ description: 'Size of the file in bytes.', example: 1834 });

const MAX_TITLE = 255;
const titleRules = { max: MAX_TITLE, tooLong: `A title has at most ${MAX_TITLE} characters.` };
/** A title that the caller must choose. */
export const newTitle = humanText({ ...titleRules, missing: 'A title needs a character that people can see.' });
/** A title that has a default. */
export const optionalTitle = optionalText(titleRules);
export const title = z.string().meta({ description: 'Title of the deck.', example: 'Quarterly results' });
export const version = z
  .int()
  .positive()
  .meta({ description: 'Number of the version. The first version is 1.', example: 1 });
export const entryPath = z
  .string()
  .meta({ description: 'Path of the HTML file that opens first.', example: 'index.html' });
export const fileCount = z.int().meta({ description: 'Number of files of the version.', example: 12 });
export const totalBytes = z
  .int()
  .meta({ description: 'Sum of the sizes of all files of the version, in bytes.', example: 482113 });
export const nextVersion = z
  .int()
  .positive()
  .meta({ description: 'Number that the new version would get.', example: 2 });

/** The version that a link opens. */
export const versionMode = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('latest').meta({ description: 'latest: the link follows the latest version.' }) }),
    z.object({
      type: z.literal('pinned').meta({ description: 'pinned: the link stays on one version.' }),
      version: z
        .int()
        .positive()
        .meta({ description: 'Version on which a pinned link stays: 1 to the current version.', example: 3 }),
    }),
  ])
  .meta({
    id: 'VersionMode',
    description: 'The version that a link opens: the latest version, or one fixed version.',
    example: { type: 'latest' },
  });
export type VersionMode = z.output<typeof versionMode>;

/** The number of a version in an address. */
export const versionNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'A version is a whole number from 1 on.')
  .transform(Number)
  .meta({
    description: 'Number of a version.',
    example: 2,
    override: { type: 'integer', minimum: 1, maximum: 999_999_999, pattern: undefined },
  });

export const versionRow = z
  .object({
    version,
    title: title.meta({ description: 'Title of the deck in this version.' }),
    createdAt: time('When the version was committed.'),
    createdBy: userId.meta({
      description: 'Id of the user who committed the version, or of the key when an admin key did.',
    }),
    message: z
      .string()
      .nullable()
      .meta({ description: 'Message of the commit, or null.', example: 'New chart on slide 4' }),
    restoredFrom: z.int().nullable().meta({
      description: 'Number of the version that restorePresentationVersion restored here, or null.',
      example: null,
    }),
    fileCount,
    totalBytes,
  })
  .meta({ id: 'Version', description: 'A version of a deck, without its files.' });

export const manifestFile = z
  .object({ path, sha256, size, contentType: contentType.meta({ description: 'MIME type of the file.' }) })
  .meta({ id: 'ManifestFile', description: 'A file of a version.' });

/** The answer of a commit, for a new deck and for an existing one. */
export const committed = z
  .object({
    presentationId: deckId,
    version: version.meta({ description: 'Number of the new version.' }),
    tokenId: tokenId
      .meta({ description: 'Id of the share token `default` of a new deck. Left out for an existing deck.' })
      .optional(),
    token: token
      .meta({
        description:
          'The share token `default` of a new deck. The service returns it in this answer only. A replayed answer ' +
          'lacks it.',
      })
      .optional(),
    shareUrl: shareUrlOrNull(
      'Address that opens the latest version in a browser. Null when the deck has no active link to the latest ' +
        'version. A replayed answer about a new deck lacks it, because it holds the token.',
    ).optional(),
    shareUrlIsPersonal,
    fileCount,
    totalBytes,
  })
  .meta({ id: 'Commit', title: 'Commit', description: 'The version that the commit created.' });

/** The picture of a version. */
export const deckPicture = z
  .object({
    sha256: sha256.meta({ description: 'SHA-256 hash of the picture, for downloadPresentationAsset.' }),
    contentType: contentType.meta({ description: 'MIME type of the picture.', example: 'image/jpeg' }),
    size: size.meta({ description: 'Size of the picture in bytes.', example: 48213 }),
  })
  .nullable()
  .meta({
    description:
      'The picture of the version: a JPEG of at most 1200 × 675 pixels and 200 KB, which a job makes of the ' +
      '`og:image` of its entry, or of its `thumbnail.png`, `.jpg` or `.webp`. Null until it is made, within about ' +
      'a minute, and for a version without a picture of at most 5 MB and 16 megapixels.',
  });

/** The listing of which a deck is a remix. */
export const sourceOfDeck = z.string().nullable().meta({
  description: 'Slug of the listing of which the deck is a remix. Null for a deck that is not a remix.',
  example: 'spring-plan',
});

/** The listing of a deck in a list. */
export const listingOfDeck = z
  .object({
    slug: z.string().meta({ description: 'Slug of the listing.', example: example.slug }),
    status: z.enum(['public', 'unlisted', 'taken-down']).meta({
      description:
        'public: the lists show the listing. unlisted: only its address shows it. taken-down: an operator took it down.',
      example: 'public',
    }),
  })
  .nullable()
  .meta({ description: 'The listing of the deck. Null without a listing.' });

/** A link in an answer to the owner of its deck. */
export const shareTokenRow = z
  .object({
    tokenId,
    name: tokenName,
    versionMode,
    createdAt: time('When the link was created.'),
    revoked: z.boolean().meta({ description: 'Whether the link is revoked. A revoked link opens nothing.' }),
    revokedAt: timeOrNull('When the link was revoked, or null.'),
    lastAccessedAt: timeOrNull('When the deck was last opened through this link. Null before the first view.'),
    accessCount: z.int().nonnegative().meta({ description: 'Number of views through this link.', example: 42 }),
    shareUrl: shareUrlOrNull(
      'Address of the link, also of a revoked one. Null when the service cannot read the token any more.',
    ),
    state: z
      .enum(tokenStates)
      .meta({
        description:
          'revoked: it never opens again. expired: `expiresAt` has passed. used-up: it was opened `maxOpenings` times. ' +
          'open: it opens while the deck does. Left out for an admin key.',
        example: 'open',
      })
      .optional(),
    expiresAt: timeOrNull(
      'When the link stops opening. Null when it does not expire. Left out for an admin key.',
    ).optional(),
    shortUrl: shortUrl
      .nullable()
      .meta({
        description:
          'Short address of the link, which leads to `shareUrl`. Null without one. Left out for an admin key.',
      })
      .optional(),
    hasPasscode: z
      .boolean()
      .meta({ description: 'Whether readers must know a passcode. Left out for an admin key.', example: false })
      .optional(),
    maxOpenings: z
      .int()
      .nullable()
      .meta({
        description: 'How often the link opens. Null: any number. Left out for an admin key.',
        example: null,
      })
      .optional(),
    openings: z
      .int()
      .nonnegative()
      .meta({
        description: 'Openings since `maxOpenings` was set, each by one browser. Left out for an admin key.',
        example: 0,
      })
      .optional(),
    allowedEmailCount: z
      .int()
      .nullable()
      .meta({
        description:
          'Number of the addresses and domains that may open the link; getShareToken lists them. Null: everybody who ' +
          'has the link. Left out for an admin key.',
        example: null,
      })
      .optional(),
    notify: z
      .enum(notifications)
      .meta({
        description: 'When the owner gets a mail about readers of the link. Left out for an admin key.',
        example: 'never',
      })
      .optional(),
    isPersonal: z
      .literal(true)
      .meta({
        description: 'Present when the link is that of the recipient of a mail, which is not meant for others.',
      })
      .optional(),
  })
  .meta({ id: 'ShareToken', description: 'A link to a deck.' });

// ---- Collaborators

export const emailDelivery = z
  .object({
    state: z.enum(mailStates).meta({
      description:
        "delivered: the recipient's mail server took the email. delayed: it did not take it yet. bounced: it " +
        'refused it. complained: the recipient reported it as spam. failed: the email provider gave it up.',
    }),
    at: time('When that happened.'),
    reason: z.string().nullable().meta({
      description: 'What the email provider says about it, in one line.',
      example: 'The mailbox does not exist.',
    }),
  })
  .meta({
    id: 'EmailDelivery',
    description: 'What became of a sent email.',
    examples: [{ state: 'delivered', at: example.time, reason: null }],
  });

export const collaboratorRow = z
  .object({
    collaboratorId: z
      .string()
      .meta({ description: 'Id of the collaborator of this deck.', example: example.collaboratorId }),
    email: answeredEmail.meta({ description: 'Invited address, in lower case.', example: 'grace@example.com' }),
    userId: z.string().nullable().meta({
      description: 'Id of the user of that address. Null before the first call of the user on the deck.',
      example: example.userId,
    }),
    displayName: z.string().nullable().meta({
      description: 'Name of the user. Null before the first call of the user on the deck.',
      example: 'Grace Hopper',
    }),
    role: z.literal('dev').meta({ description: 'A dev may read, upload, commit and restore.' }),
    status: z.enum(['pending', 'active', 'revoked']).meta({
      description:
        'pending: the address was invited and has not signed up or logged in since. active: the user may edit the ' +
        'deck. revoked: the user may no longer edit the deck.',
    }),
    invitedBy: userId.meta({ description: 'Id of the user who invited, or of the key when an admin key did.' }),
    invitedAt: time('When the owner invited the address.'),
    delivery: emailDelivery
      .nullable()
      .meta({
        description:
          'What became of the email with the invitation. Null: none was sent, or the email provider has told nothing ' +
          'yet. Left out for an admin key.',
        example: null,
      })
      .optional(),
    activatedAt: timeOrNull('When the collaborator became active. Null before that.'),
    revokedAt: timeOrNull('When the owner revoked the access, or the user left the deck. Null before that.'),
  })
  .meta({ id: 'Collaborator', description: 'A user, or an invited address, with edit access to one deck.' });

// ---- Lists

const cursorMeta = {
  description: 'Cursor of a page: the `nextCursor` of the page before it. Without it the answer is the first page.',
  example: example.cursor,
};

/** How many rows a page of a list has. `of` says of what. */
export const pageLimit = (of: string, { max = 100, usual = 50 } = {}) =>
  z.coerce
    .number<number | string>()
    .int()
    .min(1)
    .max(max)
    .default(usual)
    .meta({ description: `Number of ${of} on a page.`, example: usual });

/** The cursor of a list of records by time. */
export const cursor = pageCursor.optional().meta(cursorMeta);

/** The cursor of the list of decks. */
export const deckListCursor = deckCursor.optional().meta(cursorMeta);
export const nextCursor = z.string().nullable().meta({
  description: 'Cursor of the next page. Null on the last page.',
  example: example.cursor,
});
