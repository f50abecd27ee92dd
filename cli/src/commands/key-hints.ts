import type { Failure } from '../failure';

/** A failure that the key or the plan is to blame for, with a hint that fits the command line. */
export function explainKey(failure: Failure): Failure {
  switch (failure.code) {
    case 'unauthenticated':
      return failure.with({
        nextAction: process.env['DECK_API_KEY']
          ? 'Check DECK_API_KEY, or unset it.'
          : 'Run `deck login` for a new key.',
      });
    case 'too-many-files':
      return failure.with({ nextAction: 'Name what the deck does not need in .deckignore, or change the plan.' });
    default:
      return failure;
  }
}
