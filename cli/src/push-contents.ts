import { isFailure } from '../../client/src/failure';
import { memorySource, type FileContents } from '../../client/src/push/memory-source';
import { pushFiles, type PushOptions } from '../../client/src/push/push-files';
import type { Destination } from '../../client/src/push/upload-target';
import { answerOf, showPlan } from './commands/push-result';
import { terminalReporter } from './reporter';
import { recorded, type Surroundings } from './run-command';
import { withSession, type Session } from './session';
import { askState, linkAfterPush } from './share-link';
import { showNotices } from './show-notices';
import type { Terminal } from './terminal';
import { explainDeck, explainField } from './verbs/deck-failure';

/** Files that an agent has made, and the deck that they become a version of. */
export interface ContentsPush {
  files: readonly FileContents[];
  /** The id of the deck. Undefined for a new one. */
  deck?: string | undefined;
  /** The version that the files are based on. With it, a newer version is not overwritten. */
  baseVersion?: number | undefined;
  options: PushOptions;
}

/** Pushes files without a folder. Resolves with the document of `deck push`. */
export const pushContents = (push: ContentsPush, { address, ...surroundings }: Surroundings) =>
  recorded(surroundings, (terminal) => withSession(address, terminal, (session) => run(session, push, terminal)));

async function run(
  { service, baseUrl }: Session,
  { files, deck, baseVersion, options }: ContentsPush,
  terminal: Terminal,
): Promise<void> {
  const destination: Destination =
    deck === undefined ? { kind: 'new-deck' } : { kind: 'deck', presentationId: deck, baseVersion };
  // It is asked beside the push, so that the push takes no longer.
  const state = deck === undefined || options.dryRun ? undefined : askState(service, deck);
  const request = { destination, options };
  const outcome = await pushFiles(service, memorySource(files), request, terminalReporter(terminal, 'the files')).catch(
    (error: unknown) => {
      throw explain(error, deck);
    },
  );
  if (outcome.status === 'planned') return showPlan(outcome, destination, terminal);
  const before = await state;
  const title = before === undefined || before instanceof Error ? undefined : before.title;
  const deckWords = ['--deck', outcome.presentationId ?? ''];
  const { shareUrl, notices } = await linkAfterPush(service, { baseUrl, deckWords, before }, outcome, terminal);
  showNotices(notices, terminal);
  terminal.answer(answerOf(outcome, options.title ?? title ?? outcome.title, shareUrl));
}

/** Names what the caller can do about a failure: there is no folder. */
function explain(error: unknown, deck: string | undefined): unknown {
  if (isFailure(error, 'secrets'))
    return error.with({
      nextAction: 'Leave them out. If everybody may read them, and the user agrees: --allow-secrets',
    });
  if (isFailure(error, 'conflict') && 'serverVersion' in (error.details ?? {}))
    return error.with({
      message: error.message.replace('this folder is', 'the files are'),
      nextAction: 'Look at what changed, then repeat the push with the newer version as baseVersion.',
    });
  return explainField(error, 'title', 'wrong-title') ?? (deck === undefined ? error : explainDeck(error, deck));
}
