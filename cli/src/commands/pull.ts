import { Command, Option } from 'commander';
import { commandLine } from '../command-line';
import { usageFailure } from '../../../client/src/failure';
import { isDeckId } from '../deck-id';
import type { Terminal } from '../terminal';
import { wholeNumber } from './option-values';
import { pullIntoNewFolder } from './pull-new';
import { pullIntoPushedFolder, type PullOptions } from './pull-pushed';

const HELP = `
In a folder that was pushed, the command compares three states of each file: the version that the folder is based on,
the folder, and the wanted version. It takes what changed there and keeps what changed here. Text that changed on both
sides is merged by lines. Where both changed the same lines, the file has the lines of both between conflict marks; the
command names these files and ends with the exit code 7, and a push is refused until the marks are gone. When another
file changed on both sides, nothing is written until --mine or --theirs says which side wins for all such files. --mine
names the changes of the other side that it drops. Files that a push ignores are not touched, and named. After that the
folder is based on the wanted version, and \`deck push\` publishes your changes.

With an id and a new folder, the command downloads the deck into the folder.`;

export function pullCommand(terminal: Terminal): Command {
  return new Command('pull')
    .description('update a folder to the newest version of its deck, or download a deck into a new folder')
    .argument('[deck]', 'the folder that was pushed (default: this folder), or the id of a deck')
    .argument('[folder]', 'for an id, the folder for the files: a new or an empty one')
    .option('--version <number>', 'the version to pull (default: the current one)', wholeNumber)
    .addOption(new Option('--theirs', 'take the version of each file that changed on both sides').conflicts('mine'))
    .option('--mine', 'keep your state of each file that changed on both sides')
    .option('--dry-run', 'show what the pull would change, and write nothing')
    .addHelpText('after', HELP)
    .action((deck: string | undefined, folder: string | undefined, _options, self: Command) =>
      runPull(deck ?? '.', folder, self.optsWithGlobals(), terminal),
    );
}

async function runPull(
  deck: string,
  folder: string | undefined,
  options: PullOptions,
  terminal: Terminal,
): Promise<void> {
  if (folder === undefined) {
    if (isDeckId(deck))
      throw usageFailure(
        'Name a new folder for the files of the deck.',
        `Example: ${commandLine('pull', '<id>', '<folder>')}`,
      );
    return pullIntoPushedFolder(deck, options, terminal);
  }
  const { theirs, mine, dryRun } = options;
  if (theirs ?? mine ?? dryRun)
    throw usageFailure(
      `--theirs, --mine and --dry-run are for a folder that was pushed: ${commandLine('pull', '<folder>')}`,
    );
  return pullIntoNewFolder(deck, folder, options, terminal);
}
