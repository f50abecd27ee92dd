import { z } from 'zod';
import type { Cursor } from '../values/cursor';
import { newId } from '../values/ids';
import { DAY_MS } from '../values/units';
import { collection, date, paths } from './collections';
import { documentsOf, idsOf, newestPage, type Transaction } from './database';

/** The link at whose address a person asked. */
const askedLink = z.object({ presentationId: z.string(), tokenId: z.string(), tokenName: z.string() });

/**
 * A request for access to a deck, by a person who has proved an address. It is created with the label alone; a job
 * finds the link, so nothing that the person gets depends on it. The TTL policy deletes it after 7 days.
 */
const accessRequest = z.object({
  requestId: z.string(),
  label: z.string(),
  email: z.string(),
  message: z.string().nullable(),
  createdAt: date,
  expiresAt: date,
  /** Whether the job has work with it: to find the link, or to mail its owner. */
  isDue: z.boolean(),
  /** Null until the job has found it. */
  link: askedLink.nullable(),
  /** The user who may answer: the owner of the link. Null like `link`. */
  ownerId: z.string().nullable(),
  status: z.enum(['open', 'allowed', 'declined']),
  /** Names the mailing that brings the new link; see decks/access-answers. Null before the first one. */
  mailingKey: z.string().nullable(),
  /** When the call began that allows the request at this moment; null without one. */
  claimedAt: date.nullable(),
});
export type AccessRequest = z.output<typeof accessRequest>;

const TTL_MS = 7 * DAY_MS;

const requests = () => collection(paths.accessRequests, accessRequest);
export const accessRequestRef = (requestId: string) => requests().doc(requestId);

export function createAccessRequest(
  tx: Transaction,
  asked: Pick<AccessRequest, 'label' | 'email' | 'message'>,
  now: Date,
): void {
  const requestId = newId();
  tx.create(accessRequestRef(requestId), {
    requestId,
    ...asked,
    createdAt: now,
    expiresAt: new Date(now.getTime() + TTL_MS),
    isDue: true,
    link: null,
    ownerId: null,
    status: 'open',
    mailingKey: null,
    claimedAt: null,
  });
}

/** Every request with which the job has work, as `id`. */
export const dueAccessRequests = (): AsyncGenerator<{ id: string }> =>
  idsOf(requests().query().where('isDue', '==', true));

/** Stores the link of a request. The owner can answer it from now on. */
export function routeAccessRequest(
  tx: Transaction,
  requestId: string,
  found: Pick<AccessRequest, 'link' | 'ownerId' | 'isDue'>,
): void {
  tx.update(accessRequestRef(requestId), found);
}

/** Ends the work of the job with a request. */
export function settleAccessRequest(tx: Transaction, requestId: string): void {
  tx.update(accessRequestRef(requestId), { isDue: false });
}

/** Drops a request at a label without an open deck. */
export function dropAccessRequest(tx: Transaction, requestId: string): void {
  tx.delete(accessRequestRef(requestId));
}

/** Writes the answer of the owner, or what a call that gives one has done so far. */
export function noteAnswer(
  tx: Transaction,
  requestId: string,
  change: Partial<Pick<AccessRequest, 'status' | 'mailingKey' | 'claimedAt'>>,
): void {
  tx.update(accessRequestRef(requestId), change);
}

/** The requests of an address, and those that a user may answer, as `id`. */
export async function* accessRequestsAbout(userId: string, emails: readonly string[]): AsyncGenerator<{ id: string }> {
  yield* idsOf(requests().query().where('ownerId', '==', userId).orderBy('createdAt', 'desc').select());
  for (const email of emails) yield* idsOf(requests().query().where('email', '==', email).select());
}

/**
 * Takes an address out of the requests that a user may answer: drops those of the address, and `replacement` takes its
 * place as the name of a link at which others asked.
 */
export async function forgetInRequests(ownerId: string, email: string, replacement: string): Promise<void> {
  const query = requests().query().where('ownerId', '==', ownerId).orderBy('createdAt', 'desc');
  for await (const document of documentsOf(query)) {
    const { email: asker, link } = document.data();
    if (asker === email) await document.ref.delete();
    else if (link?.tokenName === email) await document.ref.update({ 'link.tokenName': replacement });
  }
}

/**
 * A page of the requests that a user may answer or has answered, newest first, and the cursor of the next. One query.
 */
export function listAccessRequests(
  ownerId: string,
  limit: number,
  after: Cursor | undefined,
  now: Date,
): Promise<{ records: AccessRequest[]; next: string | null }> {
  const query = requests()
    .query()
    .where('ownerId', '==', ownerId)
    .where('createdAt', '>', new Date(now.getTime() - TTL_MS));
  return newestPage(query, 'createdAt', limit, after);
}
