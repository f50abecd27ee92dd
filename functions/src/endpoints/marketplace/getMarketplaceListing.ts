import { z } from 'zod';
import { example } from '../../contract/example';
import { deckId, entryPath, fileCount, manifestFile, takedownOrNull, time, totalBytes } from '../../contract/fields';
import { answeredSlug, listingRow, slug } from '../../contract/listings';
import { takedownView } from '../../rows/fields';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { originUrlOf } from '../../marketplace/listing-origins';
import { contentUrl, ownerOf, publicAnswer, rowAndLineageOf } from '../../marketplace/listings';
import { assertShown } from '../../marketplace/shown-listing';
import { MAX_VERSIONS } from '../../policy/listing-versions';
import { byPath } from '../../policy/manifest';
import { owns } from '../../policy/presentation-access';
import { read, refIf } from '../../records/database';
import { readListing, starRef } from '../../records/listing-counters';
import type { Listing } from '../../records/listings';
import { listFiles } from '../../records/manifests';
import { presentationRef } from '../../records/presentations';
import { labelOfListing } from '../../values/deck-origins';

export const Input = z.object({ slug });

const ancestor = z
  .object({
    slug: answeredSlug,
    title: z.string().meta({ description: 'Title of the listing.', example: 'Spring plan' }),
  })
  .meta({ id: 'Ancestor', description: 'A listing from which this one was remixed, directly or through others.' });

const shownVersion = z
  .object({
    version: z.int().positive().meta({ description: 'Number of the version.', example: 3 }),
    since: time('Since when the listing has shown it.'),
  })
  .meta({ id: 'ShownVersion', description: 'A version that a listing has shown.' });

export const Answer = listingRow.extend({
  owner: z
    .object({
      displayName: z.string().meta({ description: 'Name of the owner.', example: 'Ada Lovelace' }),
      organizationName: z.string().meta({ description: 'Name of the organization.', example: "Ada's workspace" }),
    })
    .meta({ description: 'The publisher of the listing.' }),
  entryPath,
  fileCount,
  totalBytes,
  files: z
    .array(manifestFile.omit({ sha256: true }).meta({ id: 'ListedFile', description: 'A file of the listed version.' }))
    .meta({ description: 'All files of the listed version, ordered by path.' }),
  contentUrl: z.url().meta({
    description:
      'Address of the entry HTML. It ends with `entryPath`. The other files have the same address with their own ' +
      'paths.',
    example: `https://api.example.com/getMarketplaceListingContent/${example.slug}/index.html`,
  }),
  originUrl: z
    .url()
    .nullable()
    .meta({
      description: 'Address of the deck on an origin of its own. Null when the service has no such origins.',
      example: `https://${labelOfListing(example.slug)}.decks.example.com/`,
    }),
  lineage: z.array(ancestor).meta({
    description: 'The listings from which this one was remixed, nearest first, without those that are taken down.',
    example: [],
  }),
  versions: z
    .array(shownVersion)
    .max(MAX_VERSIONS)
    .meta({
      description: `The versions that the listing has shown, the present one first: the last ${MAX_VERSIONS} at most.`,
      example: [{ version: 3, since: '2026-03-14T09:26:53.000Z' }],
    }),
  isStarred: z.boolean().nullable().meta({
    description: 'Whether the caller has starred the listing. Null without a key or session, and for an admin key.',
    example: null,
  }),
  presentationId: deckId
    .meta({ description: 'Id of the deck of the listing. Only the owner gets this field.', example: example.deckId })
    .optional(),
  currentVersion: z
    .int()
    .positive()
    .meta({ description: 'Current version of the deck. Only the owner gets this field.', example: 3 })
    .optional(),
  takedown: takedownOrNull('The takedown of the listing, or null. Only the owner gets this field.').optional(),
});

export const getMarketplaceListing = endpoint({
  name: 'getMarketplaceListing',
  about:
    'Returns one public or unlisted listing with its files and its lineage. The call needs no key. With a key of ' +
    'the owner the answer also shows the deck, its current version and the takedown of the listing. The call answers ' +
    '410 after the deletion of the deck, and to other callers after a takedown.',
  command: `deck listing ${example.slug}`,
  method: 'GET',
  path: ['slug'],
  caller: 'optional-key',
  input: Input,
  answer: Answer,
  errors: ['not-found', 'expired'],
  cost: { roundTrips: 2, reads: 4, writes: 0 },

  async handle({ input, caller, answerHeaders }) {
    const found = await readListing(input.slug);
    const isOwner = found !== undefined && caller !== undefined && owns(caller, found);
    const listing = isOwner && !found.deletedAt ? found : assertShown(found);
    // Callers get other answers than others. A cache must not give the one in place of the other.
    Object.assign(answerHeaders, caller ? { 'Cache-Control': 'private, no-store' } : publicAnswer);
    answerHeaders['Vary'] = 'Authorization';
    const [detail, [star], ofOwner] = await Promise.all([
      detailOf(listing),
      read(refIf((userId) => starRef(listing.slug, userId), caller?.userId)),
      isOwner && ownerFieldsOf(listing),
    ]);
    return { ...detail, isStarred: caller?.userId ? star !== undefined : null, ...ofOwner };
  },
});

async function detailOf(listing: Listing): Promise<Omit<z.output<typeof Answer>, 'isStarred'>> {
  const { pinned, presentationId } = listing;
  const { entryPath, fileCount, totalBytes } = pinned;
  const [files, owner, { row, lineage }] = await Promise.all([
    listFiles(presentationId, pinned),
    ownerOf(listing),
    rowAndLineageOf(listing),
  ]);
  return {
    ...row,
    owner,
    entryPath,
    fileCount,
    totalBytes,
    files: files.sort(byPath).map(({ path, size, contentType }) => ({ path, size, contentType })),
    contentUrl: contentUrl(listing),
    originUrl: originUrlOf(listing.slug),
    lineage,
    versions: listing.versions.toReversed().map(({ version, since }) => ({ version, since: since.toISOString() })),
  };
}

/** The fields that only the owner gets. One round trip. */
async function ownerFieldsOf({ presentationId, takedown }: Listing) {
  const [deck] = await read(presentationRef(presentationId));
  return {
    presentationId,
    currentVersion: (deck ?? fail('expired')).current.version,
    takedown: takedownView(takedown),
  };
}
