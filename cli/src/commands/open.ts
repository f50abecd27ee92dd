import { Command } from 'commander';
import { Failure } from '../failure';
import type { Address } from '../keys';
import { requireKey } from '../keys';
import { findLink, rememberLink } from '../links';
import { requirePushedDeck } from '../pushed-deck';
import { connect } from '../service/connect';
import { findShareUrl } from '../service/decks';
import type { Terminal } from '../terminal';

interface OpenOptions {
  baseUrl?: string;
  print?: boolean;
}

export function openCommand(terminal: Terminal): Command {
  return new Command('open')
    .description("open a pushed folder's share link in the browser")
    .argument('[folder]', 'the folder that was pushed', '.')
    .option('--print', 'only print the link')
    .action((folder: string, _options, self: Command) => runOpen(folder, self.optsWithGlobals(), terminal));
}

/** `deck open [folder]`: shows the deck's share link in the browser, and prints it. */
async function runOpen(folderName: string, options: OpenOptions, terminal: Terminal): Promise<void> {
  const { deckFile, address } = await requirePushedDeck(folderName, options.baseUrl);
  const { presentationId } = deckFile;
  const shareUrl = await requireLink(address, presentationId, terminal);
  let isOpened = false;
  if (!options.print) isOpened = await openInBrowser(shareUrl);
  terminal.say(shareUrl);
  if (!options.print && !isOpened) terminal.warn('No browser could be started here: open the link yourself.');
  terminal.answer({ presentationId, shareUrl, opened: isOpened });
}

/** The remembered link, or else the one that the service tells. */
async function requireLink(address: Address, presentationId: string, terminal: Terminal): Promise<string> {
  const { baseUrl } = address;
  const remembered = await findLink(baseUrl, presentationId);
  if (remembered) return remembered;
  const service = connect(baseUrl, terminal, await requireKey(address));
  try {
    const shareUrl = await findShareUrl(service, presentationId);
    if (!shareUrl)
      throw new Failure(`The deck ${presentationId} has no share link, or is not one of yours.`, { code: 'no-link' });
    await rememberLink(baseUrl, presentationId, shareUrl);
    return shareUrl;
  } finally {
    service.close();
  }
}

async function openInBrowser(link: string): Promise<boolean> {
  // The link comes from a service: nothing but a web address may reach the system's opener.
  if (!/^https?:\/\//.test(link)) return false;
  const { default: open } = await import('open');
  try {
    await open(link);
    return true;
  } catch {
    return false;
  }
}
