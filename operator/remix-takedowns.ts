import { readIn } from '../functions/src/records/database';
import type { Listing } from '../functions/src/records/listings';
import { recordAction } from '../functions/src/records/operator-actions';
import { decksTakenDownWith, presentationRef, type Presentation } from '../functions/src/records/presentations';
import { transact } from '../functions/src/records/transact';
import type { RecordEntry } from './action';
import { inGroups } from './groups';
import { visitRemixes } from './remixes';
import { setDeckTakedown } from './stored-takedowns';

/**
 * Takes down every deck that was remixed from the listing, with its listing. Each deck is one transaction. When the
 * command is cut off, the same command continues: it changes no deck twice.
 */
export async function takeRemixesDown(
  root: Listing,
  entry: RecordEntry,
  state: { at: Date; reason: string },
): Promise<object> {
  const counts = { takenDown: 0, alreadyDown: 0 };
  await visitRemixes(root, async (remixes) => {
    const listings = await inGroups(remixes, async ({ deck, listing }) => {
      const isDown = !takenDownWith(root, state, deck);
      const changed = isDown
        ? undefined
        : await changeRemix(deck.presentationId, entry, (present) => takenDownWith(root, state, present));
      counts[changed ? 'takenDown' : 'alreadyDown']++;
      // The deck may have been published since its page was read.
      return changed ? changed.listing : listing;
    });
    report(counts);
    return listings;
  });
  return counts;
}

/** The take-down of a deck with the listing; undefined when the deck is taken down by itself, or with the listing. */
function takenDownWith(root: Listing, state: { at: Date; reason: string }, { takedown }: Presentation) {
  if (takedown && (!takedown.withSources || takedown.withSources.includes(root.slug))) return undefined;
  return { ...(takedown ?? state), withSources: [...(takedown?.withSources ?? []), root.slug] };
}

/** Puts back every deck that was taken down with the listing, unless it was also taken down with another listing. */
export async function putRemixesBack(root: Listing, entry: RecordEntry): Promise<object> {
  const counts = { putBack: 0, stillDown: 0 };
  for await (const decks of decksTakenDownWith(root.slug)) {
    await inGroups(decks, async ({ presentationId }) => {
      let isOpen = false;
      await changeRemix(presentationId, entry, (deck) => {
        const { takedown } = deck;
        if (!takedown?.withSources?.includes(root.slug)) return undefined;
        const withSources = takedown.withSources.filter((slug) => slug !== root.slug);
        isOpen = withSources.length === 0;
        return isOpen ? null : { ...takedown, withSources };
      });
      counts[isOpen ? 'putBack' : 'stillDown']++;
    });
    report(counts);
  }
  return counts;
}

function report(counts: object): void {
  if (process.stderr.isTTY) process.stderr.write(`Remixes: ${JSON.stringify(counts)}\n`);
}

/**
 * Changes the take-down of a remixed deck and of its listing, and records the action. `decide` returns undefined for no
 * change. Returns the listing of a changed deck.
 */
function changeRemix(
  presentationId: string,
  entry: RecordEntry,
  decide: (deck: Presentation) => Presentation['takedown'] | undefined,
): Promise<{ listing: Listing | undefined } | undefined> {
  return transact(async (tx) => {
    const now = new Date();
    const [deck] = await readIn(tx, presentationRef(presentationId));
    const state = deck && decide(deck);
    if (!deck || state === undefined) return undefined;
    const listing = await setDeckTakedown(tx, deck, state);
    recordAction(tx, { ...entry, at: now, target: presentationId });
    return { listing };
  });
}
