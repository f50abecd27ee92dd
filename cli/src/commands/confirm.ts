import { Failure, usageFailure } from '../../../client/src/failure';
import type { Terminal } from '../terminal';

/**
 * Asks before something is done that cannot be undone. `--yes` answers the question; without a terminal it is
 * required. Throws `not-confirmed` when the answer is not yes.
 */
export async function confirm(question: string, { yes }: { yes?: boolean }, terminal: Terminal): Promise<void> {
  if (yes) return;
  if (!terminal.canPrompt) throw usageFailure(`${question} This cannot be undone.`, 'Confirm it with --yes.');
  const answer = await terminal.ask(`${question} This cannot be undone. [y/N]`, () => undefined);
  if (!/^y(es)?$/i.test(answer)) throw new Failure('Nothing was changed.', { code: 'not-confirmed' });
}
