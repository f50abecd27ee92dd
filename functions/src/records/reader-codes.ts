import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { serviceSecrets } from '../config';
import {
  checkCode,
  CODE_TTL_SECONDS,
  isGuess,
  macCode,
  MAX_WRONG_CODES_PER_NETWORK,
  mintCode,
  triedCode,
  withNewCode,
  type CodeCheck,
} from '../policy/codes';
import { mailsPerDay } from '../policy/mail-rates';
import { mailboxOf } from '../values/mailboxes';
import { SERVICE_ID } from '../values/mail-tokens';
import { networkOf } from '../values/networks';
import { mac } from '../values/secrets';
import { DAY_SECONDS } from '../values/units';
import { collection, date, paths } from './collections';
import { readIn, type Transaction } from './database';
import { mailRecipientRef, noteArrival } from './mail-recipients';
import { requestHashOf } from './one-time-codes';
import type { Organization } from './organizations';
import { recipientKey } from './recipient-key';
import { exceededWindow, requestWindowRef, withRequest, type ReaderWindowKind } from './request-windows';
import { transact } from './transact';

/**
 * The codes with which a reader proves an address to one link, or with which a person who asks for access proves one.
 * They are apart from the codes of accounts: neither opens what the other does. The TTL policy deletes it.
 */
const readerCodes = z.object({
  codes: z.array(
    z.object({
      purpose: z.literal('open'),
      codeMac: z.string(),
      requestHash: z.string(),
      isOfDevice: z.literal(false),
      badAttempts: z.object({ token: z.number().int(), address: z.number().int() }),
      createdAt: date,
      expiresAt: date,
      usedAt: date.nullable(),
    }),
  ),
  expiresAt: date,
});

/** The most codes for one link and address in an hour; for one mailbox in a day, from one organization and from all. */
const [PER_LINK_AND_HOUR, PER_SENDER_AND_DAY, PER_MAILBOX_AND_DAY] = [3, 10, 30];
/** An organization mails so many times more codes to readers than other mails in a day. */
const CODES_PER_MAIL = 5;
/** One client has at most this share of them, so that it cannot use up those of all readers. */
const CLIENT_SHARE = 0.5;

/** A link and the address that a reader typed. */
interface Reader {
  presentationId: string;
  tokenId: string;
  email: string;
}

/** The label at which a person asks for access, which need not belong to a link, and the address that was typed. */
interface Asker {
  label: string;
  email: string;
}

/** A label is longer than the id of a token: the code of one is never that of the other. */
const subjectOf = (of: Reader | Asker) => `${'label' in of ? of.label : of.tokenId} ${of.email}`;
const codesRef = (key: string, of: Reader | Asker) =>
  'label' in of
    ? collection(paths.askerCodes, readerCodes).doc(mac(key, 'asker-codes', of.label, of.email))
    : collection(paths.readerCodes(of.presentationId), readerCodes).doc(mac(key, 'reader-codes', of.tokenId, of.email));

/** The organization whose readers get codes, and the client that asks for one. */
interface Sender {
  organization: Pick<Organization, 'organizationId' | 'plan' | 'createdAt'>;
  clientAddress: string;
}

/**
 * The windows that need room for one more code, with their limits. Without a sender it is the service.
 */
function limitsOf(key: string, of: Reader | Asker, sender: Sender | null, now: Date) {
  const mailbox = mailboxOf(of.email);
  const { organizationId } = sender?.organization ?? { organizationId: SERVICE_ID };
  const limits: [kind: ReaderWindowKind, of: string, max: number][] = [
    ['reader-sender', `${organizationId} ${mailbox}`, PER_SENDER_AND_DAY],
    ['reader-mailbox', mailbox, PER_MAILBOX_AND_DAY],
  ];
  if (sender) {
    const codes = CODES_PER_MAIL * mailsPerDay(sender.organization, now);
    const client = `${organizationId} ${networkOf(sender.clientAddress)}`;
    limits.push(['reader-mails', organizationId, codes], ['reader-client', client, codes * CLIENT_SHARE]);
  }
  return limits.map(([kind, subject, max]) => ({ ref: requestWindowRef(key, kind, subject), max }));
}

/** `nextAt` is absent when the next code can be mailed now. */
export interface IssuedReaderCode {
  digits: string | null;
  requestToken: string;
  nextAt?: Date;
}

/**
 * Makes a code for a reader. `digits` is null when no mail is to be sent: the link does not admit the address, the
 * address got as many codes as it may, or its owner stopped all mails. All of this looks the same to whoever asks, and
 * it is counted alike. `nextAt` depends on the requests for the link and the address alone. `sender` is null when the
 * service mails the code in its own name.
 */
export async function issueReaderCode(
  of: (Reader | Asker) & { isAdmitted: boolean },
  sender: Sender | null,
  now: Date,
): Promise<IssuedReaderCode> {
  const key = await recipientKey();
  const requestToken = randomBytes(32).toString('base64url');
  const digits = mintCode();
  const ofLink = requestWindowRef(key, 'reader-link', subjectOf(of));
  const limits = limitsOf(key, of, sender, now);
  const { isMailed, waitSeconds } = await transact(async (tx) => {
    const ref = codesRef(key, of);
    const [stored, recipient, asked, ...windows] = await readIn(
      tx,
      ref,
      mailRecipientRef(key, of.email),
      ofLink,
      ...limits.map((limit) => limit.ref),
    );
    const exceeded = exceededWindow(asked, PER_LINK_AND_HOUR, now);
    if (exceeded) return { isMailed: false, waitSeconds: exceeded.retryInSeconds };
    const counted = withRequest(asked, now);
    tx.set(ofLink, counted);
    const waitSeconds = exceededWindow(counted, PER_LINK_AND_HOUR, now)?.retryInSeconds ?? 0;
    if (limits.some(({ max }, i) => exceededWindow(windows[i], max, now, DAY_SECONDS)))
      return { isMailed: false, waitSeconds };
    limits.forEach(({ ref }, i) => tx.set(ref, withRequest(windows[i], now, DAY_SECONDS)));
    const isAllowed = of.isAdmitted && !recipient?.stoppedAllAt;
    const expiresAt = new Date(now.getTime() + CODE_TTL_SECONDS * 1000);
    const added = {
      purpose: 'open' as const,
      // No six digits are right for an address that gets no mail.
      codeMac: macCode(serviceSecrets.current(), subjectOf(of), 'open', isAllowed ? digits : requestToken),
      requestHash: requestHashOf(requestToken),
      isOfDevice: false as const,
      badAttempts: { token: 0, address: 0 },
      createdAt: now,
      expiresAt,
      usedAt: null,
    };
    tx.set(ref, { codes: withNewCode(stored?.codes ?? [], added, now), expiresAt });
    return { isMailed: isAllowed, waitSeconds };
  });
  const nextAt = waitSeconds > 0 && { nextAt: new Date(now.getTime() + waitSeconds * 1000) };
  return { digits: isMailed ? digits : null, requestToken, ...nextAt };
}

type SentCode = (Reader | Asker) & {
  code: string;
  requestToken?: string | null | undefined;
  clientAddress: string;
};

/** What a check of a code found. A right one is used up by `use`. */
export type ReaderCheck =
  | { isRight: true; use: () => void }
  | { isRight: false; attemptsRemaining: number; count: () => void }
  | { exceeded: { retryInSeconds: number; limit: number; windowSeconds: number } };

/**
 * Checks a code in the transaction that opens the link or creates the request, which then calls `use` or `count`. A
 * code that was never mailed, has expired or belongs to another request is a wrong one.
 */
export async function checkReaderCode(tx: Transaction, sent: SentCode, now: Date): Promise<ReaderCheck> {
  const requestHash = sent.requestToken ? requestHashOf(sent.requestToken) : undefined;
  const way = requestHash === undefined ? 'address' : 'token';
  const key = await recipientKey();
  const ref = codesRef(key, sent);
  const recipient = mailRecipientRef(key, sent.email);
  const guesses = requestWindowRef(key, 'reader-guesser', networkOf(sent.clientAddress));
  const [stored, guessed, mailed] = await readIn(tx, ref, guesses, recipient);
  const exceeded = exceededWindow(guessed, MAX_WRONG_CODES_PER_NETWORK, now);
  if (exceeded) return { exceeded };
  const record = triedCode(stored?.codes ?? [], requestHash);
  const tried = { email: subjectOf(sent), code: sent.code, purpose: 'open', way } as const;
  const check = checkCode(record, tried, serviceSecrets.accepted(), now);
  if (check.outcome === 'right') {
    const use = () => {
      tx.delete(ref);
      noteArrival(tx, recipient, mailed, now);
    };
    return { isRight: true, use };
  }
  return {
    isRight: false,
    attemptsRemaining: remainingOf(check),
    count: () => {
      if (!isGuess(check)) return;
      tx.set(guesses, withRequest(guessed, now));
      if (!record || check.outcome === 'OTP_NOT_FOUND') return;
      const badAttempts = { ...record.badAttempts, [way]: record.badAttempts[way] + 1 };
      tx.update(ref, { codes: stored!.codes.map((each) => (each === record ? { ...each, badAttempts } : each)) });
    },
  };
}

const remainingOf = (check: CodeCheck) => (check.outcome === 'OTP_INVALID' ? check.attemptsRemaining : 0);
