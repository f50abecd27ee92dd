import { fail } from '../functions/src/errors';
import { readIn, type Transaction } from '../functions/src/records/database';
import { closeReports, deleteReports, readReports } from '../functions/src/records/listing-reports';
import { listingRef, updateListing, type Listing } from '../functions/src/records/listings';
import { recordAction } from '../functions/src/records/operator-actions';
import { presentationRef, type Presentation } from '../functions/src/records/presentations';
import { transact } from '../functions/src/records/transact';
import { findDeck, findListing } from './lookup';
import { oneOf, required, type CommandLine } from './options';
import { by, type Command, type Plot } from './plot';

/** Taking down and putting back: a deck with its listing, or a listing alone. */

type Takedown = { at: Date; reason: string } | null;

export const takeDown: Command = (line) => {
  const reason = required(line, 'reason');
  return setTakedown(line, ['Shut every link of', 'Take down'], (at) => ({ at, reason }));
};

export const putBack: Command = (line) => setTakedown(line, ['Open the links again of', 'Put back'], () => null);

function setTakedown(
  line: CommandLine,
  [verbOfDeck, verbOfListing]: readonly [string, string],
  takedown: (now: Date) => Takedown,
): Promise<Plot> {
  const isDeck = oneOf(line, 'presentation', 'listing').option === 'presentation';
  return isDeck ? setDeck(line, verbOfDeck, takedown) : setListing(line, verbOfListing, takedown);
}

/** A deck takes its listing with it both ways, unless that is down for a reason of its own. */
async function setDeck(line: CommandLine, verb: string, takedown: (now: Date) => Takedown): Promise<Plot> {
  const { presentationId, title, listingSlug } = await findDeck(line);
  const andListing = listingSlug ? `, and of its listing ${listingSlug}` : '';
  return {
    question: `${verb} the deck ${JSON.stringify(title)} (${presentationId})${andListing}`,
    run: () =>
      transact(async (tx) => {
        const now = new Date();
        const [deck] = await readIn(tx, presentationRef(presentationId));
        if (!deck) return fail('not-found');
        const listing = await listingOf(tx, deck);
        const state = takedown(now);
        if (listing && (!listing.takedown || listing.takedown.withDeck)) {
          await moveListing(tx, listing, state && { ...state, withDeck: true });
        }
        tx.update(presentationRef(presentationId), { takedown: state });
        recordAction(tx, { ...by(line, now), target: presentationId });
        return { presentationId, title, takedown: state, listingSlug: listing?.slug ?? null };
      }),
  };
}

async function listingOf(tx: Transaction, { listingSlug }: Presentation): Promise<Listing | undefined> {
  return listingSlug ? (await readIn(tx, listingRef(listingSlug)))[0] : undefined;
}

/** A listing that went down with its deck stays down until the deck is back. */
async function setListing(line: CommandLine, verb: string, takedown: (now: Date) => Takedown): Promise<Plot> {
  const { slug, title } = await findListing(line);
  return {
    question: `${verb} the listing ${JSON.stringify(title)} (${slug})`,
    run: () =>
      transact(async (tx) => {
        const now = new Date();
        const listing = (await readIn(tx, listingRef(slug)))[0] ?? fail('not-found');
        const [deck] = await readIn(tx, presentationRef(listing.presentationId));
        const state = takedown(now);
        if (!state && deck?.takedown) {
          fail('conflict', undefined, { message: 'Its deck is taken down: put that back first, by --presentation.' });
        }
        await moveListing(tx, listing, state);
        recordAction(tx, { ...by(line, now), target: slug });
        return { slug, title, takedown: state };
      }),
  };
}

/** Its reports are dealt with: kept with a listing that is down, and forgotten when that is taken back. */
async function moveListing(tx: Transaction, listing: Listing, takedown: Listing['takedown']): Promise<void> {
  if (!takedown && !listing.takedown) return;
  const reports = await readReports(tx, listing.slug);
  updateListing(tx, listing, { takedown });
  if (takedown) closeReports(tx, reports);
  else deleteReports(tx, reports);
}

export const dismissReports: Command = async (line) => {
  const { slug, title } = await findListing(line);
  return {
    question: `Forget what was reported of the listing ${JSON.stringify(title)} (${slug})`,
    run: () =>
      transact(async (tx) => {
        const now = new Date();
        const reports = await readReports(tx, slug);
        deleteReports(tx, reports);
        recordAction(tx, { ...by(line, now), target: slug });
        return { slug, title, dismissed: reports.refs.length };
      }),
  };
};
