import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';

/** Deletes a deck of the caller for ever. A second call completes a deletion that was interrupted. */
export async function deleteDeck(
  service: DeckService,
  { presentationId }: { presentationId: string },
): Promise<Contract['deletePresentation']['answer']> {
  return service.post('deletePresentation', { presentationId });
}
