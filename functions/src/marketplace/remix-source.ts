import { fail } from '../errors';
import { isSameListing } from '../policy/listings';
import type { ManifestFile } from '../policy/manifest';
import type { RemixChanges, RemixStates } from '../policy/remix-changes';
import { listingRef, type Listing } from '../records/listings';
import { read } from '../records/database';
import { listFiles } from '../records/manifests';
import type { Presentation } from '../records/presentations';

export type RemixOf = NonNullable<Presentation['remixedFrom']>;

/** What the deck is a remix of. Throws conflict for a deck that is not a remix. */
export function assertRemix({ remixedFrom }: Presentation): RemixOf {
  return (
    remixedFrom ??
    fail('conflict', undefined, {
      message: 'This deck is not a remix of a listing.',
      nextAction: 'Choose a deck that was made as a remix.',
    })
  );
}

/** The listing that may be the source. */
export const sourceRef = ({ slug }: RemixOf) => listingRef(slug);

const lost = {
  deleted: 'The listing of which this deck is a remix was deleted.',
  'taken-down': 'The listing of which this deck is a remix was taken down.',
  unlisted: 'The listing of which this deck is a remix is not public any more.',
};

/** The state of the listing that may be the source. */
function stateOf(of: RemixOf, found: Listing | undefined): keyof typeof lost | 'public' {
  if (!found || !isSameListing(found, of) || found.deletedAt) return 'deleted';
  return found.takedown ? 'taken-down' : found.status;
}

/** The source of a remix. Throws conflict with its state when it is not a public listing any more. */
export function assertSource(of: RemixOf, found: Listing | undefined): Listing {
  const state = stateOf(of, found);
  if (state === 'public') return found!;
  const texts = { message: lost[state], nextAction: 'Go on with the deck as it is.' };
  return fail('conflict', { slug: of.slug, state }, texts);
}

/** The files of the base, of the current version of the deck, and of the version that the source shows now. */
export async function readStates(deck: Presentation, of: RemixOf, source: Listing): Promise<RemixStates> {
  const [base, here, there] = await Promise.all([
    listFiles(deck.presentationId, of.base),
    listFiles(deck.presentationId, deck.current),
    listFiles(source.presentationId, source.pinned),
  ]);
  return { base, here, source: there };
}

/**
 * The file with these bytes that a remix needs to merge: of its base, or of its public source. It may be in no version
 * of the deck. At most three round trips.
 */
export async function findOfRemix(
  { presentationId, remixedFrom }: Presentation,
  hash: string,
): Promise<{ presentationId: string; file: ManifestFile } | undefined> {
  if (!remixedFrom) return undefined;
  const findIn = async (deckId: string, manifest: Parameters<typeof listFiles>[1]) => {
    const file = (await listFiles(deckId, manifest)).find(({ sha256 }) => sha256 === hash);
    return file && { presentationId: deckId, file };
  };
  const ofBase = await findIn(presentationId, remixedFrom.base);
  if (ofBase) return ofBase;
  const [listing] = await read(sourceRef(remixedFrom));
  if (!listing || stateOf(remixedFrom, listing) !== 'public') return undefined;
  return findIn(listing.presentationId, listing.pinned);
}

/**
 * The files that an update takes: those of `paths`, or without it all that only the source changed. Throws conflict
 * when one of them, or without `paths` any file, changed in the source and in the deck. A path that needs no update is
 * left out.
 */
export function takenPaths(
  { added, changed, removed, both }: RemixChanges,
  paths: readonly string[] | undefined,
  merged: ReadonlySet<string>,
): Set<string> {
  const possible = [...added, ...changed, ...removed].map(({ path }) => path);
  const wanted = paths && new Set(paths);
  const conflicts = both.map(({ path }) => path).filter((path) => !merged.has(path) && (!wanted || wanted.has(path)));
  if (conflicts.length > 0)
    fail(
      'conflict',
      { paths: conflicts },
      {
        message:
          conflicts.length === 1
            ? `${conflicts[0]} changed in the deck and in its source.`
            : `${conflicts.length} files changed in the deck and in its source.`,
        nextAction:
          'Update the other files only (paths). Merge these by hand, then say so in the next update (merged).',
      },
    );
  return new Set(possible.filter((path) => !merged.has(path) && (!wanted || wanted.has(path))));
}
