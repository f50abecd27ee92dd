/** The catalogue: every error that the service answers, with its HTTP status and what to do about it. */
export const errorTable = {
  'invalid-argument': row(400, 'The request is not valid.', 'Fix what details.errors names and send it again.'),
  'hash-mismatch': row(400, 'The bytes do not have the declared SHA-256.', 'Hash the file again and upload it again.'),
  'blobs-missing': row(
    400,
    'Some files were not uploaded to this deck.',
    'Upload the hashes in details.missing, then commit again.',
  ),
  'too-many-files': row(400, 'The manifest has more files than the plan allows.', 'Remove files or change the plan.'),
  'missing-recipients': row(400, 'The mail has no recipients.', 'Pass 1 to 20 addresses in emails.'),
  'too-many-recipients': row(400, 'The mail has more than 20 recipients.', 'Send to at most 20 addresses in one call.'),
  'message-too-long': row(400, 'The message is longer than 2000 characters.', 'Shorten message.'),
  unauthenticated: row(
    401,
    'A valid API key is needed.',
    'Send Authorization: Bearer <API_KEY>; run cliRequestLoginOtp for a new key.',
  ),
  'permission-denied': row(
    403,
    'This key may not do that.',
    'Use a key of the deck owner that carries the needed scope.',
  ),
  revoked: row(403, 'This link was revoked.', 'Ask the owner of the presentation for a new link.'),
  'not-found': row(404, 'Not found.', 'Check the identifier.'),
  'method-not-allowed': row(405, 'This method is not allowed here.', 'Use a method of the Allow header.'),
  conflict: row(409, 'The request conflicts with the present state.', 'Read the present state and try again.'),
  expired: row(410, 'This is no longer available.', 'Ask the owner of the presentation for a new link.'),
  'payload-too-large': row(413, 'That is larger than allowed.', 'Make it smaller or change the plan.'),
  'range-not-satisfiable': row(416, 'The range lies outside the file.', 'Ask for a range inside Content-Range.'),
  'rate-limited': row(429, 'Too many requests.', 'Wait details.retryInSeconds and try again.'),
  internal: row(
    500,
    'Something went wrong on our side.',
    'Try again in a few seconds; quote the requestId if it goes on.',
  ),

  EMAIL_REQUIRED: row(400, 'An email address is needed.', 'Pass a valid email.'),
  EMAIL_INVALID: row(400, 'That is not an email address.', 'Pass a valid email.'),
  OTP_RESEND_COOLDOWN: row(429, 'A code was sent moments ago.', 'Wait details.retryInSeconds, then ask again.'),
  EMAIL_RATE_LIMITED: row(
    429,
    'Too many codes were asked for this address.',
    'Wait details.retryInSeconds (up to an hour).',
  ),
  IP_RATE_LIMITED: row(
    429,
    'Too many codes were asked from this network address.',
    'Wait details.retryInSeconds (up to an hour).',
  ),
  USER_ALREADY_HAS_ORGANIZATION: row(409, 'This address already has an account.', 'Log in: call cliRequestLoginOtp.'),
  USER_NOT_FOUND: row(404, 'This address has no account.', 'Sign up: call cliRequestSignupOtp.'),
  USER_HAS_NO_ORGANIZATION: row(409, 'This account has no organization.', 'Sign up: call cliRequestSignupOtp.'),
  OTP_NOT_FOUND: row(404, 'No code is pending for this address.', 'Run the matching request call first.'),
  OTP_EXPIRED: row(410, 'The code is older than 10 minutes.', 'Request a fresh code.'),
  OTP_INVALID: row(400, 'The code is wrong.', 'Check the mail; details.attemptsRemaining tries are left.'),
  OTP_ALREADY_USED: row(409, 'The code was used already.', 'Request a fresh code.'),
  OTP_LOCKED_OUT: row(429, 'Too many wrong codes; the code is void.', 'Request a fresh code.'),
  OTP_PURPOSE_MISMATCH: row(409, 'The code was requested for something else.', 'Run the matching request call.'),
  USER_FIRST_NAME_REQUIRED: row(400, 'A first name is needed.', 'Pass user.firstName.'),
  USER_NAME_TOO_LONG: row(400, 'A name is longer than 60 characters.', 'Shorten user.firstName or user.lastName.'),
  COMPANY_NAME_TOO_LONG: row(400, 'The company name is longer than 100 characters.', 'Shorten or omit company.name.'),
  BRAND_COLOR_INVALID: row(400, 'A brand colour is not a 6-digit hex colour.', 'Use hex, such as #1a2b3c.'),
  LOGO_TOO_LARGE: row(400, 'The logo is larger than 2 MB.', 'Use a PNG, JPEG, WebP or SVG under 2 MB.'),
  LOGO_INVALID_FORMAT: row(
    400,
    'The logo is not an image of the declared type.',
    'Use a PNG, JPEG, WebP or SVG under 2 MB.',
  ),
  LOGO_DECODE_FAILED: row(
    400,
    'The logo is not valid base64.',
    'Send logo.data as base64 of a PNG, JPEG, WebP or SVG under 2 MB.',
  ),
  INVALID_EXPIRES_IN_DAYS: row(
    400,
    'expiresInDays is a whole number from 1 to 365.',
    'Omit or fix apiKey.expiresInDays.',
  ),
  MAX_API_KEYS_REACHED: row(429, 'The organization already has 20 active keys.', 'Revoke keys that are not used.'),
  INTERNAL: row(
    500,
    'Something went wrong on our side.',
    'Try again in a few seconds; quote the requestId if it goes on.',
  ),
} as const satisfies Record<string, ErrorRow>;

interface ErrorRow {
  status: number;
  message: string;
  nextAction: string;
}

function row(status: number, message: string, nextAction: string): ErrorRow {
  return { status, message, nextAction };
}

export type ErrorCode = keyof typeof errorTable;

/** Structured context of an error; `retryInSeconds` becomes `Retry-After`. */
export type ErrorDetails = Record<string, unknown>;

interface FailOptions {
  /** What went wrong beneath; it is logged and never answered. */
  cause?: unknown;
  /** Replaces the table's sentence where a sharper one helps the caller. */
  message?: string;
  nextAction?: string;
}

/** An error of the catalogue on its way to the caller. */
export class ServiceError extends Error {
  readonly status: number;
  readonly nextAction: string;

  constructor(
    readonly code: ErrorCode,
    readonly details?: ErrorDetails,
    options: FailOptions = {},
  ) {
    super(options.message ?? errorTable[code].message, { cause: options.cause });
    this.status = errorTable[code].status;
    this.nextAction = options.nextAction ?? errorTable[code].nextAction;
  }
}

/** The one way to throw an error that a caller sees. */
export function fail(code: ErrorCode, details?: ErrorDetails, options?: FailOptions): never {
  throw new ServiceError(code, details, options);
}

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorTable, text);
}
