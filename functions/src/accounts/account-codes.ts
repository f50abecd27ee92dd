import { fail, type ErrorCode } from '../errors';
import { deliverCode } from '../mail/deliver-code';
import type { CodeUse } from '../mail/one-time-code';
import type { AccountPurpose } from '../policy/codes';
import { issueCode, withdrawCode, type IssuedCode } from '../records/code-requests';
import { read, readIn, type Transaction } from '../records/database';
import { withCodes } from '../records/one-time-codes';
import { userRef, type User } from '../records/users';

/** Who asks for codes in a session, from where and when. */
interface Asker {
  userAgent: string | undefined;
  clientAddress: string;
  now: Date;
  requestId: string;
}

/** A code that was mailed, as the answer names it. */
interface MailedCode {
  email: string;
  requestToken: string;
}

/** The user of a session. The session of a user who was deleted ends: unauthenticated. */
export const sessionUser = (user: User | undefined): User =>
  user ?? fail('unauthenticated', undefined, { nextAction: 'The session has ended. Log in again.' });

/**
 * Mails the codes with which the owner of an account confirms an act: one to the address of the account, and for a new
 * address another one to it. When one of them cannot be requested or mailed, none is valid, and the next request may
 * come at once. Fails as `issueCode`, and with USER_ALREADY_HAS_ORGANIZATION for a new address that has an account.
 */
export async function mailAccountCodes(
  userId: string,
  { purpose, newEmail }: { purpose: AccountPurpose; newEmail?: string | undefined },
  { userAgent, clientAddress, now, requestId }: Asker,
): Promise<{ present: MailedCode; next: MailedCode | undefined }> {
  const { email } = sessionUser((await read(userRef(userId)))[0]);
  const issued: { email: string; use: CodeUse; code: IssuedCode }[] = [];
  const issue = async (to: string, use: CodeUse, of: { about?: string; isSignedIn?: true }, refusal?: ErrorCode) => {
    const request = { email: to, purpose, clientAddress, now, ...of };
    const code = await issueCode(request, (user) => (user ? refusal : undefined));
    issued.push({ email: to, use, code });
    return { email: to, requestToken: code.requestToken };
  };
  try {
    // The new address first: more requests are refused for it.
    const next =
      newEmail === undefined
        ? undefined
        : await issue(newEmail, 'new-email', { about: userId }, 'USER_ALREADY_HAS_ORGANIZATION');
    const use = purpose === 'change-email' ? { newEmail: newEmail! } : purpose;
    const about = newEmail === undefined ? {} : { about: newEmail };
    const present = await issue(email, use, { ...about, isSignedIn: true });
    for (const [i, { email: to, use: of, code }] of issued.entries())
      await deliverCode({ email: to, use: of, userAgent, now }, code, `${requestId}-${i}`);
    return { present, next };
  } catch (error) {
    await Promise.all(issued.map(({ email: to, code }) => withdrawCode(to, code)));
    throw error;
  }
}

/** What a call sends to confirm an act, and from where. */
interface Confirmation {
  userId: string;
  code: unknown;
  requestToken?: string | null | undefined;
  clientAddress: string;
  now: Date;
}

/** The code that was mailed to a new address. */
interface NewAddress {
  email: string;
  code: unknown;
  requestToken?: string | null | undefined;
}

/**
 * Checks the code that was mailed to the address of the user for this purpose, runs `body` with the user, and marks the
 * code as used, in one transaction: see `withCode`.
 */
export const withAccountCode = <T>(
  confirmation: Confirmation,
  purpose: Exclude<AccountPurpose, 'change-email'>,
  body: (tx: Transaction, user: User) => Promise<T>,
): Promise<T> => withConfirmation(confirmation, purpose, undefined, body);

/** The same for a change of the address, with the codes of both addresses. */
export const withChangeCodes = <T>(
  confirmation: Confirmation,
  next: NewAddress,
  body: (tx: Transaction, user: User) => Promise<T>,
): Promise<T> => withConfirmation(confirmation, 'change-email', next, body);

async function withConfirmation<T>(
  { userId, code, requestToken, ...trial }: Confirmation,
  purpose: AccountPurpose,
  next: NewAddress | undefined,
  body: (tx: Transaction, user: User) => Promise<T>,
): Promise<T> {
  const { email } = sessionUser((await read(userRef(userId)))[0]);
  const own = { email, purpose, code, requestToken };
  const sent = next
    ? [
        { ...own, about: next.email, field: 'code' },
        { ...next, purpose, about: userId, field: 'newCode' },
      ]
    : [own];
  return withCodes(sent, trial, async (tx) => {
    const user = sessionUser((await readIn(tx, userRef(userId)))[0]);
    // The address was changed meanwhile. The new one proves nothing with this code.
    if (user.email !== email) fail('OTP_NOT_FOUND');
    return body(tx, user);
  });
}
