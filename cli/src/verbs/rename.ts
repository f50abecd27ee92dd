import type { DeckService } from '../../../client/src/service/service';
import { aboutDeck, explainField } from './deck-failure';

/** Changes the title of a deck. Returns the title as the service stores it. */
export async function renameDeck(
  service: DeckService,
  { presentationId, title }: { presentationId: string; title: string },
): Promise<string> {
  const renamed = service.post('renamePresentation', { presentationId, title });
  return (await aboutDeck(presentationId, renamed, (error) => explainField(error, 'title', 'wrong-title'))).title;
}
