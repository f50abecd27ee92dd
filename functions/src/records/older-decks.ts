import type { Query } from 'firebase-admin/firestore';
import type { z } from 'zod';
import { collection, paths } from './collections';
import { documentsOf, read } from './database';
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

/** A deck of an iteration. Its fields are checked when it is read: a damaged deck must not stop the iteration. */
interface FoundDeck {
  id: string;
  isOlder: boolean;
  read: () => Promise<CheckedDeck>;
}

/** All decks by id, after the id `after`, in pages. */
export async function* allDecks(after: string | null): AsyncGenerator<FoundDeck> {
  let query = collection(paths.presentations, checked)
    .query()
    .orderBy(sdk().FieldPath.documentId())
    .select(...Object.keys(checked.shape));
  if (after !== null) query = query.startAfter(after);
  for await (const document of documentsOf(query as Query<CheckedDeck>)) {
    const picture = document.get('picture') as undefined;
    const isOlder = isIncomplete({ picture, activeLinks: document.get('activeLinks') as undefined });
    yield { id: document.id, isOlder, read: async () => document.data() };
  }
}

/** The deck, or undefined. Throws when the record is damaged. */
export async function findDeck(presentationId: string): Promise<CheckedDeck | undefined> {
  const [deck] = await read(presentationRef(presentationId));
  return deck;
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
