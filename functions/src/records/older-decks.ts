import type { Query, QueryDocumentSnapshot } from 'firebase-admin/firestore';
import type { z } from 'zod';
import { collection, paths } from './collections';
import { documentsOf } from './database';
import { presentation, presentationRef, type Presentation } from './presentations';
import { sdk } from './sdk';
import { countLinks } from './share-links';
import { transact } from './transact';

/** The fields that show whether the record of a deck is whole. */
const checked = presentation.pick({ presentationId: true, current: true, picture: true, activeLinks: true });
export type CheckedDeck = z.output<typeof checked>;

/** Whether an earlier release wrote the record, which lacks fields that lists show. */
const isIncomplete = ({ picture, activeLinks }: Pick<Presentation, 'picture' | 'activeLinks'>) =>
  picture === undefined || typeof activeLinks !== 'number';

/** The same of a document whose other fields nobody has checked: a damaged deck must not stop an iteration. */
export const isOlder = (document: QueryDocumentSnapshot<CheckedDeck>) =>
  isIncomplete({
    picture: document.get('picture') as undefined,
    activeLinks: document.get('activeLinks') as undefined,
  });

/** All decks by id, after the id `after`, in pages. */
export async function* allDecks(after: string | null): AsyncGenerator<QueryDocumentSnapshot<CheckedDeck>> {
  let query = collection(paths.presentations, checked)
    .query()
    .orderBy(sdk().FieldPath.documentId())
    .select(...Object.keys(checked.shape));
  if (after !== null) query = query.startAfter(after);
  yield* documentsOf(query as Query<CheckedDeck>);
}

/**
 * Stores the picture of the current version, and the number of live links, where the record lacks them. A commit stores
 * the picture of its own version, and every change of a link writes the deck: a race runs the transaction again.
 * Idempotent.
 */
export async function completeDeck(
  { presentationId, current }: CheckedDeck,
  picture: Presentation['picture'],
): Promise<void> {
  const ref = presentationRef(presentationId);
  await transact(async (tx) => {
    const [deck] = await tx.read([ref]);
    if (!deck || !isIncomplete(deck)) return;
    const isSame = deck.current.manifestId === current.manifestId;
    const isCounted = typeof deck.activeLinks === 'number';
    const activeLinks = isCounted ? undefined : await countLinks(tx, deck);
    // The client leaves an undefined field as it is.
    tx.update(ref, { picture: deck.picture === undefined && isSame ? picture : undefined, activeLinks });
  });
}
