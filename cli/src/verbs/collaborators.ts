import { commandLine } from '../command-line';
import { isFailure } from '../../../client/src/failure';
import type { DeckService } from '../../../client/src/service/service';

/** Ends the caller's access to a deck of another owner. */
export async function leaveDeck(service: DeckService, { presentationId }: { presentationId: string }): Promise<void> {
  try {
    await service.post('leavePresentation', { presentationId });
  } catch (error) {
    if (!isFailure(error, 'not-found', 'permission-denied')) throw error;
    throw error.with({
      message: `The deck ${presentationId} does not exist, or is not shared with you.`,
      nextAction: `\`${commandLine('list')}\` shows the decks that are shared with you.`,
    });
  }
}
