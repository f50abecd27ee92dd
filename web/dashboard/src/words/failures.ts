import type { ErrorCode } from '../../../../functions/src/errors';
import { formatNumber } from '../format';

type Details = Record<string, unknown>;

interface ErrorWords {
  /** Absent where the message of the service is clear. */
  message?: Words;
  /** What the person can do. */
  next?: Words;
}

/** A text, or how the details of the failure make one. Undefined where the text of the service is clear. */
export type Words = string | ((details: Details) => string | undefined);

const wait = ({ retryInSeconds }: Details): string => {
  if (typeof retryInSeconds !== 'number') return 'Try again later.';
  return retryInSeconds < 120
    ? `Try again in ${retryInSeconds} seconds.`
    : `Try again in ${Math.ceil(retryInSeconds / 60)} minutes.`;
};
const requestCode = 'Request a new code.';
const report = 'Try again in a few seconds. If it happens again, report the request id.';
const reload = 'Reload the page and try again.';
/** Of the conflicts, such as a taken slug or a limit of the plan, only this one is a change by somebody else. */
const ifNewer =
  (text: string) =>
  ({ serverVersion }: Details): string | undefined =>
    serverVersion === undefined ? undefined : text;

const units: Record<string, string> = { string: ' characters', array: ' entries' };
/** A problem of a field. Where the service has no text of its own, it names types. */
export const problemText = (message: string): string => {
  const [, type = '', most] = /^Too big: expected (\w+) .*<=(\d+)(?: \w+)?$/.exec(message) ?? [];
  return most === undefined ? message : `At most ${formatNumber(Number(most))}${units[type] ?? ''}.`;
};

/** What the pages say instead of the service, which names its own calls and fields. */
export const failures: Partial<Record<ErrorCode | 'unreachable' | 'unexpected-answer', ErrorWords>> = {
  'invalid-argument': { message: 'Something here is not valid.', next: 'Check the following and try again.' },
  'hash-mismatch': { message: 'A file changed during the upload.', next: 'Drop the files again.' },
  'blobs-missing': { message: 'Files of the deck were not uploaded.', next: 'Drop the files again.' },
  'too-many-files': {
    message: 'The deck has more files than your plan allows.',
    next: 'Remove files you do not need.',
  },
  'missing-recipients': { message: 'The mail has no recipients.', next: 'Enter 1 to 20 addresses.' },
  'too-many-recipients': {
    message: 'The mail has too many recipients.',
    next: 'Send to at most 20 addresses at once.',
  },
  'message-too-long': { next: 'Shorten the message to 2000 characters.' },
  unauthenticated: { message: 'Your session has ended.', next: 'Sign in again.' },
  'permission-denied': { message: 'You do not have permission to do this.', next: 'Ask the owner of the deck.' },
  revoked: { next: 'Ask the owner of the deck for a new link.' },
  'not-found': {
    message: 'This does not exist, or you have no access to it.',
    next: 'It may have been deleted.',
  },
  'method-not-allowed': { message: 'This page is out of date.', next: reload },
  conflict: { message: ifNewer('Somebody else has changed this in the meantime.'), next: ifNewer(reload) },
  expired: { next: reload },
  'payload-too-large': { message: 'This is larger than your plan allows.', next: 'Make it smaller.' },
  'rate-limited': { message: 'Too many requests.', next: wait },
  internal: { next: report },
  INTERNAL: { next: report },
  EMAIL_REQUIRED: { message: 'An email address is needed.', next: 'Enter an address such as you@example.com.' },
  EMAIL_INVALID: { message: 'This is not an email address.', next: 'Enter an address such as you@example.com.' },
  OTP_RESEND_COOLDOWN: { message: 'A code was sent just now.', next: wait },
  EMAIL_RATE_LIMITED: { message: 'Too many codes were requested for this address.', next: wait },
  IP_RATE_LIMITED: { message: 'Too many codes were requested from your network.', next: wait },
  USER_ALREADY_HAS_ORGANIZATION: { message: 'This address already has an account.', next: 'Sign in instead.' },
  USER_NOT_FOUND: { message: 'This address has no account yet.', next: 'Create one.' },
  USER_HAS_NO_ORGANIZATION: { message: 'This address has no account yet.', next: 'Create one.' },
  OTP_NOT_FOUND: { message: 'No code is waiting for this address.', next: requestCode },
  OTP_EXPIRED: { next: requestCode },
  OTP_INVALID: {
    message: 'This is not the code from the email.',
    next: ({ attemptsRemaining: left }) =>
      typeof left === 'number'
        ? `Check the newest email. ${left === 1 ? '1 attempt is' : `${left} attempts are`} left.`
        : 'Check the newest email.',
  },
  OTP_ALREADY_USED: { next: requestCode },
  OTP_LOCKED_OUT: { message: 'Too many wrong codes. This code no longer works.', next: requestCode },
  OTP_PURPOSE_MISMATCH: { message: 'The code was sent for something else.', next: requestCode },
  USER_FIRST_NAME_REQUIRED: { message: 'Your first name is needed.', next: 'Enter your first name above.' },
  USER_NAME_TOO_LONG: { next: 'Shorten it to 60 characters.' },
  COMPANY_NAME_TOO_LONG: { next: 'Shorten it to 100 characters.' },
  LOGO_TOO_LARGE: { next: 'Choose a PNG, JPEG, WebP or SVG of at most 2 MB.' },
  LOGO_INVALID_FORMAT: { next: 'Choose a PNG, JPEG, WebP or SVG of at most 2 MB.' },
  BRAND_COLOR_INVALID: { next: 'Enter a colour such as #1a2b3c.' },
  MAX_API_KEYS_REACHED: { message: 'Your organization already has 20 keys.', next: 'Revoke keys that you do not use.' },
  unreachable: { message: 'The service does not answer.', next: 'Check your connection and try again.' },
  'unexpected-answer': { message: 'The service gave an answer that this page does not understand.', next: reload },
};
