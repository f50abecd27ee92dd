import type { DeckService } from '../../../client/src/service/service';
import { explainDeck, problemOf, refusal } from './deck-failure';

/** Changes the title of a deck. Returns the title as the service stores it. */
export async function renameDeck(
  service: DeckService,
  { presentationId, title }: { presentationId: string; title: string },
): Promise<string> {
  try {
    return (await service.post('renamePresentation', { presentationId, title })).title;
  } catch (error) {
    const problem = problemOf(error, 'title');
    if (problem) throw refusal(error, problem.message, { code: 'wrong-title' });
    throw explainDeck(error, presentationId);
  }
}
