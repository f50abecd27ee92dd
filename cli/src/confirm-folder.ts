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
  const named = await whatItNames(service, place);
  if (named === undefined) return;
  const message = `The .deck.json of this folder names ${named}, and you have not pushed it from this folder before.`;
  if (!terminal.canPrompt) throw new Failure(message, { code: 'unknown-folder', nextAction: otherwise });
  const isDeck = place.listing === undefined;
  const answer = await terminal.ask(`${message} Change this ${isDeck ? 'deck' : 'listing'}? [y/N]`, () => undefined);
  if (!/^y(es)?$/i.test(answer)) throw new Failure('Nothing was changed.', { code: 'not-confirmed' });
  // The answer about a listing says nothing about the deck.
  if (isDeck) await rememberFolder(place, terminal);
}

/**
 * What the command would change. Undefined for a deck that is deleted or belongs to somebody else: the command itself
 * tells that. The listing need not be that of the deck.
 */
async function whatItNames(service: DeckService, { presentationId, listing }: DeckFolder): Promise<string | undefined> {
  if (listing !== undefined) return `the listing ${listing}`;
  const deck = await readDeckState(service, presentationId).catch((error: unknown) => {
    if (isFailure(error, 'not-found')) return undefined;
    throw error;
  });
  return deck && `your deck "${plain(deck.title)}" (version ${deck.version}, ${count(deck.totalViews, 'view')})`;
}
