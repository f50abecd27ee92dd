import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import { committed, optionalTitle, version } from '../../contract/fields';
import { answeredSlug, slug } from '../../contract/listings';
import { asMember, type Member } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { assertShown } from '../../marketplace/shown-listing';
import { copyFiles, failRemixEnded, missingFiles, openRemix, whileShown, type Remix } from '../../marketplace/remixes';
import { buildManifest, distinctBytes, type Manifest, type ManifestFile } from '../../policy/manifest';
import { read, readIn, type Transaction } from '../../records/database';
import { addRemixer, remixerRef } from '../../records/listing-counters';
import { listingRef, noteUseByOthers, tellRemix, type Listing } from '../../records/listings';
import { listFiles, prepareManifest } from '../../records/manifests';
import { createDeck } from '../../records/new-deck';
import { assertRoomFor, takeRoom, usageRef } from '../../records/organization-usage';
import { assertWithinPlan, organizationRef } from '../../records/organizations';
import { presentationRef } from '../../records/presentations';
import { shareUrlOf, shownLink } from '../../records/share-tokens';
import { uploadSessionRef } from '../../records/upload-sessions';

export const Input = z.object({
  slug: slug.meta({ description: 'Slug of the listing to copy.' }),
  title: optionalTitle.meta({
    description: 'Title of the new deck. The default is the title of the listing.',
    example: 'Our results',
  }),
});

export const Answer = committed.extend({
  remixedFrom: z
    .object({ slug: answeredSlug, version: version.meta({ description: 'Number of the copied version.' }) })
    .meta({ description: 'The listing and the version that were copied.' }),
});

export const remixMarketplaceListing = endpoint({
  name: 'remixMarketplaceListing',
  about:
    'Copies the files of a public listing into a new deck of the caller. A second call within 1 hour continues an ' +
    'interrupted copy, even when the listing became unlisted. The first remix of each user but the owner adds to ' +
    '`remixerCount`, by which lists are sorted; no remix adds to `remixCount`. The new deck contains the scripts of the ' +
    'author: when somebody opens it, they can send what is in it to any server, and without deck origins also its ' +
    'address with the share token.',
  command: `deck remix ${example.slug} my-talk`,
  method: 'POST',
  caller: { scope: 'presentations:write' },
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['not-found', 'conflict', 'expired', 'too-many-files', 'payload-too-large', 'rate-limited'],
  runtime: { class: 'work', secrets: [serviceSecret] },
  cost: { roundTrips: 9, reads: 18, writes: 16, bucketCalls: 1 },

  async handle({ input, caller, now, idempotency }) {
    const by = asMember(caller);
    // A replayed call must not copy the files again.
    const earlier = await idempotency.find();
    if (earlier) return earlier as Remixed;

    const ownRefs = [organizationRef(by.organizationId), usageRef(by.organizationId)] as const;
    const [found, own, usage] = await read(listingRef(input.slug), ...ownRefs);
    const listing = assertShown(found);
    const files = await whileShown(listing, () => listFiles(listing.presentationId, listing.pinned));
    const organization = assertWithinPlan(files, own);
    const storedBytes = distinctBytes(files);
    const claim = { decks: 1 as const, storedBytes };
    // A copy without room would be useless. The transaction that creates the deck decides; `openRemix` has counted the
    // new deck of this hour.
    assertRoomFor(organization, usage, claim, now);
    const remix = await openRemix(listing, by, now);
    const copy = async () => copyFiles(listing, remix, await missingFiles(remix, files));
    if (!(await whileShown(listing, copy))) failRemixEnded();

    const manifest = buildManifest(files);
    const writeManifest = await prepareManifest(remix.deckId, manifest);
    const deck = { ...deckOf(listing, remix, { by, title: input.title || listing.title, manifest, now }), storedBytes };
    return idempotency.run(
      (tx) => makeDeck(tx, { listing, remix, deck, manifest, writeManifest, files, by }),
      ({ token: _token, shareUrl: _url, ...answer }) => answer,
    );
  },
});

type Remixed = z.output<typeof Answer>;

/** The record of the new deck. */
function deckOf(
  { slug, generation, pinned: { version, entryPath, isolation } }: Listing,
  { deckId, sessionId }: Remix,
  { by, title, manifest, now }: { by: Member; title: string; manifest: Manifest; now: Date },
) {
  const { userId, organizationId } = by;
  return {
    presentationId: deckId,
    sessionId,
    ownerId: userId,
    organizationId,
    createdAt: now,
    title,
    message: null,
    entryPath,
    isolation,
    remixedFrom: {
      slug,
      generation,
      version,
      base: { manifestId: manifest.manifestId, shardCount: manifest.shardCount },
    },
  };
}

interface Copied {
  listing: Listing;
  remix: Remix;
  deck: ReturnType<typeof deckOf> & { storedBytes: number };
  manifest: Manifest;
  writeManifest: (tx: Transaction) => void;
  files: readonly ManifestFile[];
  by: Member;
}

/**
 * Creates the deck of a complete copy. The listing must still be shown, and the remix must not have ended. When another
 * call of the same user created the deck first, the answer has no raw token.
 */
async function makeDeck(tx: Transaction, copied: Copied): Promise<Remixed> {
  const { listing, remix, deck, manifest, writeManifest, files, by } = copied;
  const { deckId, sessionId } = remix;
  const remixedFrom = { slug: listing.slug, version: listing.pinned.version };
  const [made, session, present, owner, usage, remixer] = await readIn(
    tx,
    presentationRef(deckId),
    uploadSessionRef(sessionId),
    listingRef(listing.slug),
    organizationRef(by.organizationId),
    usageRef(by.organizationId),
    remixerRef(listing.slug, by.userId),
  );
  if (made) {
    const url = shareUrlOf(deckId, shownLink(made.latestTokens, deck.createdAt));
    const { fileCount, totalBytes } = manifest;
    return { presentationId: deckId, version: 1, shareUrl: url, fileCount, totalBytes, remixedFrom };
  }
  const source = assertShown(present);
  if (session?.presentationId !== deckId) failRemixEnded();
  const claim = { decks: 1 as const, storedBytes: deck.storedBytes };
  takeRoom(tx, assertWithinPlan(files, owner), usage, claim, deck.createdAt);
  writeManifest(tx);
  if (by.userId !== source.ownerId) {
    noteUseByOthers(tx, source);
    tellRemix(tx, source);
    if (!remixer) addRemixer(tx, source.slug, by.userId, deck.createdAt);
  }
  return { ...createDeck(tx, deck, manifest, files), remixedFrom };
}
