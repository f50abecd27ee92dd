import { z } from 'zod';
import { serviceSecret } from '../../config';
import { committed, version } from '../../contract/fields';
import { answeredSlug, slug } from '../../contract/listings';
import { asMember } from '../../http/caller';
import { endpoint } from '../../http/endpoint';
import { assertShown } from '../../marketplace/listings';
import { copyFiles, failRemixEnded, openRemix, whileShown } from '../../marketplace/remixes';
import { buildManifest } from '../../policy/manifest';
import { read, readIn } from '../../records/database';
import { listingRef } from '../../records/listings';
import { listFiles, prepareManifest } from '../../records/manifests';
import { createDeck } from '../../records/new-deck';
import { assertWithinPlan, organizationRef } from '../../records/organizations';
import { presentationRef } from '../../records/presentations';
import { shareUrlOf } from '../../records/share-tokens';
import { uploadSessionRef } from '../../records/upload-sessions';

export const Input = z.object({
  slug: slug.meta({ description: 'Slug of the listing to copy.' }),
  title: z.string().trim().max(255, 'A title has 1 to 255 characters.').nullish().meta({
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
    'interrupted copy, even when the listing became unlisted. The call does not change the counters of the listing.',
  method: 'POST',
  caller: { scope: 'presentations:write' },
  input: Input,
  answer: Answer,
  isIdempotent: true,
  errors: ['not-found', 'conflict', 'expired', 'too-many-files', 'payload-too-large'],
  runtime: { secrets: [serviceSecret], memory: '1GiB', timeoutSeconds: 540, concurrency: 4 },

  async handle({ input, caller, now, idempotency }) {
    const by = asMember(caller);
    // A replayed call must not copy the files again.
    const earlier = await idempotency.find();
    if (earlier) return earlier as z.output<typeof Answer>;

    const ownRef = organizationRef(by.organizationId);
    const [found, organization] = await read(listingRef(input.slug), ownRef);
    const listing = assertShown(found);
    const files = await whileShown(listing, () => listFiles(listing.presentationId, listing.pinned));
    assertWithinPlan(files, organization);
    const remix = await openRemix(listing, by, now);
    await whileShown(listing, () => copyFiles(listing, remix, files));

    const { deckId, sessionId } = remix;
    const { version, entryPath } = listing.pinned;
    const remixedFrom = { slug: listing.slug, version };
    const manifest = buildManifest(files);
    const writeManifest = await prepareManifest(deckId, manifest);
    const deck = {
      ...{ presentationId: deckId, sessionId, ownerId: by.userId, organizationId: by.organizationId, createdAt: now },
      ...{ title: input.title || listing.title, message: null, entryPath, remixedFrom },
    };
    return idempotency.run(
      async (tx): Promise<z.output<typeof Answer>> => {
        const refs = [presentationRef(deckId), uploadSessionRef(sessionId), listingRef(listing.slug), ownRef] as const;
        const [made, session, present, plan] = await readIn(tx, ...refs);
        if (made) {
          // Another call of the same user created the deck first. Only the answer of that call has the raw token.
          const url = shareUrlOf(deckId, made.latestToken);
          const { fileCount, totalBytes } = manifest;
          return { presentationId: deckId, version: 1, shareUrl: url, fileCount, totalBytes, remixedFrom };
        }
        assertShown(present);
        if (session?.presentationId !== deckId) failRemixEnded();
        assertWithinPlan(files, plan);
        writeManifest(tx);
        return { ...createDeck(tx, deck, manifest, files), remixedFrom };
      },
      ({ token: _token, shareUrl: _url, ...answer }) => answer,
    );
  },
});
