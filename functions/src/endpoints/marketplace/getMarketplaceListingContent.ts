import { z } from 'zod';
import { assetPath } from '../../contract/fields';
import { fileAnswers, folderRedirect, pageErrorTypes } from '../../contract/file-answers';
import { numberOfSlide, PICTURE_PATH, slug as listingSlug } from '../../contract/listings';
import { fileOfPicture } from '../../decks/shown-pictures';
import { fail } from '../../errors';
import type { RawCall } from '../../http/definition';
import { rawEndpoint } from '../../http/endpoint';
import { redirect } from '../../http/redirect';
import { pathSegments, query, type Request } from '../../http/request';
import { deliveryOf, sendFile, setViewerHeaders } from '../../http/send-file';
import { sendViewerError } from '../../http/viewer-errors';
import { slideOfListing } from '../../marketplace/listing-slides';
import { assertShown } from '../../marketplace/shown-listing';
import { readFor } from '../../records/database';
import { listingRef, type Listing } from '../../records/listings';
import { findFile } from '../../records/manifests';
import { normalizePath } from '../../values/paths';
import { isSlug } from '../../values/slugs';

const Input = z.object({ slug: listingSlug, assetPath });

export const getMarketplaceListingContent = rawEndpoint({
  name: 'getMarketplaceListingContent',
  about:
    'Serves the files of the version that a listing shows. Later versions, links and the expiry of the deck do not ' +
    `change them. \`${PICTURE_PATH}\` is the picture of the listing, and \`_deck/slides/1.webp\` that of its first ` +
    'slide. The call needs no key and counts no view; shared caches may keep an answer for 1 hour.',
  input: Input,
  paths: { '': '/{slug}/{assetPath}' },
  answers: { ...fileAnswers, ...folderRedirect },
  errorTypes: pageErrorTypes,
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['not-found', 'expired', 'range-not-satisfiable'],
  runtime: { class: 'viewer' },
  cost: { roundTrips: 2, reads: 2, writes: 0 },
  passesContext: true,

  async handle({ context, request, response }) {
    setViewerHeaders(response);
    const { slug, assetPath, needsSlash } = readAddress(request);
    if (!isSlug(slug)) return fail('not-found');
    if (needsSlash) {
      // Relative links of the entry resolve only below `<slug>/`. The target is relative, because the function does not
      // know its own base address.
      return redirect(response, { status: 308, location: `${slug}/`, cacheControl: CACHED });
    }
    const [found] = await readFor(context, listingRef(slug));
    const listing = assertShown(found);
    const { file, place } = await fileAt(context, listing, normalizePath(assetPath) || listing.pinned.entryPath);
    if (!file) return fail('not-found');
    await sendFile(request, response, {
      context,
      presentationId: listing.presentationId,
      file,
      place,
      delivery: deliveryOf(request, file),
      cacheControl: CACHED,
    });
  },

  handleError: (error, call) => sendViewerError(error, call, readAddress(call.request).assetPath),
});

/** A file or a picture of a listing, and the place of its object. One read, but none for the picture of the listing. */
async function fileAt(context: RawCall['context'], listing: Listing, path: string) {
  const { presentationId, pinned, picture } = listing;
  if (path === PICTURE_PATH) return { file: picture && fileOfPicture(picture), place: picture?.place };
  const n = numberOfSlide(path);
  if (n !== undefined) return { file: await slideOfListing(context, listing, n), place: 'slides' as const };
  return { file: await findFile(context, presentationId, pinned, path), place: undefined };
}

/** An update of the listing changes the bytes under the same address, so caches keep an answer for 1 hour at most. */
const CACHED = 'public, max-age=300, s-maxage=3600';

function readAddress(request: Request): { slug: string; assetPath: string; needsSlash: boolean } {
  const segments = pathSegments(request) ?? [''];
  const [first = '', ...rest] = segments;
  const asked = query(request);
  // Below the slug the query is that of a page of the deck.
  if (!first) return { slug: asked.get('slug') ?? '', assetPath: asked.get('assetPath') ?? '', needsSlash: false };
  return {
    slug: first,
    assetPath: rest.join('/'),
    needsSlash: rest.length === 0,
  };
}
