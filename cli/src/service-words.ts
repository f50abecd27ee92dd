import type { ErrorCode } from '../../functions/src/errors';
import { commandLine } from './command-line';
import { servesOthers } from './config-folder';

/** What the client says instead of the service, which names its own calls and fields. */
interface Words {
  /** Absent where the service's own message, which may name the case, is clear. */
  message?: string | ((details: Record<string, unknown>) => string | undefined);
  nextAction: string | ((details: Record<string, unknown>) => string);
  /** Whether a next action of the service for one case is better than this one. It is shown if it names no call. */
  isFallback?: boolean;
}

const runAgain = 'Run the command again.';
const requestCode = 'Request a new code.';
const useValidEmail = 'Use an address such as you@example.com.';
const useSmallLogo = 'Use a PNG, JPEG, WebP or SVG of at most 2 MB.';
const askOwner = 'Ask the owner of the deck for a new link.';
const report =
  'Try again in a few seconds. If the error persists, report the request id to the operator of the service.';
const wait = ({ retryInSeconds }: Record<string, unknown>) =>
  typeof retryInSeconds === 'number' ? `Try again in ${retryInSeconds} s.` : 'Try again later.';

/** The words for every error of the service. The compiler demands a row for a new error. */
export const serviceWords: Record<ErrorCode, Words> = {
  'invalid-argument': {
    message: 'The service does not accept the input.',
    nextAction: 'Correct the input, then run the command again.',
  },
  'hash-mismatch': { nextAction: runAgain },
  'blobs-missing': { message: 'Files of the deck were not uploaded.', nextAction: runAgain },
  'too-many-files': {
    message: 'The deck has more files than the plan allows.',
    nextAction: 'For a push, exclude files that the deck does not need with .deckignore. Or change the plan.',
  },
  'missing-recipients': { nextAction: 'Name 1 to 20 addresses.' },
  'too-many-recipients': { nextAction: 'Send to at most 20 addresses at once.' },
  'message-too-long': { nextAction: 'Shorten the message to 2000 characters.' },
  unauthenticated: {
    message: 'The service does not accept this key: it is wrong, revoked or expired.',
    nextAction: () =>
      servesOthers()
        ? 'Ask the user for another key.'
        : process.env['DECK_API_KEY']
          ? 'Check DECK_API_KEY, or unset it.'
          : `Run \`${commandLine('login')}\` for a new key.`,
  },
  'permission-denied': {
    message: ({ requiredScope }) =>
      typeof requiredScope === 'string' ? `This key may not do this: it lacks the scope ${requiredScope}.` : undefined,
    nextAction: ({ requiredScope }) =>
      typeof requiredScope === 'string'
        ? howToGetScope(requiredScope)
        : `Check the account and the scopes of the key: ${commandLine('whoami')}`,
  },
  revoked: { nextAction: askOwner },
  'not-found': { nextAction: 'Check the name or the id.' },
  'method-not-allowed': {
    message: 'The service does not know this request.',
    nextAction: () => `Compare the versions of client and service: ${commandLine('doctor')}`,
  },
  conflict: { nextAction: 'Look at the current state, then run the command again.', isFallback: true },
  expired: { nextAction: askOwner, isFallback: true },
  'payload-too-large': { nextAction: 'Make it smaller, exclude it with .deckignore, or change the plan.' },
  'range-not-satisfiable': { message: 'The file changed during the download.', nextAction: runAgain },
  'misdirected-request': { nextAction: 'Check the address of the service.' },
  'rate-limited': { nextAction: wait },
  internal: { nextAction: report },

  EMAIL_REQUIRED: { nextAction: useValidEmail },
  EMAIL_INVALID: { nextAction: useValidEmail },
  OTP_RESEND_COOLDOWN: { nextAction: wait },
  EMAIL_RATE_LIMITED: { nextAction: wait },
  IP_RATE_LIMITED: { nextAction: wait },
  USER_ALREADY_HAS_ORGANIZATION: { nextAction: 'Name another address.' },
  USER_NOT_FOUND: { nextAction: () => `Sign up instead: ${commandLine('signup')}` },
  USER_HAS_NO_ORGANIZATION: { nextAction: () => `Sign up instead: ${commandLine('signup')}` },
  OTP_NOT_FOUND: { nextAction: requestCode },
  OTP_EXPIRED: { nextAction: requestCode },
  OTP_INVALID: { nextAction: 'Check the newest mail and try again.' },
  OTP_ALREADY_USED: { nextAction: requestCode },
  OTP_LOCKED_OUT: { nextAction: requestCode },
  OTP_PURPOSE_MISMATCH: { nextAction: requestCode },
  USER_FIRST_NAME_REQUIRED: { nextAction: 'Pass it with --first-name.' },
  USER_NAME_TOO_LONG: { nextAction: 'Shorten --first-name or --last-name.' },
  COMPANY_NAME_TOO_LONG: { nextAction: 'Shorten or omit --company.' },
  BRAND_COLOR_INVALID: { nextAction: 'Use a hex colour such as #1a2b3c.' },
  LOGO_TOO_LARGE: { nextAction: useSmallLogo },
  LOGO_INVALID_FORMAT: { nextAction: useSmallLogo },
  LOGO_DECODE_FAILED: { message: 'The logo is damaged, or has more than 16 megapixels.', nextAction: useSmallLogo },
  INVALID_EXPIRES_IN_DAYS: {
    message: 'A key expires after a whole number of days, 1 to 365.',
    nextAction: 'Correct or omit --expires-in-days.',
  },
  MAX_API_KEYS_REACHED: { nextAction: () => `Revoke an unused key: ${commandLine('keys', 'revoke', '<key>')}` },
  INTERNAL: { nextAction: report },
};

/** Whether the text names a call, a field or a header of the API: `createApiKey`, `details.errors`, `body.title`. */
export function namesApi(text: string): boolean {
  return /\b[a-z]+[A-Z]\w*|\b(body|query|header|path|details|user|company)\.\w|Idempotency-Key|Authorization|\bendpoint\b/.test(
    text,
  );
}

function howToGetScope(scope: string): string {
  if (servesOthers())
    return `Ask the user for a key with the scope ${scope}. The page "API keys" of the dashboard makes one.`;
  const login = commandLine('login', ...(scope === 'marketplace:publish' ? ['--publish'] : []));
  return process.env['DECK_API_KEY']
    ? `DECK_API_KEY lacks the scope ${scope}: set another key, or unset it and run \`${login}\`.`
    : `Run \`${login}\` for a key with the scope ${scope}.`;
}

/** The option that sets a field of a call. */
const optionOfField: Record<string, string> = {
  title: 'title',
  message: 'message',
  description: 'description',
  details: 'message',
  kind: 'kind',
  slug: 'slug',
  subject: 'subject',

  category: 'category',
  interactive: 'interactive',
  version: 'version',
  email: 'email',
  code: 'code',
  tags: 'tag',
  techStack: 'stack',
  entryPath: 'entry',
  scopes: 'scope',
  expiresInDays: 'expires-in-days',
  'user.firstName': 'first-name',
  'user.lastName': 'last-name',
  'company.name': 'company',
  'apiKey.name': 'key-name',
  'apiKey.expiresInDays': 'expires-in-days',
};

/**
 * A refused field in the words of the client: `body.title` is `--title`, `body.files[2].path` is `file 3, path`. A
 * field without an option is named in plain words.
 */
export function wordsOfField(location: string): string {
  const field = location.replace(/^(body|query|header|path)\.?/, '');
  const option = optionOfField[field.replace(/\[.*/, '')];
  if (option !== undefined) return `--${option}`;
  return field
    .replace(/(\w+?)s?\[(\d+)\]\.?/g, (_all, name: string, index: string) => `${name} ${Number(index) + 1}, `)
    .replace(/, $/, '')
    .replaceAll('.', ', ')
    .replace(/([a-z])([A-Z])/g, (_all, end: string, start: string) => `${end} ${start.toLowerCase()}`);
}
