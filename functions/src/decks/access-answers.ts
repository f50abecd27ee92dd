import { fail, ServiceError } from '../errors';
import type { SessionCaller } from '../http/caller';
import type { Call } from '../http/definition';
import { Idempotency } from '../http/idempotency';
import { failureMessages, isPassing } from '../policy/mail-deliveries';
import { NEVER } from '../policy/presentation-access';
import { accessRequestRef, noteAnswer, type AccessRequest } from '../records/access-requests';
import { readIn, type Transaction } from '../records/database';
import { presentationRef, type Presentation } from '../records/presentations';
import { shareTokenRef, type ShareToken } from '../records/share-tokens';
import { transact } from '../records/transact';
import { newId } from '../values/ids';
import { assertMailable, mailLinks, type ShareResult } from './mailing';

/**
 * The owner of a deck answers a request for access. To allow one mails a new link to the asker, in three steps:
 *
 * - claim: one transaction checks the request, and gives it the key of a mailing.
 * - mailing: `mailLinks` with this key. Calls that race have the same key, so they make one link and send one mail.
 * - finish: one transaction stores that the request is allowed. When no mail was sent it stays open.
 *
 * A call that was cut off is repeated with the same key. The link of a mailing that never ends opens nothing.
 */

type AnswerCall = Call<{ requestId: string; allow: boolean }, SessionCaller>;
/** An answered request, with the deck that it is about. */
export type Answered = AccessRequest & { deck: Presentation };

interface Claim {
  request: Answered;
  token: ShareToken;
  mailingKey: string;
  /** Whether this call claimed the request. Another call has, for one that joins. */
  isFirst: boolean;
}

/** A claim of a call that was cut off ends after the longest time that a call takes. */
const CLAIM_MS = 150_000;

/**
 * Returns the answered request. Throws not-found for a request that the caller may not answer, conflict for one that
 * was answered in the other way, for a deck that does not open, and when the mail cannot be sent, and rate-limited as
 * sharePresentationViaEmail does.
 */
export async function answerAccess(call: AnswerCall): Promise<Answered> {
  const claim = await transact((tx) => (call.input.allow ? claimIn(tx, call) : declineIn(tx, call)));
  if (!('token' in claim)) return claim;
  const { failed } = await mailLink(call, claim).catch(async (error: unknown) => {
    // A further call begins anew, also where a link of this mailing was revoked meanwhile.
    if (error instanceof ServiceError && error.status < 500) await release(claim, null);
    throw error;
  });
  const [failure] = failed;
  if (!failure) return finish(claim);
  const mayPass = isPassing(failure.code);
  await release(claim, mayPass ? claim.mailingKey : null);
  return fail('conflict', undefined, {
    message: failureMessages[failure.code],
    nextAction: mayPass ? 'Try again in a few minutes.' : 'Decline the request, or share the deck in another way.',
  });
}

/** A request that the caller may answer, with its deck and the link at whose address it was asked. */
async function findOwn(tx: Transaction, { input, caller, now }: AnswerCall) {
  const [request] = await readIn(tx, accessRequestRef(input.requestId));
  const link = request && request.expiresAt > now && request.ownerId === caller.userId ? request.link : null;
  const { presentationId = '', tokenId = '' } = link ?? {};
  const [deck, token] = link
    ? await readIn(tx, presentationRef(presentationId), shareTokenRef(presentationId, tokenId))
    : [];
  if (!request || !deck || !token)
    return fail('not-found', undefined, { message: 'There is no such request for access.' });
  return { request: { ...request, deck }, token };
}

/** Whether the request has this answer. Throws conflict when it has the other one. */
function isAnswered({ status }: Answered, wanted: 'allowed' | 'declined'): boolean {
  if (status === 'open') return false;
  if (status === wanted) return true;
  return fail('conflict', undefined, {
    message: `The request was ${status} before.`,
    nextAction: 'Look at the requests again.',
  });
}

const isClaimed = ({ claimedAt }: AccessRequest, now: Date) =>
  claimedAt !== null && now.getTime() - claimedAt.getTime() < CLAIM_MS;

async function declineIn(tx: Transaction, call: AnswerCall): Promise<Answered> {
  const { request } = await findOwn(tx, call);
  if (isAnswered(request, 'declined')) return request;
  if (isClaimed(request, call.now))
    return fail('conflict', undefined, {
      message: 'The request is being allowed at this moment.',
      nextAction: 'Look at the requests again in a few minutes.',
    });
  noteAnswer(tx, request.requestId, { status: 'declined' });
  return { ...request, status: 'declined' };
}

async function claimIn(tx: Transaction, call: AnswerCall): Promise<Answered | Claim> {
  const { request, token } = await findOwn(tx, call);
  if (isAnswered(request, 'allowed')) return request;
  assertMailable(request.deck, call.now);
  const { requestId, mailingKey: before } = request;
  const isFirst = !isClaimed(request, call.now) || before === null;
  const mailingKey = before ?? newId();
  if (isFirst) noteAnswer(tx, requestId, { mailingKey, claimedAt: call.now });
  return { request, token, mailingKey, isFirst };
}

/** The new link has the rules of the link at whose address was asked, and opens for the asker alone. */
function mailLink(call: AnswerCall, { request, token, mailingKey }: Claim): Promise<ShareResult> {
  const { input, caller, authorize, now } = call;
  const about = { endpointName: 'answerAccessRequest', caller, authorize, input, now };
  const { expiresAt, passcode, maxOpenings, notify, pinned } = token;
  const rules = { expiresAt: expiresAt > now ? expiresAt : NEVER, passcode, maxOpenings, notify };
  const { presentationId } = request.deck;
  return mailLinks(
    {
      ...call,
      input: { presentationId, emails: [request.email], requireEmail: true },
      idempotency: Idempotency.of(mailingKey, about),
    },
    { rulesFor: () => rules, pinned },
  );
}

function finish({ request }: Claim): Promise<Answered> {
  return transact(async (tx) => {
    const [found] = await readIn(tx, accessRequestRef(request.requestId));
    if (found && found.status !== 'allowed') noteAnswer(tx, request.requestId, { status: 'allowed', claimedAt: null });
    return { ...request, status: 'allowed' };
  });
}

/** Ends the claim of this call. The request stays open, and its next mailing has the key. */
async function release({ request: { requestId }, isFirst }: Claim, mailingKey: string | null): Promise<void> {
  if (!isFirst) return;
  await transact(async (tx) => {
    const [found] = await readIn(tx, accessRequestRef(requestId));
    if (found?.status === 'open') noteAnswer(tx, requestId, { mailingKey, claimedAt: null });
  });
}

/** A request as its owner sees it. */
export const accessRequestView = ({ requestId, link, deck, email, message, createdAt, status }: Answered) => ({
  requestId,
  presentationId: deck.presentationId,
  title: deck.title,
  tokenName: link?.tokenName ?? '',
  email,
  message,
  createdAt: createdAt.toISOString(),
  status,
});
