import { Command } from 'commander';
import type { Address, AddressOptions } from '../address';
import { Failure } from '../../../client/src/failure';
import { requireKey } from '../keys';
import { findLink, storeLink } from '../links';
import { connect } from '../connect';
import { requirePushedDeck } from '../pushed-deck';
import { findShareUrl } from '../../../client/src/service/decks';
import { openInBrowser } from '../open-in-browser';
import type { Terminal } from '../terminal';

interface OpenOptions extends AddressOptions {
  print?: boolean;
}

export function openCommand(terminal: Terminal): Command {
  return new Command('open')
    .description("open a pushed folder's share link in the browser")
    .argument('[folder]', 'the folder that was pushed', '.')
    .option('--print', 'print the link, and do not open a browser')
    .action((folder: string, _options, self: Command) => runOpen(folder, self.optsWithGlobals(), terminal));
}

async function runOpen(folderName: string, options: OpenOptions, terminal: Terminal): Promise<void> {
  const { deckFile, address } = await requirePushedDeck(folderName, options);
  const { presentationId } = deckFile;
  const shareUrl = await requireLink(address, presentationId, terminal);
  let isOpened = false;
  if (!options.print) isOpened = await openInBrowser(shareUrl);
  terminal.say(shareUrl);
  if (!options.print && !isOpened) terminal.warn('No browser could be started: open the link yourself.');
  terminal.answer({ presentationId, shareUrl, opened: isOpened });
}

/** The stored link, or else the link from the caller's list of decks. */
async function requireLink(address: Address, presentationId: string, terminal: Terminal): Promise<string> {
  const { baseUrl } = address;
  const remembered = await findLink(baseUrl, presentationId);
  if (remembered) return remembered;
  const service = connect(baseUrl, terminal, requireKey(address));
  try {
    const shareUrl = await findShareUrl(service, presentationId);
    if (!shareUrl)
      throw new Failure(`The deck ${presentationId} does not have a share link, or is not one of your decks.`, {
        code: 'no-link',
      });
    await storeLink(baseUrl, presentationId, shareUrl);
    return shareUrl;
  } finally {
    service.close();
  }
}
