import { Command } from 'commander';
import { fail } from '../functions/src/errors';
import { read, readIn, refIf, type Transaction } from '../functions/src/records/database';
import { closeReports, deleteReports, readReports } from '../functions/src/records/listing-reports';
import { listingRef, updateListing, type Listing } from '../functions/src/records/listings';
import { recordAction } from '../functions/src/records/operator-actions';
import {
  decksTakenDownWith,
  presentationRef,
  setTakedown,
  type Presentation,
} from '../functions/src/records/presentations';
import { transact } from '../functions/src/records/transact';
import { performs, type PlannedAction, type RecordEntry } from './action';
import { oneOf, required, text } from './command-line';
import { inGroups } from './groups';
import { findDeck, findListing } from './lookup';
import { visitRemixes } from './remixes';

type Takedown = { at: Date; reason: string } | null;

interface ChangeOptions {
  withRemixes?: true;
}

/** Both directions: `state` is the take-down to store, or null to put the target back. */
interface Change {
  verbOfDeck: string;
  verbOfListing: string;
  state: (now: Date) => Takedown;
}

export const takeDown = new Command('take-down')
  .description(
    'block a deck and its listing, or a listing alone: links answer 410, the owner keeps the files; takes --reason',
  )
  .option('--presentation <id>', 'the id of the deck', text)
  .option('--listing <slug>', 'the slug of the listing', text)
  .option('--with-remixes', 'also block every deck that was remixed from the listing, with its links and its listing')
  .action(
    performs<ChangeOptions>(async (options, entry, command) => {
      const reason = required(command, 'reason');
      const state = (now: Date) => ({ at: now, reason });
      const change = { verbOfDeck: 'Shut every link of', verbOfListing: 'Take down', state };
      return withRemixes(options, entry, change, await planChange(command, entry, change));
    }),
  );

export const putBack = new Command('put-back')
  .description('undo a take-down; takes --presentation or --listing')
  .option('--presentation <id>', 'the id of the deck', text)
  .option('--listing <slug>', 'the slug of the listing', text)
  .option('--with-remixes', 'also put back every deck that was blocked with the listing by --with-remixes')
  .action(
    performs<ChangeOptions>(async (options, entry, command) => {
      const change = { verbOfDeck: 'Open the links again of', verbOfListing: 'Put back', state: () => null };
      return withRemixes(options, entry, change, await planChange(command, entry, change));
    }),
  );

export const dismissReports = new Command('dismiss-reports')
  .description('delete the reports about a listing')
  .requiredOption('--listing <slug>', 'the slug of the listing', text)
  .action(
    performs(async (_options, entry, command) => {
      const { slug, title } = await findListing(command);
      return {
        question: `Delete the reports about the listing ${JSON.stringify(title)} (${slug})`,
        run: () =>
          transact(async (tx) => {
            const now = new Date();
            const reports = await readReports(tx, slug);
            deleteReports(tx, reports);
            recordAction(tx, { ...entry, at: now, target: slug });
            return { slug, title, dismissed: reports.count };
          }),
      };
    }),
  );

/** A planned change of a deck or listing, and the listing from which others were remixed. */
interface PlannedChange extends PlannedAction {
  listing: Listing | undefined;
}

/** Adds the remixes to the change. The listing changes first: a listing that is taken down cannot be remixed. */
function withRemixes(
  options: ChangeOptions,
  entry: RecordEntry,
  change: Change,
  planned: PlannedChange,
): PlannedAction {
  const { question, run, listing } = planned;
  if (!options.withRemixes) return planned;
  if (!listing) {
    return fail('conflict', undefined, { message: 'The deck has no listing, so nothing was remixed from it.' });
  }
  return {
    question: `${question}, and the same for what was remixed from it`,
    run: async () => {
      const changed = await run();
      const isTakedown = change.state(new Date()) !== null;
      const remixes = await (isTakedown ? takeRemixesDown : putRemixesBack)(listing, entry, change);
      return { ...changed, remixes };
    },
  };
}

/**
 * Takes down every deck that was remixed from the listing, with its listing. Each deck is one transaction. When the
 * command is cut off, the same command continues: it changes no deck twice.
 */
async function takeRemixesDown(root: Listing, entry: RecordEntry, change: Change): Promise<object> {
  const counts = { takenDown: 0, alreadyDown: 0 };
  await visitRemixes(root, async (remixes) => {
    const changed = await inGroups(remixes, ({ deck: { presentationId } }) =>
      changeRemix(presentationId, entry, (deck, now) => {
        if (deck.takedown && !deck.takedown.withSources) return undefined;
        if (deck.takedown?.withSources?.includes(root.slug)) return undefined;
        const withSources = [...(deck.takedown?.withSources ?? []), root.slug];
        return { ...change.state(now)!, ...deck.takedown, withSources };
      }),
    );
    const done = changed.filter((isChanged) => isChanged).length;
    counts.takenDown += done;
    counts.alreadyDown += remixes.length - done;
    report(counts);
    return undefined;
  });
  return counts;
}

/** Puts back every deck that was taken down with the listing, unless it was also taken down with another listing. */
async function putRemixesBack(root: Listing, entry: RecordEntry): Promise<object> {
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
 * change. Returns whether anything changed.
 */
function changeRemix(
  presentationId: string,
  entry: RecordEntry,
  decide: (deck: Presentation, now: Date) => Presentation['takedown'] | undefined,
): Promise<boolean> {
  return transact(async (tx) => {
    const now = new Date();
    const [deck] = await readIn(tx, presentationRef(presentationId));
    const state = deck && decide(deck, now);
    if (!deck || state === undefined) return false;
    await setDeckTakedown(tx, deck, state);
    recordAction(tx, { ...entry, at: now, target: presentationId });
    return true;
  });
}

function planChange(command: Command, entry: RecordEntry, change: Change): Promise<PlannedChange> {
  const isDeck = oneOf(command, 'presentation', 'listing').option === 'presentation';
  return isDeck ? planDeck(command, entry, change) : planListing(command, entry, change);
}

/** The listing of a deck follows the deck in both directions, unless the listing was taken down separately. */
async function planDeck(command: Command, entry: RecordEntry, change: Change): Promise<PlannedChange> {
  const { presentationId, title, listingSlug } = await findDeck(command);
  const [found] = await read(refIf(listingRef, listingSlug));
  const andListing = listingSlug ? `, and of its listing ${listingSlug}` : '';
  return {
    question: `${change.verbOfDeck} the deck ${JSON.stringify(title)} (${presentationId})${andListing}`,
    run: () =>
      transact(async (tx) => {
        const now = new Date();
        const [deck] = await readIn(tx, presentationRef(presentationId));
        if (!deck) return fail('not-found');
        const state = change.state(now);
        const listing = await setDeckTakedown(tx, deck, state);
        recordAction(tx, { ...entry, at: now, target: presentationId });
        return { presentationId, title, takedown: state, listingSlug: listing?.slug ?? null };
      }),
    listing: found,
  };
}

/**
 * Stores the take-down of a deck, or its end, and of its listing, unless the listing was taken down separately. Returns
 * the listing.
 */
async function setDeckTakedown(
  tx: Transaction,
  { presentationId, listingSlug }: Presentation,
  state: NonNullable<Presentation['takedown']> | null | undefined,
): Promise<Listing | undefined> {
  const [listing] = await readIn(tx, refIf(listingRef, listingSlug));
  if (listing && (!listing.takedown || listing.takedown.withDeck)) {
    await setListingTakedown(tx, listing, state ? { at: state.at, reason: state.reason, withDeck: true } : null);
  }
  setTakedown(tx, presentationId, state);
  return listing;
}

/** Refuses to put a listing back while its deck is taken down. */
async function planListing(command: Command, entry: RecordEntry, change: Change): Promise<PlannedChange> {
  const found = await findListing(command);
  const { slug, title } = found;
  return {
    question: `${change.verbOfListing} the listing ${JSON.stringify(title)} (${slug})`,
    run: () =>
      transact(async (tx) => {
        const now = new Date();
        const listing = (await readIn(tx, listingRef(slug)))[0] ?? fail('not-found');
        const [deck] = await readIn(tx, presentationRef(listing.presentationId));
        const state = change.state(now);
        if (!state && deck?.takedown) {
          fail('conflict', undefined, { message: 'Its deck is taken down: put that back first, by --presentation.' });
        }
        await setListingTakedown(tx, listing, state);
        recordAction(tx, { ...entry, at: now, target: slug });
        return { slug, title, takedown: state };
      }),
    listing: found,
  };
}

/** A take-down closes the listing's reports and keeps them. Putting the listing back deletes them. */
async function setListingTakedown(tx: Transaction, listing: Listing, takedown: Listing['takedown']): Promise<void> {
  if (!takedown && !listing.takedown) return;
  const reports = await readReports(tx, listing.slug);
  updateListing(tx, listing, { takedown });
  if (takedown) closeReports(tx, reports);
  else deleteReports(tx, reports);
}
