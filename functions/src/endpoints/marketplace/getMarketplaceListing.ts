import { listingRow, listingView, slug } from '../../contract/listings';
import { z } from 'zod';
import { endpoint } from '../../http/endpoint';
import { manifestFile, timestamp } from '../../contract/fields';
import { assertShown, contentUrl, ownerOf, publicAnswer } from '../../marketplace/listings';
import { byPath } from '../../policy/manifest';
import { owns } from '../../policy/presentation-access';
import { readListing } from '../../records/listing-counters';
import type { Listing } from '../../records/listings';
import { listFiles } from '../../records/manifests';

/**
 * One listing with its files and what it descends from, an unlisted one too. Its owner, who sends a key, also sees whether and why an operator
 * took it down; everybody else is answered as if there were no key.
 */

export const Input = z.object({ slug });

const ancestor = z.object({ slug: z.string(), title: z.string() });

export const Answer = listingRow.extend({
  owner: z.object({ displayName: z.string(), organizationName: z.string() }),
  entryPath: z.string(),
  fileCount: z.int(),
  totalBytes: z.int(),
  files: z.array(manifestFile.omit({ sha256: true })),
  /** Opens the deck; other files lie relative to it. */
  contentUrl: z.url(),
  /** Nearest first. */
  lineage: z.array(ancestor),
  /** The owner's alone: null while the listing is up. */
  takedown: z.object({ at: timestamp, reason: z.string() }).nullable().optional(),
});

export const getMarketplaceListing = endpoint({
  name: 'getMarketplaceListing',
  method: 'GET',
  path: ['slug'],
  caller: 'optional-key',
  input: Input,
  answer: Answer,
  errors: ['not-found', 'expired'],
  // Ten thousand files with long paths make an answer of some megabytes.
  runtime: { concurrency: 16 },

  async handle({ input, caller, answerHeaders }) {
    const found = await readListing(input.slug);
    const isOwner = found !== undefined && caller !== undefined && owns(caller, found);
    const listing = isOwner && !found.deletedAt ? found : assertShown(found);
    // What was answered to a key is nobody else's, and what was answered without one is not enough for the owner.
    Object.assign(answerHeaders, isOwner ? { 'Cache-Control': 'private, no-store' } : publicAnswer);
    answerHeaders['Vary'] = 'Authorization';
    return { ...(await detailOf(listing)), ...(isOwner && { takedown: takedownView(listing) }) };
  },
});

async function detailOf(listing: Listing): Promise<z.output<typeof Answer>> {
  const { pinned, presentationId, lineage } = listing;
  const { entryPath, fileCount, totalBytes } = pinned;
  const [files, owner] = await Promise.all([listFiles(presentationId, pinned), ownerOf(listing)]);
  return {
    ...listingView(listing),
    owner,
    ...{ entryPath, fileCount, totalBytes },
    files: files.sort(byPath).map(({ path, size, contentType }) => ({ path, size, contentType })),
    contentUrl: contentUrl(listing),
    lineage,
  };
}

const takedownView = ({ takedown }: Listing) => takedown && { at: takedown.at.toISOString(), reason: takedown.reason };
