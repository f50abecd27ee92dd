import { fail } from '../errors';
import type { Member } from '../http/caller';
import { isSameListing, lineageOfRemix } from '../policy/listings';
import { readIn, refIf, type Transaction } from '../records/database';
import { listingRef, type Listing } from '../records/listings';
import type { Presentation } from '../records/presentations';
import { assertVersion, versionRef } from '../records/versions';
import { slugsFor } from '../values/slugs';
import { pinOfListing } from './listings';
import { claimSlug, type ClaimedSlug } from './slug-claims';

/** What the publisher says about the listing. */
interface Wanted extends Pick<Listing, 'kind' | 'description'> {
  slug?: string | null | undefined;
  version?: number | null | undefined;
  title?: string | null | undefined;
  interactive?: boolean | null | undefined;
  category?: string | null | undefined;
  tags?: string[] | null | undefined;
  techStack?: string[] | null | undefined;
}

interface Place extends Pick<Listing, 'pinned' | 'picture' | 'changes'> {
  claimed: ClaimedSlug;
  /** The listing from which the deck was remixed. Undefined when its slug belongs to another listing now. */
  source: Listing | undefined;
}

/** Reads the slug, the version and the source of the new listing. Throws conflict when the slug is taken. */
export async function readPlace(tx: Transaction, input: Wanted, deck: Presentation, now: Date): Promise<Place> {
  const slugs = input.slug ? [input.slug] : await slugsFor(input.title ?? deck.title);
  const versionNumber = input.version ?? deck.current.version;
  const [version, source, ...found] = await readIn(
    tx,
    versionRef(deck.presentationId, versionNumber),
    refIf(listingRef, deck.remixedFrom?.slug),
    ...slugs.map(listingRef),
  );
  const isSource = source && deck.remixedFrom && isSameListing(source, deck.remixedFrom);
  return {
    ...(await pinOfListing(deck, assertVersion(deck, version, 'body.version'))),
    claimed: (await claimSlug(tx, slugs, found, now)) ?? failTaken(slugs[0]!),
    source: isSource ? source : undefined,
  };
}

/** The record of a new listing. */
export function newListing(
  { kind, description, ...input }: Wanted,
  { presentationId, title, remixedFrom }: Presentation,
  { userId, organizationId }: Member,
  { claimed: { slug, generation }, pinned, picture, changes, source, now }: Place & { now: Date },
): Listing {
  return {
    slug,
    generation,
    presentationId,
    ownerId: userId,
    organizationId,
    kind,
    description,
    pinned,
    picture,
    changes,
    title: input.title ?? title,
    versions: [{ version: pinned.version, since: now }],
    interactive: kind === 'app' || (input.interactive ?? false),
    category: input.category ?? null,
    tags: input.tags ?? [],
    techStack: input.techStack ?? [],
    status: 'public',
    lineage: source ? lineageOfRemix(source) : [],
    source: remixedFrom ? { slug: remixedFrom.slug, generation: remixedFrom.generation } : null,
    stars: 0,
    remixCount: 0,
    viewCount: 0,
    remixerCount: 0,
    weekRemixerCount: 0,
    remixerDays: {},
    usedByOthers: false,
    createdAt: now,
    updatedAt: now,
    takedown: null,
    deletedAt: null,
  };
}

function failTaken(slug: string): never {
  return fail(
    'conflict',
    { slug, reason: 'slug-is-taken' },
    { message: 'Another listing has this slug.', nextAction: 'Choose another slug.' },
  );
}
