import { Failure, isFailure } from '../../client/src/failure';
import { count, plain } from '../../client/src/format';
import type { DeckService } from '../../client/src/service/service';
import { isKnownFolder, rememberFolder, type DeckFolder } from './known-folders';
import type { Terminal } from './terminal';
import { readDeckState } from './verbs/open-link';

/**
 * Asks before a command changes the deck of a folder from which this computer has not pushed it. Without a terminal,
 * throws `unknown-folder`, whose hint is `otherwise`: how the user names the deck.
 */
export async function confirmFolder(
  service: DeckService,
  place: DeckFolder,
  otherwise: string,
  terminal: Terminal,
): Promise<void> {
  if (await isKnownFolder(place)) return;
  // The command itself tells that the deck is deleted, or belongs to somebody else.
  const deck = await readDeckState(service, place.presentationId).catch((error: unknown) => {
    if (!isFailure(error, 'not-found')) throw error;
  });
  if (!deck) return;
  const facts = `version ${deck.version}, ${count(deck.totalViews, 'view')}`;
  const message =
    `The .deck.json of this folder names your deck "${plain(deck.title)}" (${facts}), and you have not pushed it from ` +
    'this folder before.';
  if (!terminal.canPrompt) throw new Failure(message, { code: 'unknown-folder', nextAction: otherwise });
  const answer = await terminal.ask(`${message} Change this deck? [y/N]`, () => undefined);
  if (!/^y(es)?$/i.test(answer)) throw new Failure('Nothing was changed.', { code: 'not-confirmed' });
  await rememberFolder(place);
}
