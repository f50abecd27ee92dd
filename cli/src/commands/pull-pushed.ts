import { isFile } from '../../../client/src/deck-file';
import { Failure, isFailure, usageFailure } from '../../../client/src/failure';
import { count, plain } from '../../../client/src/format';
import { pull, type PullOutcome } from '../../../client/src/pull/pull';
import type { ChangedFile } from '../../../functions/src/values/three-way';
import { commandLine } from '../command-line';
import { warnOfLeftOut } from '../download-deck';
import { terminalReporter } from '../reporter';
import { withDeck, type CommonOptions, type DeckSession } from '../session';
import { showPull } from '../show-changes';
import type { Terminal } from '../terminal';
import { pullLine } from './deck-option';

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
    if (await isFile(pushed.folder))
      throw usageFailure(`${target} is not a folder.`, `Its deck needs one: ${await pullLine(target, presentationId)}`);
    terminal.interruptHint = 'Run the same command again. It completes the pull.';
    const { version, theirs, mine, dryRun } = options;
    const request = { ...pushed, version, dryRun, prefer: theirs ? 'theirs' : mine ? 'mine' : undefined } as const;
    const reporter = terminalReporter(terminal, pushed.folder);
    const outcome = await pull(service, request, reporter).catch((error: unknown) => {
      throw explain(error, target, presentationId, terminal);
    });
    show(outcome, { pushed, target, presentationId, isMine: mine === true }, terminal);
  });
}

interface Pulled {
  pushed: NonNullable<DeckSession['pushed']>;
  target: string;
  presentationId: string;
  /** Whether the folder's files win. */
  isMine: boolean;
}

function show(outcome: PullOutcome, { pushed, target, presentationId, isMine }: Pulled, terminal: Terminal): void {
  const { status, from, to, changes, leftOut, marked } = outcome;
  const { green, bold } = terminal.colors;
  const version = bold(String(to.version));
  showPull(changes, terminal);
  const of = (wanted: ChangedFile['action']) => changes.filter(({ action }) => action === wanted);
  const [kept, taken, merged] = [of('keep').length, of('take').length, of('merge').length];
  if (status === 'planned')
    terminal.say(
      `A pull would take ${count(taken, 'change')} of version ${version}, keep ${kept} of yours` +
        `${merged > 0 ? `, and merge ${count(merged, 'file')}` : ''}.`,
    );
  else if (status === 'up-to-date') terminal.say(`${green('✓')} The folder is already based on version ${version}.`);
  else
    terminal.say(
      `${green('✓')} Pulled version ${version} of ${bold(plain(to.title))}: ` +
        `${count(taken, 'change')} taken, ${kept} of yours kept${merged > 0 ? `, ${merged} merged` : ''}`,
    );
  const dropped = isMine ? of('keep').filter(({ there }) => there !== undefined) : [];
  if (dropped.length > 0) warnOfDropped(dropped, to.version, terminal);
  warnOfLeftOut(leftOut, terminal);
  if (kept + merged > 0 && marked.length === 0 && to.isCurrent && status !== 'planned')
    terminal.say(`To publish your changes, run: ${commandLine('push', target)}`);
  if (!to.isCurrent)
    terminal.warn(
      `Version ${to.version} is not the current version: a push of this folder is refused as a conflict. ` +
        `To make it the current version, run: ${commandLine('restore', String(to.version), '--deck', target)}`,
      'older-version',
    );
  const answer = {
    status,
    presentationId,
    folder: pushed.folder,
    from,
    version: to.version,
    title: to.title,
    entryPath: to.entryPath,
    files: changes,
    leftOut,
  };
  if (marked.length > 0) throw withMarks(marked, answer, `You and version ${to.version}`, commandLine('push', target));
  terminal.answer({ ...answer, ...(isMine && { dropped: dropped.map(({ path }) => path) }) });
}

const SHOWN_DROPPED = 20;

/** Says which changes of the colleague the folder does not have. */
function warnOfDropped(dropped: readonly ChangedFile[], version: number, terminal: Terminal): void {
  const rows = dropped.slice(0, SHOWN_DROPPED).map(({ path, there }) => `    ${plain(path)} (${there} there)`);
  if (dropped.length > rows.length) rows.push(`    … and ${dropped.length - rows.length} more; --json names them all`);
  const what = `--mine drops the changes of version ${version} to ${count(dropped.length, 'file')}:`;
  terminal.warn([what, ...rows].join('\n'), 'dropped');
}

/** The files are written. A person has to decide between the lines of two sides before a push. */
export function withMarks(marked: readonly string[], answer: object, sides: string, next: string): Failure {
  return new Failure(`${sides} changed the same lines of ${marked.map(plain).join(', ')}.`, {
    code: 'merged-with-marks',
    nextAction:
      `The lines of both sides are between conflict marks (<<<<<<<, =======, >>>>>>>). Choose between them, delete the marks, then run: ` +
      next,
    details: { ...answer, marked },
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
        `Nothing was written: these files cannot be merged by lines. For files that changed on both sides, ${theirs} ` +
        `takes those of version ${version}, and ${mine} keeps yours.`,
    });
  }
  if (isFailure(error, 'conflict-marks'))
    return error.with({
      nextAction: `${error.nextAction} Or take the files of the deck: ${commandLine('pull', target, '--theirs')}`,
    });
  if (isFailure(error, 'unfinished-download') && 'sourceVersion' in (error.details ?? {}))
    return error.with({ nextAction: `To complete it: ${commandLine('remix', '--update', target)}` });
  if (isFailure(error, 'unfinished-download'))
    return error.with({ nextAction: `Run ${commandLine('pull', target)} to complete it.` });
  if (!isFailure(error, 'not-found', 'permission-denied')) return error;
  return error.with({
    message: `The deck ${presentationId} or its version does not exist, or you may not edit the deck.`,
    nextAction: `${commandLine('versions', target)} shows the versions, ${commandLine('list')} your decks.`,
  });
}
