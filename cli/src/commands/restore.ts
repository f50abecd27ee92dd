import { Command } from 'commander';
import { changeDeckFile } from '../../../client/src/deck-file';
import { isFailure } from '../../../client/src/failure';
import { refuseUnfinished } from '../../../client/src/pull/pull-state';
import { commandLine } from '../command-line';
import { changeDeck, type DeckSession } from '../session';
import { showNotices } from '../show-notices';
import type { Terminal } from '../terminal';
import { linkToHandOut, readDeckState } from '../verbs/open-link';
import { findInFolder, restoreVersion } from '../verbs/versions';
import { deckOption, deckTarget, deckWords, pullLine, type DeckOptions } from './deck-option';
import { wholeNumber } from './option-values';

export function restoreCommand(terminal: Terminal): Command {
  return new Command('restore')
    .description('bring back the files of an old version as a new version')
    .argument('<version>', 'the number of the version to restore', wholeNumber)
    .addOption(deckOption())
    .action((version: number, _options, self: Command) => runRestore(version, self.optsWithGlobals(), terminal));
}

async function runRestore(version: number, options: DeckOptions, terminal: Terminal): Promise<void> {
  const target = deckTarget(undefined, options);
  await changeDeck(target, options, terminal, async (deck) => {
    const { presentationId } = deck;
    const restored = await restoreVersion(deck.service, { presentationId, version }).catch((error: unknown) => {
      if (!isFailure(error)) throw error;
      const nextAction = `${commandLine('versions', ...deckWords(target))} shows the versions.`;
      throw error.code === 'not-found' ? error.with({ nextAction }) : error;
    });
    const isBasedOn = deck.pushed && (await followRestored(deck, deck.pushed, restored.version));
    const state = await readDeckState(deck.service, presentationId);
    const { shareUrl, notices } = linkToHandOut(state, { remembered: undefined, deckWords: deckWords(target) });
    const { green, bold, cyan } = terminal.colors;
    const number = bold(String(restored.version));
    terminal.say(
      restored.status === 'unchanged'
        ? `${green('✓')} Nothing changed: version ${number}, the newest, has the same files as version ${version}.`
        : `${green('✓')} Restored version ${version}: its files are now version ${number}.`,
    );
    if (shareUrl !== undefined) terminal.say(`\n  ${cyan(shareUrl)}\n`);
    showNotices(notices, terminal);
    if (deck.pushed && !isBasedOn)
      terminal.say(`The folder did not change. To get these files, run: ${await pullLine(target, presentationId)}`);
    const folderVersion = isBasedOn ? restored.version : deck.pushed?.deckFile.version;
    terminal.answer({ ...restored, shareUrl: shareUrl ?? null, folderVersion });
  });
}

/**
 * Bases the folder on the new version if it holds exactly its files, so that its next push is not a conflict. Returns
 * whether it does. The version is restored already, so that a folder that cannot be read is not an error.
 */
async function followRestored(
  { service, presentationId }: DeckSession,
  { folder }: NonNullable<DeckSession['pushed']>,
  version: number,
): Promise<boolean> {
  try {
    await refuseUnfinished(folder);
    const found = await findInFolder(service, folder, { presentationId, version });
    if (!found) return false;
    const { title, entryPath } = found;
    await changeDeckFile(folder, (file) => file && { ...file, version, title, entryPath, chosenVersion: undefined });
    return true;
  } catch (error) {
    if (isFailure(error)) return false;
    throw error;
  }
}
