import { z } from 'zod';
import { pageAnswer, pageErrorTypes } from '../../contract/file-answers';
import { fileUrlOf, listingCursor, slideUrlOf, slug as listingSlug } from '../../contract/listings';
import { fail } from '../../errors';
import { rawEndpoint } from '../../http/endpoint';
import { sendMarketplaceError } from '../../http/marketplace-errors';
import { redirect } from '../../http/redirect';
import { pageSegments, query } from '../../http/request';
import { sendPage } from '../../http/send-page';
import { contentUrl, ownerOf, pageOfListings, publicAnswer, rowAndLineageOf } from '../../marketplace/listings';
import { slidesOfListing } from '../../marketplace/listing-slides';
import { assertShown } from '../../marketplace/shown-listing';
import { originUrlOf } from '../../marketplace/listing-origins';
import { browseAddress } from '../../pages/listing-card';
import { listingPage as render, listingPagePolicy } from '../../pages/listing-page';
import { descendantToken } from '../../policy/listings';
import { byPath } from '../../policy/manifest';
import { readListing } from '../../records/listing-counters';
import type { Listing } from '../../records/listings';
import { listFilesOfOneShard } from '../../records/manifests';
import { isSlug } from '../../values/slugs';

const Input = z.object({
  slug: listingSlug,
  remixes: listingCursor.meta({ description: 'Cursor of a page of the remixes of the listing.' }).optional(),
});

const REMIXES_PER_PAGE = 12;
const previewOf = ({ title, picture }: Listing, shown: { url: string } | null) =>
  picture && shown ? { url: shown.url, alt: picture.title ?? title, pixels: picture.pixels } : undefined;

/** The page names at most this many files of the listed version. */
const FILES_ON_PAGE = 50;

export const listingPage = rawEndpoint({
  name: 'listingPage',
  about:
    'The page of one listing at `{marketplace_url}/marketplace/{slug}`: the deck in a sandboxed frame, its ' +
    'description, its versions, its files and its lineage. A request of the page counts no view. A script of the page ' +
    'calls recordMarketplaceView, and starMarketplaceListing for a reader who signed in at the dashboard.',
  input: Input,
  paths: { '': '/{slug}' },
  answers: {
    ...pageAnswer('The page.'),
    308: {
      description: 'The slug is empty. `Location` is the page of the marketplace.',
      headers: ['Location', 'Cache-Control'],
    },
  },
  errorTypes: pageErrorTypes,
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['invalid-argument', 'not-found', 'expired'],
  runtime: { class: 'page' },
  cost: { roundTrips: 3, reads: 6, writes: 0 },

  async handle({ context, request, response }) {
    const [slug, ...rest] = pageSegments(request, 'marketplace');
    // The path is `/marketplace/`.
    if (slug === undefined)
      return redirect(response, {
        status: 308,
        location: browseAddress(),
        cacheControl: publicAnswer['Cache-Control'],
      });
    if (!isSlug(slug) || rest.length > 0) return fail('not-found');
    const cursor = query(request).get('remixes') ?? undefined;
    const listing = assertShown(await readListing(slug));
    const [remixes, owner, { row: view, lineage }, files, slides] = await Promise.all([
      pageOfListings(descendantToken(slug, listing.generation), 'recent', REMIXES_PER_PAGE, cursor),
      ownerOf(listing),
      rowAndLineageOf(listing),
      filesOf(listing),
      slidesOfListing(context, listing),
    ]);
    const originUrl = originUrlOf(slug);
    const html = render({
      ...view,
      owner,
      lineage,
      files,
      slides: slides.map((slide, i) => ({ ...slide, url: slideUrlOf(slug, i + 1, slide) })),
      versions: listing.versions.toReversed(),
      preview: previewOf(listing, view.picture),
      deck: originUrl === null ? { url: contentUrl(listing), hasOrigin: false } : { url: originUrl, hasOrigin: true },
      remixes: remixes.rows,
      moreRemixesUrl: remixes.nextCursor ? `${view.marketplaceUrl}?remixes=${remixes.nextCursor}#remixes` : undefined,
    });
    sendPage(response, request.method, {
      status: 200,
      html,
      policy: listingPagePolicy(originUrl ?? contentUrl(listing)),
      cacheControl: publicAnswer['Cache-Control'],
      robots: view.status === 'unlisted' && 'noindex',
    });
  },

  handleError: sendMarketplaceError,
});

/** Files of the listed version, ordered by path: those of one shard at most, so that the page costs one read. */
async function filesOf(listing: Listing) {
  const { presentationId, pinned } = listing;
  const files = (await listFilesOfOneShard(presentationId, pinned)).sort(byPath).slice(0, FILES_ON_PAGE);
  return {
    shown: files.map(({ path, size }) => ({ path, size, url: fileUrlOf(listing.slug, path) })),
    fileCount: pinned.fileCount,
    totalBytes: pinned.totalBytes,
  };
}
