import { Command } from 'commander';
import { Failure, isFailure } from '../../../client/src/failure';
import type { FilesDiff } from '../../../functions/src/values/files-diff';
import { commandLine } from '../command-line';
import { terminalReporter } from '../reporter';
import { withDeck, type DeckSession } from '../session';
import { showDiff } from '../show-changes';
import type { Terminal } from '../terminal';
import { diffFolder, diffVersions, listVersions } from '../verbs/versions';
import { deckOption, deckTarget, deckWords, pullLine, type DeckOptions } from './deck-option';
import { wholeNumber } from './option-values';

const HELP = `
Without numbers it shows what a push of the folder would change. For the id of a deck it shows what the current version
changed. One number compares that version with the current one.`;

export function diffCommand(terminal: Terminal): Command {
  return new Command('diff')
    .description('show which files differ between two versions, or what a push would change')
    .argument('[from]', 'the number of the version to compare from', wholeNumber)
    .argument('[to]', 'the number of the version to compare to (default: the current version)', wholeNumber)
    .addOption(deckOption())
    .addHelpText('after', HELP)
    .action((from: number | undefined, to: number | undefined, _options, self: Command) =>
      runDiff(from, to, self.optsWithGlobals(), terminal),
    );
}

async function runDiff(
  from: number | undefined,
  to: number | undefined,
  options: DeckOptions,
  terminal: Terminal,
): Promise<void> {
  const target = deckTarget(undefined, options);
  await withDeck(target, options, terminal, async (deck) => {
    if (from === undefined && deck.pushed) return showFolder(deck, deck.pushed, target, terminal);
    const { service, presentationId } = deck;
    const newest = to ?? (await listVersions(service, { presentationId })).currentVersion;
    if (from === undefined && newest === 1)
      throw new Failure('The deck has one version: there is nothing to compare.', { code: 'one-version' });
    const diff = await diffVersions(service, { presentationId, from: from ?? newest - 1, to: newest }).catch(
      (error: unknown) => {
        if (!isFailure(error, 'not-found')) throw error;
        throw error.with({ nextAction: `${commandLine('versions', ...deckWords(target))} shows the versions.` });
      },
    );
    show(diff, deck, terminal);
  });
}

function show(
  diff: FilesDiff & { from: number; to: number },
  { presentationId }: DeckSession,
  terminal: Terminal,
): void {
  const { bold } = terminal.colors;
  terminal.say(`From version ${bold(String(diff.from))} to version ${bold(String(diff.to))}:`);
  showDiff(diff, terminal);
  terminal.answer({ presentationId, ...diff });
}

async function showFolder(
  { service, presentationId }: DeckSession,
  pushed: NonNullable<DeckSession['pushed']>,
  target: string,
  terminal: Terminal,
): Promise<void> {
  const diff = await diffFolder(service, pushed, terminalReporter(terminal, pushed.folder));
  const { from, currentVersion } = diff;
  terminal.say(`From version ${terminal.colors.bold(String(from))} to this folder:`);
  showDiff(diff, terminal);
  if (currentVersion > from) {
    const pull = await pullLine(target, presentationId);
    const compare = commandLine('diff', String(from), ...deckWords(target));
    terminal.warn(
      `The deck has version ${currentVersion}, and this folder is based on version ${from}: a push would be refused.`,
      'newer-version',
    );
    terminal.note(`  → ${compare} shows what changed there, ${pull} gets it.`);
  }
  terminal.answer({ presentationId, ...diff });
}
