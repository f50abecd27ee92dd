import type { Contract } from './contract';
import type { Service } from './service';

export type DeckRow = Contract['listMyPresentations']['answer']['presentations'][number];

/** The caller's decks, newest change first, page by page as they are asked for. */
export async function* decksOf(service: Service): AsyncGenerator<DeckRow> {
  let cursor: string | null | undefined;
  do {
    const page = await service.get('listMyPresentations', cursor ? { cursor } : {});
    yield* page.presentations;
    cursor = page.nextCursor;
  } while (cursor);
}

/** The deck's first share link, from the caller's own list of decks; undefined when it has none or is not in it. */
export async function findShareUrl(service: Service, presentationId: string): Promise<string | undefined> {
  for await (const deck of decksOf(service)) if (deck.id === presentationId) return deck.shareUrl ?? undefined;
  return undefined;
}
