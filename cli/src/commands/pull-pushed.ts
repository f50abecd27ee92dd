import { isFailure } from '../../../client/src/failure';
import { count, plain } from '../../../client/src/format';
import { pull, type PullOutcome } from '../../../client/src/pull/pull';
import type { ChangedFile } from '../../../client/src/pull/three-way';
import { commandLine } from '../command-line';
import { warnOfLeftOut } from '../download-deck';
import { terminalReporter } from '../reporter';
import { withDeck, type CommonOptions, type DeckSession } from '../session';
import { showPull } from '../show-changes';
import type { Terminal } from '../terminal';

export interface PullOptions extends CommonOptions {
  version?: number;
  theirs?: boolean;
  mine?: boolean;
  dryRun?: boolean;
}

/**
 * Brings a version into the folder of a deck, with the changes of the folder. It changes no deck, so that it asks
 * nothing about a folder that this computer did not push. The next push of the folder does.
 */
export async function pullIntoPushedFolder(target: string, options: PullOptions, terminal: Terminal): Promise<void> {
  await withDeck(target, options, terminal, async ({ service, presentationId, pushed }) => {
    if (!pushed) throw new Error('The id of a deck is not a pushed folder.');
    terminal.interruptHint = 'Run the same command again. It completes the pull.';
    const { version, theirs, mine, dryRun } = options;
    const request = { ...pushed, version, dryRun, prefer: theirs ? 'theirs' : mine ? 'mine' : undefined } as const;
    const reporter = terminalReporter(terminal, pushed.folder);
    const outcome = await pull(service, request, reporter).catch((error: unknown) => {
      throw explain(error, target, presentationId, terminal);
    });
    show(outcome, { pushed, target, presentationId }, terminal);
  });
}

interface Pulled {
  pushed: NonNullable<DeckSession['pushed']>;
  target: string;
  presentationId: string;
}

function show(outcome: PullOutcome, { pushed, target, presentationId }: Pulled, terminal: Terminal): void {
  const { status, from, to, changes, leftOut } = outcome;
  const { green, bold } = terminal.colors;
  const version = bold(String(to.version));
  showPull(changes, terminal);
  const kept = changes.filter(({ action }) => action === 'keep').length;
  const taken = changes.filter(({ action }) => action === 'take').length;
  if (status === 'planned')
    terminal.say(`A pull would take ${count(taken, 'change')} of version ${version} and keep ${kept} of yours.`);
  else if (status === 'up-to-date') terminal.say(`${green('✓')} The folder is based on version ${version} already.`);
  else
    terminal.say(
      `${green('✓')} Pulled version ${version} of ${bold(plain(to.title))}: ` +
        `${count(taken, 'change')} taken, ${kept} of yours kept`,
    );
  warnOfLeftOut(leftOut, terminal);
  if (kept > 0 && to.isCurrent && status !== 'planned')
    terminal.say(`To publish your changes, run: ${commandLine('push', target)}`);
  if (!to.isCurrent)
    terminal.warn(
      `Version ${to.version} is not the current version: a push of this folder is refused as a conflict. ` +
        `To make it the current version, run: ${commandLine('restore', String(to.version), '--deck', target)}`,
      'older-version',
    );
  terminal.answer({
    status,
    presentationId,
    folder: pushed.folder,
    from,
    version: to.version,
    title: to.title,
    entryPath: to.entryPath,
    files: changes,
    leftOut,
  });
}

/** Shows the files of a conflict, and names the commands of the client in the failure of a pull. */
function explain(error: unknown, target: string, presentationId: string, terminal: Terminal): unknown {
  terminal.clear();
  if (isFailure(error, 'pull-conflict')) {
    const { files, version } = error.details as { files: ChangedFile[]; version: number };
    showPull(files, terminal);
    const [theirs, mine] = [commandLine('pull', target, '--theirs'), commandLine('pull', target, '--mine')];
    return error.with({
      nextAction:
        `Nothing was written. For files that changed on both sides, ${theirs} takes those of version ${version}, ` +
        `and ${mine} keeps yours.`,
    });
  }
  if (isFailure(error, 'unfinished-download'))
    return error.with({ nextAction: `Run ${commandLine('pull', target)} to complete it.` });
  if (!isFailure(error, 'not-found', 'permission-denied')) return error;
  return error.with({
    message: `The deck ${presentationId} or its version does not exist, or you may not edit the deck.`,
    nextAction: `${commandLine('versions', target)} shows the versions, ${commandLine('list')} your decks.`,
  });
}
