import { email } from '../contract/fields';
import { fail } from '../errors';
import type { Caller } from '../http/caller';
import type { Call } from '../http/definition';
import { sendMails, type Mail } from '../mail/send';
import { shareLetter, shareMail } from '../mail/share';
import type { ManifestPointer } from '../policy/manifest';
import {
  failureMessages,
  isOutage,
  isPassing,
  outcomesOf,
  type DeliveryFailure,
  type Outcome,
  type SendResult,
} from '../policy/mail-deliveries';
import { isClosed, NEVER, tokenStateOf } from '../policy/presentation-access';
import { readIn, refIf, type Transaction } from '../records/database';
import { appendEmailSends } from '../records/email-sends';
import {
  isStopped,
  mailRecipientRef,
  mailRecipientsOf,
  mailTokenFor,
  type MailRecipient,
} from '../records/mail-recipients';
import { countMails, mailWindowRef, uncountMails } from '../records/mail-windows';
import { organizationRef, sendersOf } from '../records/organizations';
import { presentationRef, type Presentation } from '../records/presentations';
import { recipientKey } from '../records/recipient-key';
import { assertRoomForLinks, holdLink, releaseLinks } from '../records/share-links';
import { openRules, shareTokenRef, shareUrlOf, shortUrlOf, type ShareToken } from '../records/share-tokens';
import { transact } from '../records/transact';
import { senderOf, userRef } from '../records/users';
import { prepareRules, type PreparedRules, type SentRules } from './link-changes';
import { pictureForMail } from './shown-pictures';

/**
 * A mailing brings the link of a deck to up to 20 addresses. It has three states; each arrow is one function of this
 * file:
 *
 *     (none) ──begin──► begun ──send──► sent ──end──► ended
 *
 * - begun: one transaction has counted the mails, created the links (held: they open nothing) and stored the plan of
 *   the mailing under the Idempotency-Key. A retry of the call with the same key resumes here, with the same mails.
 * - sent: the provider has answered for each mail. Nothing is stored: a retry sends the same mails under the same key
 *   of the provider, which sends them once.
 * - ended: one transaction has opened the links of mails that the provider accepted, revoked the others, appended the
 *   audit records and stored the answer under the Idempotency-Key.
 *
 * During an outage the provider accepts nothing. A mailing with an Idempotency-Key then only appends its audit records
 * and stays begun, so that the next call with the key sends the same mails.
 *
 * A mailing that is cut off or meets an outage and is never retried leaves held links, which open nothing.
 */

/** The rules are those of the new links. */
export interface ShareRequest extends SentRules {
  presentationId: string;
  /** Distinct. A text that is not an email address fails alone: the others are mailed. */
  emails: string[];
  message?: string | null | undefined;
  subject?: string | null | undefined;
  /** A live token whose link all recipients get. Without it each recipient gets a new link. */
  tokenId?: string | null | undefined;
}

export interface ShareResult {
  presentationId: string;
  sent: { email: string; tokenId: string; resendMessageId: string; shareUrl: string; shortUrl?: string }[];
  failed: { email: string; code: DeliveryFailure; message: string }[];
  summary: { total: number; sent: number; failed: number };
}

type ShareCall = Call<ShareRequest, Caller>;

/** The plan of a mailing. A retry mails it unchanged, although the deck or the template may have changed since. */
interface Mailing {
  /** The id of the request that began the mailing. */
  requestId: string;
  organizationId: string;
  recipients: { email: string; link: MailedLink }[];
  /** The addresses whose owners stopped these mails. They get no link. */
  suppressed: string[];
  subject: string;
  /** In the order of the recipients. */
  mails: Mail[];
}

type MailedLink = Pick<ShareToken, 'tokenId' | 'sealed' | 'short'>;

/** What the new links of a mailing have in common. */
interface NewLinks {
  rulesFor: PreparedRules;
  /** The version to which they are pinned, or null to follow the latest version. */
  pinned: ManifestPointer | null;
}

/** Runs a mailing to its end, or resumes the one that an earlier call with the same Idempotency-Key began. */
export const runMailing = async (call: ShareCall): Promise<ShareResult> =>
  mailLinks(call, { rulesFor: await prepareRules(call.input), pinned: null });

/** The same, with rules that are not those of the input. */
export async function mailLinks(call: ShareCall, links: NewLinks): Promise<ShareResult> {
  const begun = await transact((tx) => begin(tx, call, links));
  if ('answer' in begun) return begun.answer;
  const { mailing } = begun;
  const results = await send(mailing, call);
  return transact((tx) => end(tx, call, mailing, results));
}

/**
 * Begins or resumes a mailing, or returns the answer of one that has ended. Throws before a mail is sent when the call
 * is refused.
 */
async function begin(
  tx: Transaction,
  call: ShareCall,
  links: NewLinks,
): Promise<{ answer: ShareResult } | { mailing: Mailing }> {
  const { idempotency } = call;
  const earlier = await idempotency.findEarlier(tx);
  if (earlier.answer) return { answer: earlier.answer as ShareResult };
  if (earlier.begun) return { mailing: await resume(tx, call, earlier.begun as Mailing) };
  const mailing = await plan(tx, call, links);
  idempotency.begin(tx, mailing);
  return { mailing };
}

/** Counts the mails, creates the links and renders the mails of a new mailing. */
async function plan(
  tx: Transaction,
  { input, caller, authorize, now, requestId }: ShareCall,
  { rulesFor, pinned }: NewLinks,
): Promise<Mailing> {
  const id = input.presentationId;
  const emails = input.emails.filter((address) => email.safeParse(address).success);
  const key = await recipientKey();
  const [found, own, user, reused, ownWindow, ...records] = await readIn(
    tx,
    presentationRef(id),
    refIf(organizationRef, caller.organizationId),
    refIf(userRef, caller.userId),
    refIf((tokenId) => shareTokenRef(id, tokenId), input.tokenId),
    refIf(mailWindowRef, caller.organizationId),
    ...emails.map((address) => mailRecipientRef(key, address)),
  );
  const deck = assertMailable(authorize(found), now);
  const { organizationId } = deck;
  const [organization, window] =
    own?.organizationId === organizationId
      ? [own, ownWindow]
      : await readIn(tx, organizationRef(organizationId), mailWindowRef(organizationId));
  if (!organization) throw new Error(`The organization ${organizationId} of a deck does not exist.`);
  const link = input.tokenId ? assertActive(deck, reused, now) : undefined;
  const rules = { ...openRules, ...rulesFor(caller, now) };
  const rulesOf = (to: string) => (input.requireEmail ? { ...rules, readers: { emails: [to], key } } : rules);

  const addressed = mailRecipientsOf(key, emails, records);
  const suppressed = addressed
    .filter((each) => isStopped(each, sendersOf(organization), now))
    .map((each) => each.email);
  const mailable = addressed.filter((each) => !suppressed.includes(each.email));
  countMails(tx, organization, window, { sendId: requestId, about: id, recipients: mailable, addressed }, now);
  const createdBy = caller.userId ?? caller.keyId;
  if (!link) assertRoomForLinks(deck, mailable.length);
  const links = mailable.map(
    ({ email: name }) => link ?? holdLink(tx, deck, { name, pinned, rules: rulesOf(name), createdBy }, now),
  );
  const recipients = mailable.map(({ email: name }, i) => ({ email: name, link: mailedLink(links[i]!) }));
  const { expiresAt: end } = link ?? rules;
  const expiresAt = end < NEVER ? end : null;
  const letter = shareLetter({ ...input, expiresAt, deck, organization, sender: senderOf(user) });
  const mails = links.map((each, i) => {
    const to = recipients[i]!.email;
    const token = mailTokenFor(key, to, { organizationId, presentationId: id });
    return shareMail(letter, to, { url: shareUrlOf(id, each)!, picture: pictureForMail(deck, each) }, token);
  });
  return { requestId, organizationId, recipients, suppressed, subject: letter.subject, mails };
}

/**
 * Resumes a mailing that has not ended, and counts the call: each call of an outage appends audit records. Throws
 * rate-limited when the organization made too many calls. Throws conflict when the deck no longer opens, when a link of
 * the mailing was revoked or has expired, or when a recipient stopped these mails: the provider accepts only the same
 * mails under the same key, so one mail cannot be left out.
 */
async function resume(tx: Transaction, call: ShareCall, mailing: Mailing): Promise<Mailing> {
  const { input, authorize, now, requestId } = call;
  const { organizationId } = mailing;
  const id = input.presentationId;
  const key = await recipientKey();
  const emails = mailing.recipients.map((recipient) => recipient.email);
  const [[found, organization, window], tokens, records] = await Promise.all([
    readIn(tx, presentationRef(id), organizationRef(organizationId), mailWindowRef(organizationId)),
    readIn(tx, ...tokenRefs(id, mailing)),
    readIn(tx, ...emails.map((to) => mailRecipientRef(key, to))),
  ]);
  const deck = assertMailable(authorize(found), now);
  const nextAction = 'Send again with another Idempotency-Key.';
  if (tokens.some((token) => !token || tokenStateOf(token, deck, now) !== 'open')) {
    const message = 'A link of this call was revoked or expired before the call ended.';
    fail('conflict', undefined, { message, nextAction });
  }
  if (!organization) throw new Error(`The organization ${organizationId} of a deck does not exist.`);
  if (mailRecipientsOf(key, emails, records).some((each) => isStopped(each, sendersOf(organization), now))) {
    const message = 'A recipient of this call stopped such mails before the call ended.';
    fail('conflict', undefined, { message, nextAction });
  }
  countMails(tx, organization, window, { sendId: requestId, about: id, recipients: [], addressed: [] }, now);
  return mailing;
}

function send({ mails, requestId }: Mailing, { idempotency }: ShareCall): Promise<SendResult[]> {
  return sendMails(mails, { idempotencyKey: `share-${requestId}`, isShared: idempotency.isShared });
}

/**
 * Writes the outcome of the mails. Of racing calls with one Idempotency-Key the first one writes, and the others return
 * its answer.
 */
async function end(tx: Transaction, call: ShareCall, mailing: Mailing, results: SendResult[]): Promise<ShareResult> {
  const { input, caller, now, idempotency } = call;
  const id = input.presentationId;
  const earlier = await idempotency.findEarlier(tx);
  if (earlier.answer) return earlier.answer as ShareResult;
  const { recipients, suppressed, organizationId, requestId, subject } = mailing;
  const outcomes = outcomesOf(input.emails, recipients, suppressed, results);
  const answer = answerOf(input, outcomes, recipients);

  const faults = outcomes.filter(({ code }) => code !== null && isPassing(code));
  const uncounted = faults.map((outcome) => outcome.email);
  const key = await recipientKey();
  const links = tokenRefs(id, mailing);
  const refs = [presentationRef(id), mailWindowRef(organizationId)] as const;
  const [deck, window, ...rest] = await readIn(
    tx,
    ...refs,
    ...links,
    ...uncounted.map((to) => mailRecipientRef(key, to)),
  );
  const tokens = rest.slice(0, links.length) as (ShareToken | undefined)[];
  const failed = mailRecipientsOf(key, uncounted, rest.slice(links.length) as (MailRecipient['stored'] | undefined)[]);
  // The deck was deleted after the mailing began. The mails are sent, but nothing may be written under the deck's id.
  if (!deck) return answer;
  const { keyId } = caller;
  const by = { sentBy: caller.userId ?? keyId, keyId, requestId, sentAt: now };
  appendEmailSends(tx, deck, outcomes, { subject, ...by });
  // The mailing stays begun: the next call with the key sends the same mails. Their links stay held, and they stay
  // counted.
  if (idempotency.isShared && isOutage(results)) return answer;
  releaseLinks(tx, deck, tokens, { open: new Set(answer.sent.map(({ tokenId }) => tokenId)), now });
  uncountMails(tx, organizationId, window, { sendId: requestId, about: id, recipients: failed });
  idempotency.finish(tx, answer);
  return answer;
}

/** The share tokens of a mailing, each once: all recipients may have the same link. */
function tokenRefs(presentationId: string, { recipients }: Mailing) {
  const tokenIds = new Set(recipients.map(({ link }) => link.tokenId));
  return [...tokenIds].map((tokenId) => shareTokenRef(presentationId, tokenId));
}

/** Returns the deck when its links open. Throws conflict otherwise: a link that opens nothing is not mailed. */
export function assertMailable(deck: Presentation, now: Date): Presentation {
  if (!isClosed(deck, now)) return deck;
  const [message, nextAction] = deck.takedown
    ? ['The deck was taken down. Its links open nothing.', 'Ask the operator of the service.']
    : ['The deck has expired. Its links open nothing.', 'Set a later expiry, then send again.'];
  return fail('conflict', undefined, { message, nextAction });
}

/** Returns an open token whose URL can be made. Throws invalid-argument otherwise. */
function assertActive(deck: Presentation, token: ShareToken | undefined, now: Date): ShareToken {
  const isOpen = token && !token.isHeld && tokenStateOf(token, deck, now) === 'open';
  if (!isOpen || !shareUrlOf(deck.presentationId, token)) {
    const message = 'The deck has no such active token.';
    return fail('invalid-argument', { errors: [{ location: 'body.tokenId', message }] });
  }
  return token;
}

const mailedLink = ({ tokenId, sealed, short }: ShareToken): MailedLink => ({ tokenId, sealed, short });

function answerOf(input: ShareRequest, outcomes: Outcome[], recipients: Mailing['recipients']): ShareResult {
  const id = input.presentationId;
  const addresses = new Map(
    recipients.map(({ email: to, link }) => {
      const short = input.short ? shortUrlOf(id, link) : null;
      return [to, { shareUrl: shareUrlOf(id, link)!, ...(short && { shortUrl: short }) }];
    }),
  );
  const sent = outcomes.flatMap(({ email: to, tokenId, resendMessageId }) =>
    tokenId && resendMessageId ? [{ email: to, tokenId, resendMessageId, ...addresses.get(to)! }] : [],
  );
  const failed = outcomes.flatMap(({ email: to, code }) =>
    code ? [{ email: to, code, message: failureMessages[code] }] : [],
  );
  const summary = { total: outcomes.length, sent: sent.length, failed: failed.length };
  return { presentationId: id, sent, failed, summary };
}
