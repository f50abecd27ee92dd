import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import { optionalTitle, presentationId } from '../../contract/fields';
import { listingFields, listingMeta, listingRow, listingView, newSlug } from '../../contract/listings';
import { fail } from '../../errors';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { newListing, readPlace } from '../../marketplace/new-listing';
import { clearFormer } from '../../marketplace/slug-claims';
import { readIn } from '../../records/database';
import { assertRoomForListing, countListing, listingWindowRef } from '../../records/listing-windows';
import { createListing, replaceListing } from '../../records/listings';
import { presentationRef, setListing, type Presentation } from '../../records/presentations';
import { MB } from '../../values/units';

const { kind, description, interactive, tags, techStack, category, version } = listingFields;

export const Input = z.object({
  presentationId,
  kind,
  description,
  interactive: interactive.nullish().meta({
    ...listingMeta.interactive,
    description: 'Whether the visitor can operate the deck. Always true for the kind `app`. The default is false.',
  }),
  slug: newSlug.nullish().meta({
    description:
      'Slug of the listing: lowercase words of a-z and 0-9 with hyphens between them. It never changes. The ' +
      'default is made from the title. A slug that nobody but its owner used is free again 30 days after the ' +
      'deletion of its deck. The slug of a remix stays taken while a deck that was remixed from it exists.',
    example: example.slug,
  }),
  title: optionalTitle.meta({
    ...listingMeta.title,
    description: 'Title of the listing. The default is the title of the deck.',
  }),
  tags: tags.nullish().meta(listingMeta.tags),
  techStack: techStack.nullish().meta(listingMeta.techStack),
  category: category.meta(listingMeta.category),
  version: version
    .nullish()
    .meta({ ...listingMeta.version, description: 'Version of the deck to show. The default is the current version.' }),
});

export const Answer = listingRow.pick({
  slug: true,
  kind: true,
  interactive: true,
  version: true,
  status: true,
  marketplaceUrl: true,
});

export const publishMarketplaceListing = endpoint({
  name: 'publishMarketplaceListing',
  about:
    'Publishes one version of a deck in the marketplace. Later versions of the deck do not change the listing. A ' +
    'deck has at most one listing, which updateMarketplaceListing changes. An organization may publish 20 new ' +
    'listings in 24 hours.',
  command: "deck publish talk --description 'Revenue, costs and the plan for spring.'",
  method: 'POST',
  caller: { scope: 'marketplace:publish', deck: 'owner' },
  limit: MB,
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['not-found', 'conflict', 'rate-limited'],
  runtime: { secrets: [serviceSecret] },
  cost: { roundTrips: 4, reads: 6, writes: 6 },

  async handle({ input, caller, authorize, now, idempotency }) {
    const by = asMember(caller);
    return idempotency.run(
      async (tx) => {
        const refs = [presentationRef(input.presentationId), listingWindowRef(by.organizationId)] as const;
        const [present, window] = await readIn(tx, ...refs);
        const deck = assertPublishable(authorize(present));
        await assertRoomForListing(tx, by.organizationId, window, now);
        const place = await readPlace(tx, input, deck, now);
        const listing = newListing(input, deck, by, { ...place, now });
        clearFormer(tx, place.claimed);
        if (place.claimed.former) replaceListing(tx, listing);
        else createListing(tx, listing);
        setListing(tx, deck.presentationId, listing.slug);
        countListing(tx, by.organizationId, window, now);
        const { slug, kind, interactive, version, status, marketplaceUrl } = listingView(listing, [], undefined);
        return { slug, kind, interactive, version, status, marketplaceUrl };
      },
      (kept) => kept,
    );
  },
});

/** The deck. Throws conflict when the deck has a listing, or when an operator took the deck down. */
function assertPublishable(deck: Presentation): Presentation {
  if (deck.listingSlug) {
    fail(
      'conflict',
      { slug: deck.listingSlug, reason: 'deck-is-listed' },
      {
        message: 'The deck already has a listing.',
        nextAction: 'Update that listing to show another version or to make it public again.',
      },
    );
  }
  if (deck.takedown) fail('conflict', undefined, { message: 'An operator took this deck down.' });
  return deck;
}
