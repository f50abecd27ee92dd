/**
 * The catalogue: every error that the service answers, with its HTTP status, its message and what the caller does next.
 */
export const errorTable = {
  'invalid-argument': row(
    400,
    'The request is not valid.',
    'Correct the fields in details.errors and send the request again.',
  ),
  'hash-mismatch': row(400, 'The bytes do not have the declared SHA-256.', 'Hash the file again and upload it again.'),
  'blobs-missing': row(
    400,
    'Files of the manifest were not uploaded to this deck.',
    'Upload the files whose hashes are in details.missing, then commit again.',
  ),
  'too-many-files': row(400, 'The manifest has more files than the plan allows.', 'Remove files, or change the plan.'),
  'missing-recipients': row(400, 'The mail has no recipients.', 'Send 1 to 20 addresses in emails.'),
  'too-many-recipients': row(400, 'The mail has more than 20 recipients.', 'Send to at most 20 addresses in one call.'),
  'message-too-long': row(
    400,
    'The message is longer than 2000 characters.',
    'Send a message of at most 2000 characters.',
  ),
  unauthenticated: row(
    401,
    'A valid API key is required.',
    'Send Authorization: Bearer <API_KEY>. Log in with cliRequestLoginOtp for a new key.',
  ),
  'permission-denied': row(
    403,
    'This key may not do this.',
    'Use a key that has the required scope and belongs to a user with the required access.',
  ),
  revoked: row(403, 'This link was revoked.', 'Ask the owner of the presentation for a new link.'),
  'not-found': row(404, 'Not found.', 'Check the ids in the request.'),
  'method-not-allowed': row(405, 'This HTTP method is not allowed.', 'Use a method from the Allow header.'),
  conflict: row(409, 'The request conflicts with the current state.', 'Read the current state and try again.'),
  expired: row(410, 'This is no longer available.', 'Ask the owner of the presentation for a new link.'),
  'payload-too-large': row(413, 'The request or a file is larger than allowed.', 'Send less, or change the plan.'),
  'range-not-satisfiable': row(
    416,
    'The range lies outside the file.',
    'Request a range within the size in Content-Range.',
  ),
  'misdirected-request': row(
    421,
    'This host name does not belong to a presentation.',
    'Open the share link of the presentation.',
  ),
  'rate-limited': row(429, 'Too many requests.', 'Wait details.retryInSeconds seconds, then try again.'),
  internal: row(
    500,
    'Something went wrong on our side.',
    'Try again in a few seconds. If the error persists, report the requestId.',
  ),

  EMAIL_REQUIRED: row(400, 'An email address is required.', 'Send a valid email.'),
  EMAIL_INVALID: row(400, 'This is not an email address.', 'Send a valid email.'),
  OTP_RESEND_COOLDOWN: row(
    429,
    'A code was sent less than 30 seconds ago.',
    'Wait details.retryInSeconds seconds, then request a new code.',
  ),
  EMAIL_RATE_LIMITED: row(
    429,
    'Too many codes were requested for this email address.',
    'Wait details.retryInSeconds seconds (up to one day), then request a new code.',
  ),
  IP_RATE_LIMITED: row(
    429,
    'Too many codes were requested, or too many wrong codes were sent, from this network address.',
    'Wait details.retryInSeconds seconds (up to one hour), then try again.',
  ),
  USER_ALREADY_HAS_ORGANIZATION: row(
    409,
    'This email address already has an account.',
    'Log in with cliRequestLoginOtp, or name another address.',
  ),
  USER_NOT_FOUND: row(404, 'This email address has no account.', 'Sign up with cliRequestSignupOtp.'),
  USER_HAS_NO_ORGANIZATION: row(409, 'This account has no organization.', 'Sign up with cliRequestSignupOtp.'),
  OTP_NOT_FOUND: row(
    404,
    'No code is pending for this email address.',
    'Request a code with cliRequestSignupOtp or cliRequestLoginOtp.',
  ),
  OTP_EXPIRED: row(410, 'The code is older than 10 minutes.', 'Request a new code.'),
  OTP_INVALID: row(
    400,
    'The code is wrong.',
    'Check the code in the mail. You have details.attemptsRemaining attempts left.',
  ),
  OTP_ALREADY_USED: row(409, 'The code was already used.', 'Request a new code.'),
  OTP_LOCKED_OUT: row(429, 'Too many wrong codes were sent. The code is no longer valid.', 'Request a new code.'),
  OTP_PURPOSE_MISMATCH: row(
    409,
    'The code was requested for another purpose.',
    'Request a code with cliRequestSignupOtp to sign up, or with cliRequestLoginOtp to log in.',
  ),
  USER_FIRST_NAME_REQUIRED: row(400, 'A first name is required.', 'Send user.firstName.'),
  USER_NAME_TOO_LONG: row(400, 'A name is longer than 60 characters.', 'Shorten user.firstName or user.lastName.'),
  COMPANY_NAME_TOO_LONG: row(400, 'The company name is longer than 100 characters.', 'Shorten or omit company.name.'),
  BRAND_COLOR_INVALID: row(400, 'A brand colour is not a 6-digit hex colour.', 'Send a hex colour such as #1a2b3c.'),
  LOGO_TOO_LARGE: row(400, 'The logo is larger than 2 MB.', 'Send a PNG, JPEG, WebP or SVG of at most 2 MB.'),
  LOGO_INVALID_FORMAT: row(
    400,
    'The logo is not an image of the declared type.',
    'Send a PNG, JPEG, WebP or SVG of at most 2 MB.',
  ),
  LOGO_DECODE_FAILED: row(
    400,
    'The logo cannot be shown: it is not valid base64, its size cannot be read, or it is too large to show.',
    'Send the base64 text of a PNG, JPEG or WebP of at most 16 megapixels, or of an SVG with a viewBox.',
  ),
  INVALID_EXPIRES_IN_DAYS: row(
    400,
    'expiresInDays must be a whole number from 1 to 365.',
    'Send a whole number from 1 to 365, or omit expiresInDays.',
  ),
  MAX_API_KEYS_REACHED: row(
    429,
    'The organization already has 20 active keys.',
    'Revoke unused keys with revokeApiKey.',
  ),
  INTERNAL: row(
    500,
    'Something went wrong on our side.',
    'Try again in a few seconds. If the error persists, report the requestId.',
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

/** Structured context of an error. `retryInSeconds` of a 429 becomes `Retry-After`. */
export type ErrorDetails = Record<string, unknown>;

interface FailOptions {
  /** The underlying error. It is logged and never answered. */
  cause?: unknown;
  /** Replaces the message of the catalogue; `nextAction` likewise. */
  message?: string;
  nextAction?: string;
}

/** An error that the service answers. It has a stack only when the fault is the service's own (5xx). */
export class ServiceError extends Error {
  readonly status: number;
  readonly nextAction: string;

  constructor(
    readonly code: ErrorCode,
    readonly details?: ErrorDetails,
    options: FailOptions = {},
  ) {
    const { status, message } = errorTable[code];
    const { stackTraceLimit } = Error;
    // A stack costs 10 times as much as the error, and nobody reads that of a wrong request.
    if (status < 500) Error.stackTraceLimit = 0;
    super(options.message ?? message, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.status = status;
    this.nextAction = options.nextAction ?? errorTable[code].nextAction;
  }
}

/** Throws an error of the catalogue. `options` replace its texts for one case. */
export function fail(code: ErrorCode, details?: ErrorDetails, options?: FailOptions): never {
  throw new ServiceError(code, details, options);
}

/**
 * A code of the catalogue as the message of a zod schema: http/envelope answers it as the code of the error. A misspelt
 * code does not compile.
 */
export const code = (code: ErrorCode): ErrorCode => code;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorTable, text);
}

/** One problem of an input. */
export interface Problem {
  location: string;
  message: string;
}

/** The most problems that an error lists. It counts the others: a small request must not cause a large answer. */
const MAX_PROBLEMS = 200;
const MAX_TEXT_LENGTH = 500;
const MAX_NAME_LENGTH = 100;

/** The details of an invalid input: the first 200 problems, with shortened texts, and the number of the others. */
export function detailsOf(problems: readonly Problem[]): ErrorDetails {
  const more = problems.length - MAX_PROBLEMS;
  const errors = problems.slice(0, MAX_PROBLEMS).map(({ location, message }) => ({
    location: location.slice(0, MAX_TEXT_LENGTH),
    message: message.slice(0, MAX_TEXT_LENGTH),
  }));
  return { errors, ...(more > 0 && { moreErrors: more }) };
}

/** `body.files[3].path`. The caller may have chosen the names, so each is cut to 100 characters. */
export function locationOf(source: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => text + (typeof part === 'number' ? `[${part}]` : `.${String(part).slice(0, MAX_NAME_LENGTH)}`),
    source,
  );
}
