import { Command } from 'commander';
import { fail } from '../functions/src/errors';
import { isSameListing } from '../functions/src/policy/listings';
import { read, readIn, refIf } from '../functions/src/records/database';
import { deleteReports, readReports } from '../functions/src/records/listing-reports';
import { listingRef, type Listing } from '../functions/src/records/listings';
import { recordAction } from '../functions/src/records/operator-actions';
import { presentationRef } from '../functions/src/records/presentations';
import { transact } from '../functions/src/records/transact';
import { performs, type PlannedAction, type RecordEntry } from './action';
import { oneOf, required, text } from './command-line';
import { findDeck, findListing } from './lookup';
import { putRemixesBack, takeRemixesDown } from './remix-takedowns';
import { findSameFiles, type SameFiles } from './same-files';
import { setDeckTakedown, setListingTakedown } from './stored-takedowns';

interface ChangeOptions {
  withRemixes?: true;
}

/** Both directions: `state` is the take-down to store, or null to put the target back. */
interface Change {
  verbOfDeck: string;
  verbOfListing: string;
  state: (now: Date) => { at: Date; reason: string } | null;
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
      const planned = await planChange(command, entry, change);
      return options.withRemixes ? withRemixes(options, entry, change, planned) : namingSameFiles(planned);
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
  /** Finds the open decks of the owner that have the same files. */
  findSame: () => Promise<SameFiles[]>;
}

/** Adds to the question, and to the result, where the same files of the owner stay open. */
async function namingSameFiles({ question, run, findSame }: PlannedChange): Promise<PlannedAction> {
  const same = await findSame();
  if (same.length === 0) return { question, run };
  const lines = same.map(
    ({ presentationId, title, listingSlug }) =>
      `  ${JSON.stringify(title)} (${presentationId})${listingSlug ? `, listing ${listingSlug}` : ''}\n`,
  );
  return {
    question: `Decks of the same owner with the same files stay open:\n${lines.join('')}${question}`,
    run: async () => ({ ...(await run()), sameFiles: same }),
  };
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
      const state = change.state(new Date());
      const remixes = await (state ? takeRemixesDown(listing, entry, state) : putRemixesBack(listing, entry));
      return { ...changed, remixes };
    },
  };
}

/**
 * Whether a target has the wanted state already. A takedown keeps its time, its reason and its origin when the command
 * is run again, and no second action is recorded.
 */
const isUnchanged = (takedown: object | null, state: object | null) => (takedown === null) === (state === null);

function planChange(command: Command, entry: RecordEntry, change: Change): Promise<PlannedChange> {
  const isDeck = oneOf(command, 'presentation', 'listing').option === 'presentation';
  return isDeck ? planDeck(command, entry, change) : planListing(command, entry, change);
}

/** The listing of a deck follows the deck in both directions, unless the listing was taken down separately. */
async function planDeck(command: Command, entry: RecordEntry, change: Change): Promise<PlannedChange> {
  const deck = await findDeck(command);
  const { presentationId, title, listingSlug } = deck;
  const [found] = await read(refIf(listingRef, listingSlug));
  const andListing = listingSlug ? `, and of its listing ${listingSlug}` : '';
  return {
    question: `${change.verbOfDeck} the deck ${JSON.stringify(title)} (${presentationId})${andListing}`,
    run: () =>
      transact(async (tx) => {
        const now = new Date();
        const [deck] = await readIn(tx, presentationRef(presentationId));
        if (!deck) return fail('not-found');
        const { takedown } = deck;
        const state = change.state(now);
        // A deck that was taken down with other listings is now taken down by itself, too.
        if (isUnchanged(takedown, state) && !takedown?.withSources) {
          return { presentationId, title, takedown, listingSlug: deck.listingSlug };
        }
        const listing = await setDeckTakedown(tx, deck, state);
        recordAction(tx, { ...entry, at: now, target: presentationId });
        return { presentationId, title, takedown: state, listingSlug: listing?.slug ?? null };
      }),
    listing: found,
    findSame: () => findSameFiles(deck.ownerId, { presentationId, version: deck.current }, presentationId),
  };
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
        if (!isSameListing(listing, found)) {
          fail('conflict', undefined, { message: 'Another listing has this slug now: show it first.' });
        }
        const [deck] = await readIn(tx, presentationRef(listing.presentationId));
        const state = change.state(now);
        if (!state && deck?.takedown) {
          fail('conflict', undefined, { message: 'Its deck is taken down: put that back first, by --presentation.' });
        }
        if (isUnchanged(listing.takedown, state)) return { slug, title, takedown: listing.takedown };
        await setListingTakedown(tx, listing, state);
        recordAction(tx, { ...entry, at: now, target: slug });
        return { slug, title, takedown: state };
      }),
    listing: found,
    // The deck of the listing is among them: its links stay open.
    findSame: () => findSameFiles(found.ownerId, { presentationId: found.presentationId, version: found.pinned }),
  };
}
