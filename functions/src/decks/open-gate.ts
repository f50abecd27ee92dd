import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';
import { Slots } from '../blobs/concurrent';
import { config, serviceSecrets } from '../config';
import { currentContext } from '../context';
import type { gateInput } from '../contract/gate-input';
import { fail } from '../errors';
import { logError } from '../log';
import { readerCodeMail } from '../mail/reader-code';
import { sendMail } from '../mail/send';
import { ADDRESS_ANSWER_MS, isReader } from '../policy/link-gates';
import { linkStateOf } from '../policy/presentation-access';
import { readIn } from '../records/database';
import { countAttempt, noteOpener } from '../records/link-guards';
import { mailTokenFor } from '../records/mail-recipients';
import { createOpening } from '../records/openings';
import { organizationOf } from '../records/organizations';
import { presentationRef } from '../records/presentations';
import { checkReaderCode, issueReaderCode } from '../records/reader-codes';
import { recipientKey } from '../records/recipient-key';
import { countOpening } from '../records/share-links';
import { shareTokenRef, type ShareToken } from '../records/share-tokens';
import { transact } from '../records/transact';
import {
  endOfOpening,
  grantSeconds,
  newLinkGrant,
  writeGrant,
  type LinkGrant,
  type Proof,
} from '../values/deck-grants';
import { readGateToken } from '../values/gate-tokens';
import { hashesOfReader } from '../values/link-readers';
import { isPasscode } from '../values/passcodes';
import { openPageGrant, ticketUrl } from './open-grant';
import { findLink, openLink, type GatedLink, type Link } from './open-link';

/** What a reader sends at the gate of a link. */
export interface GateAttempt extends z.output<typeof gateInput> {
  /** The grant of a page, in place of the token. */
  grant?: string | undefined;
  /** The id of a passcode that the reader has already proved. Never what a client sent. */
  provenPasscode?: string | undefined;
}

export type Need = 'passcode' | 'email' | 'code';

/** What is still missing at the gate. */
export interface Refusal {
  needs: Need[];
  wrong?: 'passcode' | 'code';
  attemptsRemaining?: number;
  requestToken?: string;
  /** When the next code can be mailed to the address, in milliseconds. Absent when it can be mailed now. */
  nextCodeAt?: number | undefined;
  /** The id of the passcode that this attempt proved. */
  provenPasscode?: string;
}

export type GateOutcome =
  { openUrl: string; expiresAt: Date; grant: LinkGrant } | { refusal: Refusal; link: GatedLink };

/** The hashes at once: each takes a thread and 32 MB. One thread of Node stays free for other work. */
const hashing = new Slots(3);

/** What the headers of the opening tell of the reader. */
interface Visitor {
  /** The host of the page that led to the link. */
  from?: string | undefined;
  isPrivate: boolean;
}

interface Visit {
  attempt: GateAttempt;
  visitor: Visitor;
  clientAddress: string;
  now: Date;
}

/**
 * Opens a link for a reader, or says what is missing. An opening is counted in the transaction that checks everything
 * else. Throws not-found, revoked and expired as the share page does, and rate-limited.
 */
export async function openAtGate(visit: Visit): Promise<GateOutcome> {
  const { attempt, now } = visit;
  if (attempt.grant !== undefined) return renew(attempt.presentationId, attempt.grant, now);
  const link = await linkOf(attempt, now);
  if (link.verdict === 'open') return openUngated(link, visit);
  if (link.verdict !== 'gated') return fail(link.verdict);
  const proof: Proof = {};
  const refusal: Refusal = { needs: [] };
  await provePasscode(link, visit, proof, refusal);
  let answered: Promise<void> | undefined;
  if (link.token.readers && !attempt.email) refusal.needs.push('email', 'code');
  else if (link.token.readers && !attempt.code) {
    answered = pause(ADDRESS_ANSWER_MS);
    refusal.needs.push('code');
    if (!refusal.needs.includes('passcode')) Object.assign(refusal, await mailCode(link, visit));
  }
  const outcome = refusal.needs.length > 0 ? { refusal, link } : await open(link, visit, proof);
  await answered;
  return outcome;
}

/** The link that the reader asks for, with its gate. */
function linkOf({ presentationId, token, again }: GateAttempt, now: Date): Promise<Link> {
  const context = currentContext()!;
  if (token !== undefined) return openLink(context, presentationId, token, now);
  const id = again === undefined ? undefined : readGateToken(serviceSecrets.accepted(), 'again', again, now);
  if (id?.presentationId !== presentationId) return fail('not-found');
  return findLink(context, id, now);
}

/**
 * A link without a gate opens, also here. What stands in place of its token opens nothing: its readers have the link.
 */
function openUngated({ deck, tokenId }: Extract<Link, { verdict: 'open' }>, { attempt, visitor, now }: Visit) {
  if (attempt.token === undefined)
    return fail('permission-denied', undefined, {
      message: 'This link opens without a gate.',
      nextAction: 'Open the share link again.',
    });
  const { presentationId } = deck;
  return opened(newLinkGrant({ presentationId, tokenId, ...ownOf(attempt, tokenId, now), ...signOf(visitor) }), now);
}

const signOf = ({ from, isPrivate }: Visitor): Pick<LinkGrant, 'from' | 'isPrivate'> => ({
  ...(from !== undefined && { from }),
  ...(isPrivate && { isPrivate }),
});

/** Whether the owner or a dev stands at the gate. */
function ownOf({ own }: GateAttempt, tokenId: string, now: Date): { isOwn?: true } {
  const of = own === undefined ? undefined : readGateToken(serviceSecrets.accepted(), 'own', own, now);
  return of?.tokenId === tokenId ? { isOwn: true } : {};
}

async function provePasscode(link: GatedLink, visit: Visit, proof: Proof, refusal: Refusal): Promise<void> {
  const { attempt, clientAddress, now } = visit;
  const { passcode, tokenId } = link.token;
  if (!passcode) return;
  if (attempt.provenPasscode !== passcode.id) {
    if (attempt.passcode === undefined) return void refusal.needs.push('passcode');
    const id = { presentationId: link.deck.presentationId, tokenId };
    const withdraw = await countAttempt(id, clientAddress, now);
    const { passcode: sent } = attempt;
    if (!(await hashing.run(() => isPasscode(passcode, sent)))) {
      refusal.needs.push('passcode');
      refusal.wrong = 'passcode';
      return;
    }
    await withdraw();
  }
  proof.passcode = passcode.id;
  refusal.provenPasscode = passcode.id;
}

/** Mails a code where the link admits the address, and answers the same where it does not. */
async function mailCode(
  { deck, token }: GatedLink,
  { attempt: { email = '' }, clientAddress, now }: Visit,
): Promise<Pick<Refusal, 'requestToken' | 'nextCodeAt'>> {
  const { presentationId, organizationId } = deck;
  const { tokenId } = token;
  const key = await recipientKey();
  const organization = await organizationOf(deck, undefined);
  const isAdmitted = isReader(token.readers ?? [], hashesOfReader(key, tokenId, email));
  const reader = { presentationId, tokenId, email, isAdmitted };
  const { digits, requestToken, nextAt } = await issueReaderCode(reader, { organization, clientAddress }, now);
  if (digits !== null) {
    const stop = mailTokenFor(key, email, { organizationId, presentationId });
    try {
      await sendMail(readerCodeMail({ to: email, organization, digits, token: stop }), `reader-code-${requestToken}`);
    } catch (error) {
      // An error would tell that the link admits the address.
      logError('A code for a reader was not mailed.', error);
    }
  }
  return { requestToken, nextCodeAt: nextAt?.getTime() };
}

/** Checks everything again, and counts the opening, in one transaction. */
async function open(
  link: GatedLink,
  { attempt, visitor, clientAddress, now }: Visit,
  proof: Proof,
): Promise<GateOutcome> {
  const { presentationId } = link.deck;
  const { tokenId } = link.token;
  const { email = '', code = '', requestToken } = attempt;
  const key = await recipientKey();
  const outcome = await transact(async (tx): Promise<{ grant: LinkGrant } | { refusal: Refusal }> => {
    const [deck, token] = await readIn(tx, presentationRef(presentationId), shareTokenRef(presentationId, tokenId));
    const state = linkStateOf(deck, token && { ...token, isRight: true }, now);
    if (state !== 'open') return fail(state === 'held' ? 'not-found' : state);
    if (!token!.readers) return openIn(token!, proof, null);
    const sent = { presentationId, tokenId, email, code, requestToken, clientAddress };
    const check = await checkReaderCode(tx, sent, now);
    if ('exceeded' in check) return fail('rate-limited', check.exceeded);
    if (!check.isRight) {
      check.count();
      const { attemptsRemaining } = check;
      return { refusal: { needs: ['code'], wrong: 'code', attemptsRemaining, ...provenOf(proof) } };
    }
    check.use();
    return openIn(token!, { ...proof, reader: hashesOfReader(key, tokenId, email) }, email);

    function openIn(
      of: ShareToken,
      proven: Proof,
      address: string | null,
    ): { grant: LinkGrant } | { refusal: Refusal } {
      // The owner changed the rules in the middle.
      const needs = missing(of, proven);
      if (needs.length > 0) return { refusal: { needs } };
      const grant = newLinkGrant({
        presentationId,
        tokenId,
        ...ownOf(attempt, tokenId, now),
        ...signOf(visitor),
        opening: { at: now, ...proven },
      });
      if (!grant.isOwn) countOpening(tx, presentationId, of);
      createOpening(tx, grant, address, now);
      noteOpener(tx, key, { presentationId, tokenId }, clientAddress, now);
      return { grant };
    }
  });
  return 'grant' in outcome ? opened(outcome.grant, now) : { refusal: outcome.refusal, link };
}

const provenOf = ({ passcode }: Proof) => (passcode === undefined ? {} : { provenPasscode: passcode });

function missing(token: ShareToken, { passcode, reader }: Proof): Need[] {
  const needs: Need[] = token.passcode && token.passcode.id !== passcode ? ['passcode'] : [];
  return token.readers && !isReader(token.readers, reader) ? [...needs, 'email', 'code'] : needs;
}

/**
 * Where the deck opens: on its origin with a ticket, or without deck origins on a share page with a grant.
 */
function opened(grant: LinkGrant, now: Date): { openUrl: string; expiresAt: Date; grant: LinkGrant } {
  const deckOrigin = config.deckOrigin();
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  if (deckOrigin !== undefined)
    return { openUrl: ticketUrl(deckOrigin, grant, now), expiresAt: after(grantSeconds.link.ticket), grant };
  const text = writeGrant(serviceSecrets.current(), 'page', grant, now);
  const openUrl = `${config.viewerUrl()}/share/${grant.presentationId}?grant=${text}`;
  return { openUrl, expiresAt: grant.opening ? endOfOpening(grant.opening) : after(grantSeconds.link.page), grant };
}

/** Gives the page of an opened deck a new address. It is no opening, and it ends with the first one. */
async function renew(presentationId: string, text: string, now: Date): Promise<GateOutcome> {
  const { grant, link } = await openPageGrant(currentContext()!, presentationId, text, now);
  if (link.verdict === 'gated')
    return fail('permission-denied', undefined, {
      message: 'This opening of the link has ended.',
      nextAction: 'Open the share link again.',
    });
  return link.verdict === 'open' ? opened(grant, now) : fail(link.verdict);
}
