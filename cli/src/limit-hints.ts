import type { Failure } from './failure';
import { formatBytes } from './format';

/** Says what to do next in a failure that comes from the key or from a limit. Returns any other failure unchanged. */
export function explainLimits(failure: Failure): Failure {
  const { limit, actual, path, plan, requiredScope } = (failure.details ?? {}) as Record<string, unknown>;
  const isCounted = typeof limit === 'number' && typeof actual === 'number';
  // The limits of the platform come without a plan.
  const allowed = typeof plan === 'string' ? `the plan "${plan}" allows` : 'the service takes at most';
  switch (failure.code) {
    case 'unauthenticated':
      return failure.with({
        nextAction: process.env['DECK_API_KEY']
          ? 'Check DECK_API_KEY, or unset it.'
          : 'Run `deck login` for a new key.',
      });
    case 'permission-denied':
      return typeof requiredScope === 'string' ? failure.with({ nextAction: howToGetScope(requiredScope) }) : failure;
    case 'too-many-files':
      return failure.with({
        message: isCounted ? `The deck has ${actual} files; ${allowed} ${limit}.` : failure.message,
        nextAction: 'For a push, exclude files that the deck does not need with .deckignore. Or change the plan.',
      });
    case 'payload-too-large': {
      if (!isCounted) return failure;
      const what = typeof path === 'string' ? path : 'The deck';
      return failure.with({
        message: `${what} has ${formatBytes(actual)} (${actual} bytes); ${allowed} ${formatBytes(limit)} (${limit}).`,
        nextAction: 'Make it smaller, exclude it with .deckignore, or change the plan.',
      });
    }
    default:
      return failure;
  }
}

function howToGetScope(scope: string): string {
  const login = scope === 'marketplace:publish' ? 'deck login --publish' : 'deck login';
  return process.env['DECK_API_KEY']
    ? `DECK_API_KEY lacks the scope ${scope}: set another key, or unset it and run \`${login}\`.`
    : `Run \`${login}\` for a key with the scope ${scope}.`;
}
