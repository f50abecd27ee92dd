import { isFailure } from '../../../client/src/failure';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import { aboutDeck } from './deck-failure';
import { readDeckState, type DeckState } from './open-link';

type Listing = Contract['getMarketplaceListing']['answer'];

export interface DeckInfo extends DeckState {
  versions: { count: number; fileCount: number; totalBytes: number };
  /** The slides of the current version that are known by their pictures, and how many of them have one. */
  slides: { count: number; pictures: number };
  /** The listing of the deck; null without one, and for a collaborator. */
  listing: (Pick<Listing, 'slug' | 'status' | 'version' | 'marketplaceUrl'> & { isTakenDown: boolean }) | null;
}

/** Everything that the service tells about a deck, without its files. */
export async function describeDeck(
  service: DeckService,
  { presentationId }: { presentationId: string },
): Promise<DeckInfo> {
  const [state, { currentVersion, versions }] = await Promise.all([
    readDeckState(service, presentationId),
    aboutDeck(presentationId, service.get('listPresentationVersions', { presentationId })),
  ]);
  const { fileCount = 0, totalBytes = 0 } = versions.find(({ version }) => version === currentVersion) ?? {};
  const slug = state.own?.listingSlug ?? undefined;
  const [listing, slides] = await Promise.all([
    slug === undefined ? null : readListing(service, slug),
    readSlides(service, { presentationId, version: String(currentVersion) }),
  ]);
  return { ...state, versions: { count: versions.length, fileCount, totalBytes }, slides, listing };
}

async function readSlides(service: DeckService, of: { presentationId: string; version: string }) {
  const { slides } = await aboutDeck(of.presentationId, service.get('listSlidePictures', of));
  return { count: (slides.at(-1)?.index ?? -1) + 1, pictures: slides.length };
}

async function readListing(service: DeckService, slug: string): Promise<DeckInfo['listing']> {
  try {
    const { status, version, marketplaceUrl, takedown } = await service.get('getMarketplaceListing', { slug });
    return { slug, status, version, marketplaceUrl, isTakenDown: Boolean(takedown) };
  } catch (error) {
    // The deck was deleted, or its listing taken from it, after the first call.
    if (isFailure(error, 'not-found', 'expired')) return null;
    throw error;
  }
}
