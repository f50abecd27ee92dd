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
