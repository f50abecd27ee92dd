import { isFailure } from '../../client/src/failure';
import { requireSource } from '../../client/src/deck-file';
import { addHints } from './failure-hints';
import type { Terminal } from './terminal';
import { watchSource } from './watch-source';

/**
 * Runs the first push, and another one whenever the files of the deck have changed and then rested, one at a time. Only
 * a failure of the first push ends it. Later ones are shown: the next change is pushed again.
 */
export async function pushAgain(
  folderName: string,
  pushFirst: () => Promise<void>,
  pushLater: () => Promise<void>,
  terminal: Terminal,
): Promise<void> {
  const { dim } = terminal.colors;
  const stop = new AbortController();
  const changes = watchSource(await requireSource(folderName), stop);
  try {
    await pushFirst();
    terminal.interruptHint = undefined;
    terminal.say(dim('Watching the files: every change is pushed. Press Ctrl-C to stop.'));
    for await (const _ of changes) {
      await pushLater().catch((error: unknown) => {
        if (!isFailure(error)) throw error;
        terminal.clear();
        terminal.fail(addHints(error));
        terminal.say(dim('Still watching: the next change is pushed.'));
      });
      terminal.interruptHint = undefined;
    }
  } finally {
    stop.abort();
  }
}
