import { commandLine } from '../command-line';
import { isFailure } from '../../../client/src/failure';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import { aboutDeck, explainField, problemOf, refusal } from './deck-failure';

export type Collaborator = Contract['listCollaborators']['answer']['collaborators'][number];

interface DeckId {
  presentationId: string;
}

/** The collaborators of a deck and the invitations that wait, oldest first. Those who were removed or left come too. */
export async function listCollaborators(service: DeckService, { presentationId }: DeckId): Promise<Collaborator[]> {
  return (await aboutDeck(presentationId, service.post('listCollaborators', { presentationId }))).collaborators;
}

/** Gives an address edit access to a deck. Without an account it is pending until the address signs up. */
export async function inviteCollaborator(
  service: DeckService,
  { presentationId, email, message }: DeckId & { email: string; message?: string | undefined },
): Promise<Collaborator> {
  const invited = service.post('inviteCollaborator', { presentationId, email, message });
  return (await aboutDeck(presentationId, invited, (error) => explainAddress(error, email))).collaborator;
}

/** Ends the edit access of a collaborator, or an invitation. */
export async function removeCollaborator(
  service: DeckService,
  { presentationId, deckWords = [], email }: DeckId & { email: string; deckWords?: readonly string[] },
): Promise<Collaborator> {
  const removed = service.post('uninviteCollaborator', { presentationId, email });
  const explain = (error: unknown) =>
    isFailure(error, 'not-found') && /collaborator/.test(error.message)
      ? error.with({
          message: `${email} is not a collaborator of this deck.`,
          nextAction: `\`${commandLine('collaborators', ...deckWords)}\` shows the collaborators of a deck.`,
        })
      : explainAddress(error, email);
  return (await aboutDeck(presentationId, removed, explain)).collaborator;
}

/** Ends the caller's access to a deck of another owner. */
export async function leaveDeck(service: DeckService, { presentationId }: DeckId): Promise<void> {
  try {
    await service.post('leavePresentation', { presentationId });
  } catch (error) {
    if (problemOf(error, 'presentationId')) {
      const nextAction = `Delete it if you do not need it: ${commandLine('delete', presentationId)}`;
      throw refusal(error, 'You own this deck. Its owner cannot leave it.', { code: 'is-owner', nextAction });
    }
    if (!isFailure(error, 'not-found', 'permission-denied')) throw error;
    throw error.with({
      message: `The deck ${presentationId} does not exist, or is not shared with you.`,
      nextAction: `\`${commandLine('list')}\` shows the decks that are shared with you.`,
    });
  }
}

/** The failure of an address that the service refuses. */
function explainAddress(error: unknown, email: string) {
  if (isFailure(error, 'EMAIL_INVALID', 'EMAIL_REQUIRED'))
    return refusal(error, `"${email}" is not an email address.`, { code: 'wrong-address' });
  return explainField(error, 'email', 'wrong-address');
}
