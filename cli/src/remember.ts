import { isFailure } from '../../client/src/failure';
import type { Terminal } from './terminal';

/**
 * Stores on this computer what later commands shall know. The command has done what it was asked for: it does not fail
 * when this does, but warns, and says what follows.
 */
export async function rememberOrWarn(
  work: Promise<void>,
  terminal: Terminal,
  consequence = 'Later commands on this computer will not know what this one did.',
): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isFailure(error)) throw error;
    terminal.warn(`${error.message} ${consequence}`, 'not-remembered');
  });
}
