import type { Failure } from './failure';
import { formatBytes } from './progress';

/** A failure that the key or the plan is to blame for, in words that fit the command line. */
export function explainLimits(failure: Failure): Failure {
  const { limit, actual, path, plan, requiredScope } = (failure.details ?? {}) as Record<string, unknown>;
  const isCounted = typeof limit === 'number' && typeof actual === 'number';
  // Without a plan it is the platform that takes no larger request.
  const allowed = typeof plan === 'string' ? `the plan "${plan}" allows` : 'the service takes at most';
  switch (failure.code) {
    case 'unauthenticated':
      return failure.with({
        nextAction: process.env['DECK_API_KEY']
          ? 'Check DECK_API_KEY, or unset it.'
          : 'Run `deck login` for a new key.',
      });
    case 'permission-denied':
      return typeof requiredScope === 'string' ? failure.with({ nextAction: howToGet(requiredScope) }) : failure;
    case 'too-many-files':
      return failure.with({
        message: isCounted ? `The deck has ${actual} files; ${allowed} ${limit}.` : failure.message,
        nextAction: 'In a folder of yours, name what the deck does not need in .deckignore; or change the plan.',
      });
    case 'payload-too-large': {
      if (!isCounted) return failure;
      const what = typeof path === 'string' ? path : 'The deck';
      return failure.with({
        message: `${what} has ${formatBytes(actual)} (${actual} bytes); ${allowed} ${formatBytes(limit)} (${limit}).`,
        nextAction: 'Make it smaller, leave it out with .deckignore, or change the plan.',
      });
    }
    default:
      return failure;
  }
}

function howToGet(scope: string): string {
  const login = scope === 'marketplace:publish' ? 'deck login --publish' : 'deck login';
  return process.env['DECK_API_KEY']
    ? `DECK_API_KEY lacks the scope ${scope}: set another key, or unset it and run \`${login}\`.`
    : `Run \`${login}\` for a key with the scope ${scope}.`;
}
