import { z } from 'zod';
import { mac } from '../values/secrets';
import { idOf } from '../values/ids';
import { collection, collectionGroup, date, paths } from './collections';
import { idsOf, pagesOf, read, readIn, type Transaction } from './database';
import { emailSend } from './email-sends';
import { linkReaders } from './link-readers';
import { opening } from './openings';
import { presentationRef, type Presentation } from './presentations';
import { changeLink } from './share-links';
import { shareToken, type ShareToken } from './share-tokens';
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

/** Asks for the removal of an address. A second request before the job has ended takes the place of the first. */
export function requestRemoval(tx: Transaction, removal: ReaderRemoval): void {
  tx.set(readerRemovalRef(idOf(`${removal.organizationId} ${removal.email}`)), removal);
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

/** Whether a deck is one of the organization. Decks are read once. */
function decksOf(organizationId: string) {
  const known = new Map<string, Presentation | undefined>();
  return async (presentationId: string): Promise<boolean> => {
    if (!known.has(presentationId)) known.set(presentationId, (await read(presentationRef(presentationId)))[0]);
    return known.get(presentationId)?.organizationId === organizationId;
  };
}

/**
 * Removes an address from the decks of an organization. Each change removes what the queries find, so a removal that was
 * cut off goes on where it stopped. `key` is that of records/recipient-key.
 */
export async function removeReader({ organizationId, email }: ReaderRemoval, key: string): Promise<void> {
  const isOwn = decksOf(organizationId);
  const deckOf = (ref: FirebaseFirestore.DocumentReference) => ref.parent.parent!.id;
  const hash = mac(key, 'forgotten-reader', organizationId, email).slice(0, 24);

  for await (const page of pagesOf(collectionGroup('openings', opening).where('email', '==', email))) {
    for (const { ref } of page) if (await isOwn(deckOf(ref))) await ref.update({ email: null });
  }
  const lists = collectionGroup('linkReaders', linkReaders).where('emails', 'array-contains', email);
  for await (const page of pagesOf(lists)) {
    for (const { ref, id } of page) if (await isOwn(deckOf(ref))) await changeToken(deckOf(ref), id, { email, key });
  }
  for (const field of ['recipient', 'name']) {
    for await (const page of pagesOf(collectionGroup('shareTokens', shareToken).where(field, '==', email))) {
      for (const { ref, id } of page) {
        if (await isOwn(deckOf(ref))) await changeToken(deckOf(ref), id, { email, key });
      }
    }
  }
  for await (const page of pagesOf(collectionGroup('emailSends', emailSend).where('email', '==', email))) {
    for (const { ref } of page) if (await isOwn(deckOf(ref))) await ref.update({ email: `forgotten-${hash}` });
  }
  // After the links: a view that begins now gets no address any more.
  for await (const page of viewsByAddress(email)) {
    for (const { ref } of page) {
      if (await isOwn(deckOf(ref))) await ref.update({ email: null, emailIsProven: false });
    }
  }
}

/** Removes the address from a link: from its name, its recipient, and those whom it admits. */
function changeToken(presentationId: string, tokenId: string, { email, key }: { email: string; key: string }) {
  return transact(async (tx) => {
    const tokenRef = collection(paths.shareTokens(presentationId), shareToken).doc(tokenId);
    const listRef = collection(paths.linkReaders(presentationId), linkReaders).doc(tokenId);
    const [deck, token, list] = await readIn(tx, presentationRef(presentationId), tokenRef, listRef);
    if (!deck || !token) return;
    const admits = list?.emails.includes(email) === true;
    const isNamed = token.name === email;
    if (isNamed || admits) {
      await changeLink(tx, deck, token, {
        ...(isNamed && { name: FORGOTTEN }),
        // A link that admits nobody else stays closed.
        ...(admits && { rules: { readers: { emails: list.emails.filter((each) => each !== email), key } } }),
      });
    }
    if (token.recipient === email) tx.update(tokenRef, { recipient: null } satisfies Partial<ShareToken>);
  });
}
