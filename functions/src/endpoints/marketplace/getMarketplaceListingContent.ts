import { rawEndpoint } from '../../http/endpoint';
import { assertShown } from '../../marketplace/listings';
import { pathSegments, query, type Request } from '../../http/request';
import { deliveryOf, sendFile, setViewerHeaders } from '../../http/send-file';
import { sendViewerError } from '../../http/viewer-errors';
import { fail } from '../../errors';
import { normalizePath } from '../../values/paths';
import { isSlug } from '../../values/slugs';
import { read } from '../../records/database';
import { listingRef } from '../../records/listings';
import { findFile } from '../../records/manifests';

/**
 * Serves the files of the version that a listing shows, to everybody and from shared caches. Nothing of the deck itself decides: its later versions,
 * its links and their expiry are its owner's affair.
 */
export const getMarketplaceListingContent = rawEndpoint({
  name: 'getMarketplaceListingContent',
  method: ['GET', 'HEAD'],
  caller: 'anyone',
  errors: ['not-found', 'expired', 'range-not-satisfiable'],
  runtime: { timeoutSeconds: 300 },

  async handle({ request, response }) {
    setViewerHeaders(response);
    const { slug, assetPath, needsSlash } = readAddress(request);
    if (!isSlug(slug)) return fail('not-found');
    if (needsSlash) {
      // Relative links resolve only below the slug; the target is relative because the function does not know where it is mounted.
      response.statusCode = 308;
      response.setHeader('Location', `${slug}/`);
      response.setHeader('Cache-Control', CACHED);
      response.end();
      return;
    }
    const [found] = await read(listingRef(slug));
    const { presentationId, pinned } = assertShown(found);
    const file = await findFile(presentationId, pinned, normalizePath(assetPath) || pinned.entryPath);
    if (!file) return fail('not-found');
    await sendFile(request, response, {
      presentationId,
      file,
      delivery: deliveryOf(request, file),
      cacheControl: CACHED,
    });
  },

  handleError: (error, call) => sendViewerError(error, call, readAddress(call.request).assetPath),
});

/** A listing may show another version tomorrow, under the same address. */
const CACHED = 'public, max-age=300, s-maxage=3600';

function readAddress(request: Request): { slug: string; assetPath: string; needsSlash: boolean } {
  const segments = pathSegments(request) ?? [''];
  const [first = '', ...rest] = segments;
  return {
    slug: first || (query(request).get('slug') ?? ''),
    assetPath: rest.join('/'),
    needsSlash: first !== '' && rest.length === 0,
  };
}
