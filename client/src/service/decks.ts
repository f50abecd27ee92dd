import type { Contract } from './contract';
import type { DeckService } from './service';

export type DeckRow = Contract['listMyPresentations']['answer']['presentations'][number];

/**
 * The decks that the caller owns or may edit, the last changed first. Fetches a page when its first row is asked for.
 * The personal link of a mail's recipient is left out: it is not meant for others.
 */
export async function* listDecks(service: DeckService, signal?: AbortSignal): AsyncGenerator<DeckRow> {
  let cursor: string | null | undefined;
  do {
    const page = await service.get('listMyPresentations', cursor ? { cursor } : {}, signal && { signal });
    for (const deck of page.presentations) yield deck.shareUrlIsPersonal ? { ...deck, shareUrl: null } : deck;
    cursor = page.nextCursor;
  } while (cursor);
}
