import { z } from 'zod';
import { example } from '../../contract/example';
import { always } from '../../contract/fields';
import { listingFields, listingMeta, listingRow, slug } from '../../contract/listings';
import { fail } from '../../errors';
import { endpoint } from '../../http/endpoint';
import { pinOfListing, rowAndLineageOf } from '../../marketplace/listings';
import { assertFound } from '../../marketplace/shown-listing';
import { versionsAfter } from '../../policy/listing-versions';
import { owns } from '../../policy/presentation-access';
import { readIn } from '../../records/database';
import { listingRef, updateListing, type Listing } from '../../records/listings';
import { presentationRef } from '../../records/presentations';
import { transact } from '../../records/transact';
import { assertVersion, versionRef } from '../../records/versions';

const { kind, description, interactive, title, tags, techStack, category, version, status } = listingFields;

export const Input = z
  .object({
    slug: slug.meta({ description: 'Slug of the listing. It never changes.' }),
    status: status.optional().meta(listingMeta.status),
    version: version.optional().meta({ ...listingMeta.version, description: 'Version of the deck to show.' }),
    title: title.optional().meta(listingMeta.title),
    description: description.optional().meta(listingMeta.description),
    kind: kind.optional().meta(listingMeta.kind),
    interactive: interactive.optional().meta(listingMeta.interactive),
    category: category.meta({ ...listingMeta.category, description: 'Category of the listing. Null removes it.' }),
    tags: tags.optional().meta(listingMeta.tags),
    techStack: techStack.optional().meta(listingMeta.techStack),
  })
  .refine(({ slug: _, ...changes }) => Object.values(changes).some((value) => value !== undefined), {
    ...always,
    path: ['slug'],
    error: 'Send at least one field to change.',
  })
  .meta({ minProperties: 2, example: { slug: example.slug, version: 2 } });

export const Answer = listingRow;

export const updateMarketplaceListing = endpoint({
  name: 'updateMarketplaceListing',
  about:
    'Changes a listing of a deck that the caller owns: its texts, the version that it shows, and whether it is in ' +
    'the lists. Fields that are left out keep their values. At least one field besides `slug` is needed. A listing ' +
    'that an operator took down stays taken down.',
  method: 'POST',
  caller: { scope: 'marketplace:publish' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'expired'],
  cost: { roundTrips: 5, reads: 5, writes: 3 },

  async handle({ input: { slug, version, ...said }, caller, now }) {
    const updated = await transact(async (tx) => {
      const [found] = await readIn(tx, listingRef(slug));
      const listing = assertFound(found);
      if (!owns(caller, listing)) {
        fail('permission-denied', undefined, { message: 'Only the owner of the deck may change its listing.' });
      }
      if (listing.deletedAt) fail('expired', undefined, { message: 'The deck of this listing was deleted.' });
      const changes: Partial<Listing> = { updatedAt: now };
      Object.assign(changes, Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)));
      if ((changes.kind ?? listing.kind) === 'app') changes.interactive = true;
      if (version !== undefined) {
        const { presentationId: id } = listing;
        const [deck, pinned] = await readIn(tx, presentationRef(id), versionRef(id, version));
        if (!deck) return fail('expired');
        Object.assign(changes, await pinOfListing(deck, assertVersion(deck, pinned, 'body.version')));
        changes.versions = versionsAfter(listing, version, now);
      }
      return updateListing(tx, listing, changes);
    });
    return (await rowAndLineageOf(updated)).row;
  },
});
