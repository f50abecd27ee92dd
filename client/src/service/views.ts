import type { Contract } from './contract';
import type { DeckService } from './service';

type Asked = Contract['listPresentationViews']['input'];
export type View = Contract['listPresentationViews']['answer']['views'][number];

/**
 * The views of a deck, newest first: all of them, or those that the filters leave. Fetches a page when its first row is
 * asked for.
 */
export async function* listViews(
  service: DeckService,
  query: Omit<Asked, 'limit' | 'cursor'>,
  signal?: AbortSignal,
): AsyncGenerator<View> {
  let cursor: string | null | undefined;
  do {
    const page = await service.get('listPresentationViews', { ...query, ...(cursor && { cursor }) }, { signal });
    yield* page.views;
    cursor = page.nextCursor;
  } while (cursor);
}
