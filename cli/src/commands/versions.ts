import { Command } from 'commander';
import { count, formatBytes, plain } from '../../../client/src/format';
import { columns } from '../columns';
import { withDeck } from '../session';
import type { Terminal } from '../terminal';
import { listVersions, type DeckVersion } from '../verbs/versions';
import { deckArgument, deckOption, deckTarget, type DeckOptions } from './deck-option';

interface VersionsOptions extends DeckOptions {
  all?: boolean;
}

const SHOWN_VERSIONS = 20;

export function versionsCommand(terminal: Terminal): Command {
  return new Command('versions')
    .description('list the versions of a deck, the newest first')
    .argument('[deck]', deckArgument)
    .option('--all', `show all versions, and not only the newest ${SHOWN_VERSIONS}`)
    .addOption(deckOption())
    .action((deck: string | undefined, _options, self: Command) => runVersions(deck, self.optsWithGlobals(), terminal));
}

async function runVersions(name: string | undefined, options: VersionsOptions, terminal: Terminal): Promise<void> {
  await withDeck(deckTarget(name, options), options, terminal, async ({ service, presentationId, pushed }) => {
    const { currentVersion, versions } = await listVersions(service, { presentationId });
    const folderVersion = pushed?.deckFile.version;
    const shown = options.all ? versions : versions.slice(0, SHOWN_VERSIONS);
    const { bold, dim } = terminal.colors;
    terminal.say(`${bold(plain(versions[0]?.title ?? ''))}: ${count(versions.length, 'version')}, times in UTC`);
    const lines = columns(shown.map((version) => cells(version, folderVersion))).map((line) => line.trimEnd());
    shown.forEach((version, i) => {
      terminal.say(version.isCurrent ? bold(lines[i] ?? '') : lines[i]);
      for (const note of notesOf(version)) terminal.say(dim(`      ${note}`));
    });
    if (shown.length < versions.length)
      terminal.say(dim(`  … and ${count(versions.length - shown.length, 'older version')}: --all shows them`));
    terminal.answer({ presentationId, currentVersion, folderVersion, versions });
  });
}

const AUTHOR_LENGTH = 24;

function cells(version: DeckVersion, folderVersion: number | undefined): string[] {
  const { version: number, createdAt, createdByName, fileCount, totalBytes, isCurrent } = version;
  const marks = [isCurrent && 'current', number === folderVersion && 'this folder'].filter(Boolean);
  return [
    String(number).padStart(4),
    createdAt.slice(0, 16).replace('T', ' '),
    [...plain(createdByName ?? 'admin key')].slice(0, AUTHOR_LENGTH).join(''),
    count(fileCount, 'file').padStart(8),
    formatBytes(totalBytes).padStart(7),
    marks.join(', '),
  ];
}

function notesOf({ message, restoredFrom, pinnedLinks }: DeckVersion): string[] {
  return [
    message === null ? undefined : plain(message),
    restoredFrom === null ? undefined : `the files of version ${restoredFrom}, restored`,
    pinnedLinks?.length ? `pinned links: ${pinnedLinks.map(plain).join(', ')}` : undefined,
  ].filter((note) => note !== undefined);
}
