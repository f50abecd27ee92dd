import { isFailure, usageFailure } from '../../../client/src/failure';
import { count, plain } from '../../../client/src/format';
import { updateFromSource, type UpdateOutcome } from '../../../client/src/pull/update-remix';
import type { ChangedFile } from '../../../functions/src/values/three-way';
import { commandLine } from '../command-line';
import { warnOfLeftOut } from '../download-deck';
import { confirmFolder } from '../confirm-folder';
import { terminalReporter } from '../reporter';
import { withDeck, type CommonOptions } from '../session';
import { showPull } from '../show-changes';
import type { Terminal } from '../terminal';
import { withMarks } from './pull-pushed';

interface UpdateOptions extends CommonOptions {
  theirs?: boolean;
  mine?: boolean;
  dryRun?: boolean;
}

/** Brings what changed in the source of a remix into the deck and its folder. */
export async function updateRemix(target: string, options: UpdateOptions, terminal: Terminal): Promise<void> {
  await withDeck(target, options, terminal, async ({ service, baseUrl, presentationId, pushed }) => {
    if (!pushed)
      throw usageFailure('Name the folder of the remix.', `\`${commandLine('pull', target, '<folder>')}\` makes one.`);
    const otherwise = `If you mean this deck, push to it: ${commandLine('push', target, '--deck', presentationId)}`;
    if (!options.dryRun)
      await confirmFolder(service, { folder: pushed.folder, baseUrl, presentationId }, otherwise, terminal);
    terminal.interruptHint = 'Run the same command again. It completes the update.';
    const { theirs, mine, dryRun } = options;
    const request = { ...pushed, dryRun, prefer: theirs ? 'theirs' : mine ? 'mine' : undefined } as const;
    const outcome = await updateFromSource(service, request, terminalReporter(terminal, pushed.folder)).catch(
      (error: unknown) => {
        throw explain(error, target, terminal);
      },
    );
    show(outcome, target, terminal);
    const { status, source, version, changes: files, leftOut, left, marked } = outcome;
    const answer = { status, presentationId, folder: pushed.folder, source, version, files, leftOut, left };
    if (marked.length === 0) return terminal.answer(answer);
    const [again, push] = [commandLine('remix', '--update', target), commandLine('push', target)];
    throw withMarks(marked, answer, `You and version ${source.latest} of the source`, left.length > 0 ? again : push);
  });
}

function show(
  { status, source, changes, leftOut, marked, isToPush }: UpdateOutcome,
  target: string,
  terminal: Terminal,
) {
  const { green, bold } = terminal.colors;
  const of = (wanted: ChangedFile['action']) => changes.filter(({ action }) => action === wanted).length;
  const [taken, merged, conflicts] = [of('take'), of('merge'), of('conflict')];
  const from = `version ${source.latest} of ${bold(plain(source.slug))}`;
  showPull(changes, terminal);
  if (status === 'planned')
    terminal.say(
      `An update would take ${count(taken, 'change')} of ${from}, and merge ${count(merged, 'file')}.` +
        (conflicts > 0 ? ` ${count(conflicts, 'file')} cannot be merged: it would need --mine or --theirs.` : ''),
    );
  else if (status === 'up-to-date') terminal.say(`${green('✓')} The remix has everything of ${from}.`);
  else terminal.say(`${green('✓')} Updated from ${from}: ${count(taken, 'change')} taken, ${merged} merged`);
  warnOfLeftOut(leftOut, terminal);
  if (isToPush && marked.length === 0) terminal.say(`To publish the merged files, run: ${commandLine('push', target)}`);
}

/** Shows the files of a conflict, and names the commands of the client. */
function explain(error: unknown, target: string, terminal: Terminal): unknown {
  terminal.clear();
  const command = (...options: string[]) => commandLine('remix', '--update', target, ...options);
  if (isFailure(error, 'pull-conflict')) {
    showPull((error.details as { files: ChangedFile[] }).files, terminal);
    return error.with({
      nextAction:
        `These files cannot be merged by lines, and were not written. For files that changed on both sides, ` +
        `${command('--theirs')} takes the other state, and ${command('--mine')} keeps yours.`,
    });
  }
  if (isFailure(error, 'unfinished-download')) return error.with({ nextAction: `To complete it: ${command()}` });
  if (!isFailure(error, 'conflict') || error.status === undefined) return error;
  const { state } = (error.details ?? {}) as { state?: unknown };
  if (typeof state !== 'string') return error.with({ nextAction: `Run \`${command()}\` again.` });
  return error.with({ message: error.message, nextAction: 'Go on with the deck as it is.' });
}
