import { isFailure } from '../../../client/src/failure';
import { push, type PushOutcome, type PushRequest } from '../../../client/src/push/push';
import type { Destination } from '../../../client/src/push/upload-target';
import type { DeckService } from '../../../client/src/service/service';
import { commandLine } from '../command-line';
import { terminalReporter } from '../reporter';
import type { Terminal } from '../terminal';
import { explainField } from '../verbs/deck-failure';
import { deckWords, pullLine } from './deck-option';

/** The folder as the user named it, and the version in it that the user pulled although it was not the current one. */
interface Source {
  folderName: string;
  chosenVersion: number | undefined;
}

/** Pushes, and once more when a file changed during the push. */
export async function pushWithRetry(
  service: DeckService,
  request: PushRequest,
  source: Source,
  terminal: Terminal,
): Promise<PushOutcome> {
  const reporter = terminalReporter(terminal, request.folder);
  try {
    return await push(service, request, reporter);
  } catch (error) {
    if (!isFailure(error, 'file-changed')) throw await explain(error, request, source);
    terminal.clear();
    terminal.warn(`${error.message} Reading the folder again.`);
  }
  try {
    return await push(service, request, reporter);
  } catch (error) {
    if (!isFailure(error, 'file-changed')) throw await explain(error, request, source);
    throw error.with({ nextAction: 'The file keeps changing. Stop the program that writes it, then push again.' });
  }
}

/** What the user can do about a newer version. The folder may be based on an older one on purpose. */
async function conflictHint(
  { presentationId, baseVersion: base }: Destination & { kind: 'deck' },
  { folderName, chosenVersion }: Source,
): Promise<string> {
  const [pull, force] = [await pullLine(folderName, presentationId), commandLine('push', folderName, '--force')];
  const restore = commandLine('restore', String(base), ...deckWords(folderName));
  if (base !== undefined && chosenVersion === base)
    return (
      `You pulled version ${base} on purpose. To make it the newest with the changes of this folder: ${force}. Without ` +
      `them: ${restore}. To go back to the newest version: ${pull}`
    );
  const hint = `To get the newest version: ${pull}. To overwrite it with yours: ${force}`;
  return base === undefined ? hint : `${hint}. To make version ${base} the newest: ${restore}`;
}

/** Names the commands of the client in the failure of a push. */
async function explain(error: unknown, { destination }: PushRequest, source: Source): Promise<unknown> {
  const { folderName } = source;
  if (isFailure(error, 'secrets')) {
    const allowed = commandLine('push', folderName, '--allow-secrets');
    return error.with({
      nextAction: `Take them out of the folder, or name the files in .deckignore. If everybody may read them: ${allowed}`,
    });
  }
  const wrongTitle = explainField(error, 'title', 'wrong-title');
  if (wrongTitle) return wrongTitle;
  if (isFailure(error, 'unfinished-download') && destination.kind === 'deck')
    return error.with({ nextAction: `${error.nextAction} To complete it: ${commandLine('pull', folderName)}` });
  if (isFailure(error, 'conflict') && 'serverVersion' in (error.details ?? {}) && destination.kind === 'deck')
    return error.with({ nextAction: await conflictHint(destination, source) });
  if (destination.kind !== 'deck' || !isFailure(error, 'not-found', 'permission-denied')) return error;
  return error.with({
    message: `The deck ${destination.presentationId} does not exist, or this key may not change it.`,
    nextAction: `Check \`${commandLine('whoami')}\`; --new makes a new deck from this folder.`,
  });
}
