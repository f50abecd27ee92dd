import type { Contract } from './contract';
import type { DeckService } from './service';

export type DeckRow = Contract['listMyPresentations']['answer']['presentations'][number];

/**
 * The decks that the caller owns or may edit, the last changed first. Fetches a page when its first row is asked for.
 */
export async function* listDecks(service: DeckService, signal?: AbortSignal): AsyncGenerator<DeckRow> {
  let cursor: string | null | undefined;
  do {
    const page = await service.get('listMyPresentations', cursor ? { cursor } : {}, signal && { signal });
    yield* page.presentations;
    cursor = page.nextCursor;
  } while (cursor);
}

/** The deck's first share link. Undefined when the deck has no link, or is not in the caller's list of decks. */
export async function findShareUrl(service: DeckService, presentationId: string): Promise<string | undefined> {
  for await (const deck of listDecks(service)) if (deck.id === presentationId) return deck.shareUrl ?? undefined;
  return undefined;
}
