import { z } from 'zod';
import { serviceSecret } from '../../config';
import { example } from '../../contract/example';
import { presentationId } from '../../contract/fields';
import { listingFields, listingMeta, listingRow, listingView, newSlug } from '../../contract/listings';
import { fail } from '../../errors';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { pinOfListing } from '../../marketplace/listings';
import { lineageOfRemix } from '../../policy/listings';
import { readIn } from '../../records/database';
import { createListing, listingRef } from '../../records/listings';
import { presentationRef, setListing, type Presentation } from '../../records/presentations';
import { assertVersion, versionRef } from '../../records/versions';
import { slugsFor } from '../../values/slugs';
import { MB } from '../../values/units';

const { kind, description, interactive, title, tags, techStack, category, version } = listingFields;

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
      'default is made from the title.',
    example: example.slug,
  }),
  title: title
    .nullish()
    .meta({ ...listingMeta.title, description: 'Title of the listing. The default is the title of the deck.' }),
  tags: tags.nullish().meta(listingMeta.tags),
  techStack: techStack.nullish().meta(listingMeta.techStack),
  category: category.optional().meta(listingMeta.category),
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
    'deck has at most one listing. updateMarketplaceListing changes it.',
  method: 'POST',
  caller: { scope: 'marketplace:publish', deck: 'owner' },
  limit: MB,
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['not-found', 'conflict'],
  runtime: { secrets: [serviceSecret] },

  handle({ input, caller, authorize, now, idempotency }) {
    const { userId, organizationId } = asMember(caller);
    const id = input.presentationId;
    return idempotency.run(
      async (tx) => {
        const [present] = await readIn(tx, presentationRef(id));
        const deck = assertPublishable(authorize(present));
        const title = input.title ?? deck.title;
        const slugs = input.slug ? [input.slug] : await slugsFor(title);
        const wanted = [...slugs, ...(deck.remixedFrom ? [deck.remixedFrom.slug] : [])];
        const number = input.version ?? deck.current.version;
        const [pinned, ...found] = await readIn(tx, versionRef(id, number), ...wanted.map(listingRef));
        const slug = slugs.find((_, i) => !found[i]) ?? failTaken(slugs[0]!);
        const listing = {
          ...{ slug, presentationId: id, ownerId: userId, organizationId, title },
          description: input.description,
          kind: input.kind,
          interactive: input.kind === 'app' || (input.interactive ?? false),
          category: input.category ?? null,
          tags: input.tags ?? [],
          techStack: input.techStack ?? [],
          status: 'public' as const,
          pinned: pinOfListing(assertVersion(deck, pinned, 'body.version')),
          lineage: lineageOfRemix(found[slugs.length]),
          ...{ stars: 0, remixCount: 0, viewCount: 0 },
          ...{ createdAt: now, updatedAt: now, takedown: null, deletedAt: null },
        };
        createListing(tx, listing);
        setListing(tx, id, slug);
        const { kind, interactive, version, status, marketplaceUrl } = listingView(listing);
        return { slug, kind, interactive, version, status, marketplaceUrl };
      },
      (answer) => answer,
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
        nextAction: 'Call updateMarketplaceListing to show another version or to make it public again.',
      },
    );
  }
  if (deck.takedown) fail('conflict', undefined, { message: 'An operator took this deck down.' });
  return deck;
}

function failTaken(slug: string): never {
  return fail(
    'conflict',
    { slug, reason: 'slug-is-taken' },
    { message: 'Another listing has this slug.', nextAction: 'Choose another slug.' },
  );
}
