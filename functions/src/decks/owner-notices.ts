import { accessRequestMail, guessedPasscodeMail } from '../mail/owner-notices';
import { sendNotice } from '../mail/send-notice';
import { isClosed } from '../policy/presentation-access';
import {
  accessRequestRef,
  dropAccessRequest,
  routeAccessRequest,
  settleAccessRequest,
  type AccessRequest,
} from '../records/access-requests';
import { read, readIn, type Transaction } from '../records/database';
import { MANY_WRONG, noteWarning } from '../records/link-guards';
import { serviceTokenFor } from '../records/mail-recipients';
import { presentationRef } from '../records/presentations';
import { addRequest, exceededWindow, requestWindowRef } from '../records/request-windows';
import { findByLabel, shareTokenRef } from '../records/share-tokens';
import { recipientKey } from '../records/recipient-key';
import { transact } from '../records/transact';
import { userRef } from '../records/users';
import { mailboxOf } from '../values/mailboxes';
import { DAY_SECONDS } from '../values/units';

/**
 * What a job mails to the owners of decks, in the name of the service. Each function may be repeated and cut off: a
 * document says what is due, and the provider sends a mail under its key once in 24 hours.
 */

/** The requests of one mailbox for one deck in a day, and the mails about requests for one deck. */
const [PER_ASKER, MAILS_PER_DECK] = [1, 10];
/** For so long a mail is tried. Then the request stands in the dashboard alone. */
const MAIL_PATIENCE_MS = 20 * 3600_000;

/**
 * Finds the link of a request for access, and mails its owner. A request at a label without an open deck is dropped,
 * and so is the second of a mailbox for a deck in a day.
 */
export async function deliverAccessRequest(requestId: string, now: Date): Promise<void> {
  const key = await recipientKey();
  const routed = await transact(async (tx) => {
    const [request] = await readIn(tx, accessRequestRef(requestId));
    if (!request?.isDue) return undefined;
    return request.link ? request : route(tx, request, key, now);
  });
  if (!routed?.isDue) return;
  const { link, email, message, createdAt } = routed;
  const isFresh = now.getTime() - createdAt.getTime() < MAIL_PATIENCE_MS;
  const owner = isFresh ? await recipientOf(link!.presentationId, now) : undefined;
  if (owner) {
    const about = { asker: email, message, linkName: link!.tokenName };
    await sendNotice(accessRequestMail({ ...owner, ...about }), `access-request-${requestId}`);
  }
  await transact(async (tx) => {
    const [request] = await readIn(tx, accessRequestRef(requestId));
    if (request?.isDue) settleAccessRequest(tx, requestId);
  });
}

/** Stores the link of a request, and counts request and mail. Returns the request; undefined when it was dropped. */
async function route(
  tx: Transaction,
  request: AccessRequest,
  key: string,
  now: Date,
): Promise<AccessRequest | undefined> {
  const { requestId, label, email } = request;
  const found = await findByLabel(tx, label);
  const id = found?.presentationId ?? '';
  const asked = requestWindowRef(key, 'asked', `${id} ${mailboxOf(email)}`);
  const mails = requestWindowRef(key, 'asked-mails', id);
  const [deck, askedBefore, mailed] = found ? await readIn(tx, presentationRef(id), asked, mails) : [];
  const isRepeated = exceededWindow(askedBefore, PER_ASKER, now, DAY_SECONDS);
  if (!found || found.token.isHeld || !deck || isClosed(deck, now) || isRepeated) {
    dropAccessRequest(tx, requestId);
    return undefined;
  }
  const { tokenId, name } = found.token;
  const link = { presentationId: id, tokenId, tokenName: name };
  const isDue = !exceededWindow(mailed, MAILS_PER_DECK, now, DAY_SECONDS);
  addRequest(tx, asked, askedBefore, now, DAY_SECONDS);
  if (isDue) addRequest(tx, mails, mailed, now, DAY_SECONDS);
  routeAccessRequest(tx, requestId, { link, ownerId: deck.ownerId, isDue });
  return { ...request, link, isDue };
}

/** A link at which many wrong passcodes were tried. `warnedAt` is the time of the mail before. */
interface GuessedLink {
  presentationId: string;
  tokenId: string;
  warnedAt: Date | null;
}

/** Mails the owner of a link about wrong passcodes. */
export async function warnOfGuesses({ presentationId, tokenId, warnedAt }: GuessedLink, now: Date): Promise<void> {
  const [[token], owner] = await Promise.all([
    read(shareTokenRef(presentationId, tokenId)),
    recipientOf(presentationId, now),
  ]);
  if (token && owner) {
    const about = { presentationId, linkName: token.name, limit: MANY_WRONG };
    await sendNotice(guessedPasscodeMail({ ...owner, ...about }), `guessed-${tokenId}-${warnedAt?.getTime() ?? 0}`);
  }
  await noteWarning({ presentationId, tokenId }, now);
}

/**
 * Whom and about what to mail. Undefined when the deck is closed, when the deletion of its owner has begun, and when
 * the owner stopped such mails.
 */
async function recipientOf(
  presentationId: string,
  now: Date,
): Promise<{ to: string; token: string; deckTitle: string } | undefined> {
  const [deck] = await read(presentationRef(presentationId));
  if (!deck || isClosed(deck, now)) return undefined;
  const [owner] = await read(userRef(deck.ownerId));
  if (!owner) return undefined;
  const token = await serviceTokenFor(owner.email, now);
  return token === undefined ? undefined : { to: owner.email, token, deckTitle: deck.title };
}
