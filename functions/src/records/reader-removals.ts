import type { Query } from 'firebase-admin/firestore';
import { z } from 'zod';
import { mac } from '../values/secrets';
import { forgetInRequests } from './access-requests';
import { collection, collectionGroup, date, paths } from './collections';
import { documentsOf, idsOf, read, readIn, type Transaction } from './database';
import { emailSend } from './email-sends';
import { forgetInEvents } from './forgotten-events';
import { linkReaders, linkReadersRef } from './link-readers';
import { opening } from './openings';
import { presentationRef, type Presentation } from './presentations';
import { changeLink } from './share-links';
import { shareToken, shareTokenRef, type ShareToken } from './share-tokens';
import { transact } from './transact';
import { viewsByAddress } from './views';

/**
 * An address that an organization wants to be forgotten. The job deletes it when nothing has the address any more, so
 * the address itself is kept until then.
 */
const readerRemoval = z.object({
  organizationId: z.string(),
  email: z.string(),
  /** Who is told when it is done. */
  userId: z.string(),
  requestedAt: date,
});
export type ReaderRemoval = z.output<typeof readerRemoval>;

export const readerRemovalRef = (id: string) => collection(paths.readerRemovals, readerRemoval).doc(id);

/**
 * Asks for the removal of an address. A second request before the job has ended takes the place of the first. `key` is
 * that of records/recipient-key.
 */
export function requestRemoval(tx: Transaction, removal: ReaderRemoval, key: string): void {
  const id = mac(key, 'reader-removal', removal.organizationId, removal.email);
  tx.set(readerRemovalRef(id), removal);
}

export const requestedRemovals = (): AsyncGenerator<{ id: string }> =>
  idsOf(collection(paths.readerRemovals, readerRemoval).query());

/** Ends a removal, unless the address was asked for again. */
export function endRemoval(id: string, { requestedAt }: ReaderRemoval): Promise<void> {
  return transact(async (tx) => {
    const [present] = await readIn(tx, readerRemovalRef(id));
    if (present?.requestedAt.getTime() === requestedAt.getTime()) tx.delete(readerRemovalRef(id));
  });
}

const FORGOTTEN = 'Forgotten reader';

/** Finds what a query finds in the decks of an organization, or in all decks. Decks are read once. */
function inDecksOf(organizationId: string | undefined) {
  const decks = new Map<string, Presentation | undefined>();
  return async function* found(query: Query) {
    for await (const { ref } of documentsOf(query)) {
      const presentationId = ref.parent.parent!.id;
      if (!decks.has(presentationId)) decks.set(presentationId, (await read(presentationRef(presentationId)))[0]);
      const deck = decks.get(presentationId);
      if (deck && (organizationId ?? deck.organizationId) === deck.organizationId) yield { ref, deck };
    }
  };
}

/**
 * What takes the place of an address in the records of an organization: it is the same for each mail to the address.
 */
export const forgottenAddress = (key: string, organizationId: string, email: string): string =>
  `forgotten-${mac(key, 'forgotten-reader', organizationId, email).slice(0, 24)}`;

/**
 * Removes an address from the decks, events and access requests of an organization; without one from all decks. Each
 * change removes what the queries find, so a removal that was cut off goes on where it stopped. `key` is that of
 * records/recipient-key.
 */
export async function removeReader(
  email: string,
  of: Pick<ReaderRemoval, 'organizationId' | 'userId'> | undefined,
  key: string,
): Promise<void> {
  const inDecks = inDecksOf(of?.organizationId);

  const tokens = collectionGroup('shareTokens', shareToken);
  const links = [
    collectionGroup('linkReaders', linkReaders).where('emails', 'array-contains', email),
    tokens.where('recipient', '==', email),
    tokens.where('name', '==', email),
  ];
  for (const query of links)
    for await (const { ref, deck } of inDecks(query)) await changeToken(deck.presentationId, ref.id, { email, key });
  const sends = collectionGroup('emailSends', emailSend).where('email', '==', email);
  for await (const { ref, deck } of inDecks(sends))
    await ref.update({ email: forgottenAddress(key, deck.organizationId, email) });
  // After the links: an opening or a view that begins now gets no address any more.
  const openings = collectionGroup('openings', opening).where('email', '==', email);
  for await (const { ref } of inDecks(openings)) await ref.update({ email: null });
  for await (const { ref } of inDecks(viewsByAddress(email))) await ref.update({ email: null, emailIsProven: false });
  // After all of them: a change that is made now tells an event without the address.
  if (!of) return;
  await forgetInEvents(of.organizationId, email, forgottenAddress(key, of.organizationId, email));
  // An organization has one user, who may answer all requests for its decks.
  await forgetInRequests(of.userId, email, FORGOTTEN);
}

/** Removes the address from a link: from its name, its recipient, and those whom it admits. */
function changeToken(presentationId: string, tokenId: string, { email, key }: { email: string; key: string }) {
  return transact(async (tx) => {
    const tokenRef = shareTokenRef(presentationId, tokenId);
    const listRef = linkReadersRef(presentationId, tokenId);
    const [deck, token, list] = await readIn(tx, presentationRef(presentationId), tokenRef, listRef);
    if (!deck || !token) return;
    const admits = list?.emails.includes(email) === true;
    const isNamed = token.name === email;
    if (isNamed || admits) {
      await changeLink(tx, deck, token, {
        isForgetting: true,
        ...(isNamed && { name: FORGOTTEN }),
        // A link that admits nobody else stays closed.
        ...(admits && { rules: { readers: { emails: list.emails.filter((each) => each !== email), key } } }),
      });
    }
    if (token.recipient === email) tx.update(tokenRef, { recipient: null } satisfies Partial<ShareToken>);
  });
}
