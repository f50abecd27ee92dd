import { createHash } from 'node:crypto';
import { z } from 'zod';
import { serviceSecrets } from '../config';
import { fail, type ErrorDetails } from '../errors';
import {
  checkCode,
  CODE_TTL_SECONDS,
  isGuess,
  MAX_BAD_ATTEMPTS,
  MAX_WRONG_CODES_PER_NETWORK,
  purposes,
  triedCode,
  type CodeCheck,
  type Purpose,
} from '../policy/codes';
import { networkOf } from '../values/networks';
import { mac } from '../values/secrets';
import { collection, date, paths } from './collections';
import { readIn, type Transaction } from './database';
import { mailRecipientRef, noteArrival, type MailRecipientRecord } from './mail-recipients';
import { recipientKey } from './recipient-key';
import { exceededWindow, requestWindowRef, withRequest } from './request-windows';
import { transact } from './transact';

const code = z.object({
  purpose: z.enum(purposes),
  codeMac: z.string(),
  requestHash: z.string(),
  isOfDevice: z.boolean(),
  badAttempts: z.object({ token: z.number().int(), address: z.number().int() }),
  createdAt: date,
  expiresAt: date,
  usedAt: date.nullable(),
});

/** The codes of an address, whatever their purposes, in the order of their requests. The TTL policy deletes it. */
const addressCodes = z.object({
  codes: z.array(code),
  /** Until then no code is mailed for devices that have not signed in before: the recipient stopped them. */
  stoppedUntil: date.nullable(),
  expiresAt: date,
});
export type AddressCodes = z.output<typeof addressCodes>;

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/** `key` is that of records/recipient-key. */
export const codesRef = (key: string, email: string) =>
  collection(paths.oneTimeCodes, addressCodes).doc(mac(key, 'one-time-codes', email));

/** The stored form of the token of a request. */
export const requestHashOf = (requestToken: string): string => hash(requestToken);

/** The record of an address, which is kept until the last of its codes and the stop have expired. */
export function codesOfAddress(codes: AddressCodes['codes'], stoppedUntil: Date | null): AddressCodes {
  const ends = [...codes.map(({ expiresAt }) => expiresAt.getTime()), stoppedUntil?.getTime() ?? 0];
  return { codes, stoppedUntil, expiresAt: new Date(Math.max(...ends)) };
}

interface SentCode {
  email: string;
  purpose: Purpose;
  /** See `macCode`. */
  about?: string;
  code: unknown;
  /** The token of the request that had the code mailed. Without it, only the newest code of the address is tried. */
  requestToken?: string | null | undefined;
  /** The field of the input with the code, for a call that sends two. Its errors name it in `details.field`. */
  field?: string;
}

/** The network of a client, and the time. */
interface Trial {
  clientAddress: string;
  now: Date;
}

/**
 * Checks a code, runs `body` and marks the code as used, in one transaction. A code is therefore used once, and five
 * wrong attempts are counted as five, however many calls race. A right code ends all other codes of the address, a
 * stop, and what a bounce of its mails stopped. When `body` throws, the code stays unused. A wrong code is counted and
 * throws its error.
 */
export function withCode<T>(sent: SentCode & Trial, body: (tx: Transaction) => Promise<T>): Promise<T> {
  return withCodes([sent], sent, body);
}

/** The same with the codes of several addresses: all are used, or none. The first wrong one is counted. */
export function withCodes<T>(
  sent: readonly SentCode[],
  trial: Trial,
  body: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return checkAnd(sent, trial, async (tx, use) => {
    const result = await body(tx);
    use();
    return result;
  });
}

/** Checks a code without using it. A wrong code is counted and throws its error, as in `withCode`. */
export async function assertCode(sent: SentCode & Trial): Promise<void> {
  await checkAnd([sent], sent, () => Promise.resolve());
}

type Refused = Exclude<CodeCheck, { outcome: 'right' }>;

type Outcome<T> = { result: T } | { check: Refused; field: string | undefined } | { exceeded: ErrorDetails };

async function checkAnd<T>(
  sent: readonly SentCode[],
  { clientAddress, now }: Trial,
  onRight: (tx: Transaction, use: () => void) => Promise<T>,
): Promise<T> {
  const key = await recipientKey();
  const guessesRef = requestWindowRef(key, 'guesser', networkOf(clientAddress));
  const codeRefs = sent.map(({ email }) => codesRef(key, email));
  const recipientRefs = sent.map(({ email }) => mailRecipientRef(key, email));
  const outcome = await transact(async (tx): Promise<Outcome<T>> => {
    const [guesses, ...found] = await readIn(tx, guessesRef, ...codeRefs, ...recipientRefs);
    const uses: (() => void)[] = [];
    for (const [i, { email, requestToken, field, ...tried }] of sent.entries()) {
      const stored = found[i] as AddressCodes | undefined;
      const requestHash = typeof requestToken === 'string' ? requestHashOf(requestToken) : undefined;
      const way = requestHash === undefined ? 'address' : 'token';
      const record = triedCode(stored?.codes ?? [], requestHash);
      const exceeded = exceededWindow(guesses, MAX_WRONG_CODES_PER_NETWORK, now);
      // Somebody else in the network of a known device must not close it. Its own code has five attempts in all.
      const isOwn = way === 'token' && record?.isOfDevice;
      if (exceeded && !isOwn) return { exceeded };
      const check = checkCode(record, { ...tried, email, way }, serviceSecrets.accepted(), now);
      if (check.outcome !== 'right') {
        if (!isGuess(check)) return { check, field };
        tx.set(guessesRef, withRequest(guesses, now));
        if (stored && record && check.outcome !== 'OTP_NOT_FOUND') {
          const badAttempts = { ...record.badAttempts, [way]: record.badAttempts[way] + 1 };
          const codes = stored.codes.map((each) => (each === record ? { ...each, badAttempts } : each));
          tx.update(codeRefs[i]!, { codes });
        }
        return { check, field };
      }
      uses.push(() => {
        tx.set(codeRefs[i]!, codesOfAddress([{ ...record!, usedAt: now }], null));
        noteArrival(tx, recipientRefs[i]!, found[sent.length + i] as MailRecipientRecord | undefined, now);
      });
    }
    return { result: await onRight(tx, () => uses.forEach((use) => use())) };
  });
  if ('result' in outcome) return outcome.result;
  return 'exceeded' in outcome ? fail('IP_RATE_LIMITED', outcome.exceeded) : failCheck(outcome.check, outcome.field);
}

function failCheck(check: Refused, field: string | undefined): never {
  const named = field === undefined ? undefined : { field };
  switch (check.outcome) {
    case 'OTP_INVALID':
      return fail('OTP_INVALID', { attemptsRemaining: check.attemptsRemaining, ...named });
    case 'OTP_LOCKED_OUT': {
      // A new code may be requested as soon as the cooldown allows it.
      const limits = { retryInSeconds: 0, limit: MAX_BAD_ATTEMPTS, windowSeconds: CODE_TTL_SECONDS };
      return fail('OTP_LOCKED_OUT', { ...limits, ...named });
    }
    case 'OTP_NOT_FOUND':
    case 'OTP_EXPIRED':
    case 'OTP_ALREADY_USED':
    case 'OTP_PURPOSE_MISMATCH':
      return fail(check.outcome, named);
  }
}
