import { resolveAddress } from './address';
import type { DeckFile } from './deck-file';
import { readDeckFile } from './deck-file';
import { Failure } from './failure';
import { requireFolder } from './folder/scan';
import type { Address } from './keys';

/** A folder whose deck is known, and where that is. */
interface PushedDeck {
  folder: string;
  deckFile: DeckFile;
  address: Address;
}

/** The deck of a folder that has been pushed to the service in question; any other folder is a failure that says what to do. */
export async function requirePushedDeck(folderName: string, baseUrl: string | undefined): Promise<PushedDeck> {
  const folder = await requireFolder(folderName);
  const deckFile = await readDeckFile(folder);
  const address = resolveAddress(baseUrl, deckFile?.baseUrl);
  if (deckFile?.baseUrl !== address.baseUrl)
    throw new Failure(`${folder} has not been pushed to ${address.baseUrl} yet.`, {
      code: 'not-pushed',
      nextAction: `Run \`deck push ${folderName}\` first.`,
    });
  return { folder, deckFile, address };
}
