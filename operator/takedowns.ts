import { Command } from 'commander';
import { fail } from '../functions/src/errors';
import { readIn, type Transaction } from '../functions/src/records/database';
import { closeReports, deleteReports, readReports } from '../functions/src/records/listing-reports';
import { listingRef, updateListing, type Listing } from '../functions/src/records/listings';
import { recordAction } from '../functions/src/records/operator-actions';
import { presentationRef, setTakedown, type Presentation } from '../functions/src/records/presentations';
import { transact } from '../functions/src/records/transact';
import { performs, type PlannedAction, type RecordEntry } from './action';
import { oneOf, required, text } from './command-line';
import { findDeck, findListing } from './lookup';

type Takedown = { at: Date; reason: string } | null;

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
  .action(
    performs(async (_options, entry, command) => {
      const reason = required(command, 'reason');
      const state = (now: Date) => ({ at: now, reason });
      return planChange(command, entry, { verbOfDeck: 'Shut every link of', verbOfListing: 'Take down', state });
    }),
  );

export const putBack = new Command('put-back')
  .description('undo a take-down; takes --presentation or --listing')
  .option('--presentation <id>', 'the id of the deck', text)
  .option('--listing <slug>', 'the slug of the listing', text)
  .action(
    performs((_options, entry, command) =>
      planChange(command, entry, {
        verbOfDeck: 'Open the links again of',
        verbOfListing: 'Put back',
        state: () => null,
      }),
    ),
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
            return { slug, title, dismissed: reports.refs.length };
          }),
      };
    }),
  );

function planChange(command: Command, entry: RecordEntry, change: Change): Promise<PlannedAction> {
  const isDeck = oneOf(command, 'presentation', 'listing').option === 'presentation';
  return isDeck ? planDeck(command, entry, change) : planListing(command, entry, change);
}

/** The listing of a deck follows the deck in both directions, unless the listing was taken down separately. */
async function planDeck(command: Command, entry: RecordEntry, change: Change): Promise<PlannedAction> {
  const { presentationId, title, listingSlug } = await findDeck(command);
  const andListing = listingSlug ? `, and of its listing ${listingSlug}` : '';
  return {
    question: `${change.verbOfDeck} the deck ${JSON.stringify(title)} (${presentationId})${andListing}`,
    run: () =>
      transact(async (tx) => {
        const now = new Date();
        const [deck] = await readIn(tx, presentationRef(presentationId));
        if (!deck) return fail('not-found');
        const listing = await listingOf(tx, deck);
        const state = change.state(now);
        if (listing && (!listing.takedown || listing.takedown.withDeck)) {
          await setListingTakedown(tx, listing, state && { ...state, withDeck: true });
        }
        setTakedown(tx, presentationId, state);
        recordAction(tx, { ...entry, at: now, target: presentationId });
        return { presentationId, title, takedown: state, listingSlug: listing?.slug ?? null };
      }),
  };
}

async function listingOf(tx: Transaction, { listingSlug }: Presentation): Promise<Listing | undefined> {
  return listingSlug ? (await readIn(tx, listingRef(listingSlug)))[0] : undefined;
}

/** Refuses to put a listing back while its deck is taken down. */
async function planListing(command: Command, entry: RecordEntry, change: Change): Promise<PlannedAction> {
  const { slug, title } = await findListing(command);
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
