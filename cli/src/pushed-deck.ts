import { commandLine } from './command-line';
import { readDeckFile, requireSource, type DeckFile } from '../../client/src/deck-file';
import { Failure } from '../../client/src/failure';
import { resolveAddress, type Address, type AddressOptions } from './address';

interface PushedDeck {
  folder: string;
  deckFile: DeckFile;
  address: Address;
}

/**
 * The deck of a folder that has been pushed to the service that the options name. Throws `not-pushed` for every other
 * folder.
 */
export async function requirePushedDeck(folderName: string, options: AddressOptions): Promise<PushedDeck> {
  const folder = await requireSource(folderName);
  const deckFile = await readDeckFile(folder);
  const address = await resolveAddress(options, deckFile?.baseUrl);
  if (deckFile?.baseUrl !== address.baseUrl)
    throw new Failure(`${folder} has not been pushed to ${address.baseUrl} yet.`, {
      code: 'not-pushed',
      nextAction:
        `Push it first: ${commandLine('push', folderName)}. Or name another folder or the id of a deck: ` +
        `\`${commandLine('list')}\` shows the ids.`,
    });
  return { folder, deckFile, address };
}
