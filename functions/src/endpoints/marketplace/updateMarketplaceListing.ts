import { listingFields, listingRow, listingView, slug } from '../../contract/listings';
import { z } from 'zod';
import { endpoint } from '../../http/endpoint';
import { always } from '../../contract/fields';
import { assertFound, pinOfListing } from '../../marketplace/listings';
import { fail } from '../../errors';
import { owns } from '../../policy/presentation-access';
import { readIn } from '../../records/database';
import { listingRef, updateListing, type Listing } from '../../records/listings';
import { presentationRef } from '../../records/presentations';
import { transact } from '../../records/transact';
import { assertVersion, versionRef } from '../../records/versions';

/**
 * Changes what a listing says, which version it shows, and whether it is listed. What is left out stays; the slug never changes. One that an
 * operator took down may be changed, but stays down.
 */

const { kind, description, interactive, title, tags, techStack, category, version } = listingFields;

export const Input = z
  .object({
    slug,
    status: z.enum(['public', 'unlisted']).optional(),
    version: version.optional(),
    title: title.optional(),
    description: description.optional(),
    kind: kind.optional(),
    interactive: interactive.optional(),
    category: category.optional(),
    tags: tags.optional(),
    techStack: techStack.optional(),
  })
  .refine(({ slug: _, ...changes }) => Object.values(changes).some((value) => value !== undefined), {
    ...always,
    path: ['slug'],
    error: 'Send at least one field to change.',
  });

export const Answer = listingRow;

export const updateMarketplaceListing = endpoint({
  name: 'updateMarketplaceListing',
  method: 'POST',
  caller: { scope: 'marketplace:publish' },
  input: Input,
  answer: Answer,
  errors: ['not-found', 'expired'],

  handle({ input: { slug, version, ...said }, caller, now }) {
    return transact(async (tx) => {
      const [found] = await readIn(tx, listingRef(slug));
      const listing = assertFound(found);
      if (!owns(caller, listing)) {
        fail('permission-denied', undefined, { message: 'Only the owner of the deck may do that.' });
      }
      if (listing.deletedAt) fail('expired', undefined, { message: 'The deck of this listing was deleted.' });
      const changes: Partial<Listing> = { updatedAt: now };
      Object.assign(changes, Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)));
      if ((changes.kind ?? listing.kind) === 'app') changes.interactive = true;
      if (version !== undefined) {
        const { presentationId: id } = listing;
        const [deck, pinned] = await readIn(tx, presentationRef(id), versionRef(id, version));
        if (!deck) return fail('expired');
        changes.pinned = pinOfListing(assertVersion(deck, pinned, 'body.version'));
      }
      return listingView(updateListing(tx, listing, changes));
    });
  },
});
