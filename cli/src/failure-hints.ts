import type { Failure } from '../../client/src/failure';
import { formatBytes } from '../../client/src/format';
import { libraryHint } from './library-hints';

/** The option that sets a field of a call. */
const optionOfField = new Map([
  ...['title', 'message', 'description', 'kind', 'slug', 'category', 'interactive', 'version', 'email', 'code'].map(
    (name) => [name, name] as const,
  ),
  ['details', 'message'],
  ['subject', 'subject'],
  ['tags', 'tag'],
  ['techStack', 'stack'],
  ['entryPath', 'entry'],
  ['user.firstName', 'first-name'],
  ['user.lastName', 'last-name'],
  ['company.name', 'company'],
  ['apiKey.name', 'key-name'],
  ['apiKey.expiresInDays', 'expires-in-days'],
]);

/** Names the options and commands of the client in a failure of the service. Returns any other failure unchanged. */
export function addHints(original: Failure): Failure {
  const nextAction = libraryHint(original);
  const failure = nameOptions(nextAction === undefined ? original : original.with({ nextAction }));
  const { limit, actual, path, plan, requiredScope } = (failure.details ?? {}) as Record<string, unknown>;
  const isCounted = typeof limit === 'number' && typeof actual === 'number';
  // The limits of the platform come without a plan.
  const allowed = typeof plan === 'string' ? `the plan "${plan}" allows` : 'the service takes at most';
  switch (failure.code) {
    case 'invalid-argument':
      return failure.with({ nextAction: 'Correct what is named, then run the command again.' });
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
    case 'conflict':
    case 'rate-limited':
      // A limit of the organization.
      return isCounted && typeof plan === 'string'
        ? failure.with({ nextAction: `${failure.nextAction ?? ''} \`deck usage\` shows your limits.`.trim() })
        : failure;
    default:
      return failure;
  }
}

/** Replaces refused fields by the options that set them. A field without an option keeps its name. */
function nameOptions(failure: Failure): Failure {
  const { errors } = (failure.details ?? {}) as { errors?: { location: string; message: string }[] };
  if (!Array.isArray(errors)) return failure;
  const named = errors.map(({ location, message }) => {
    const field = location.replace(/^body\./, '').replace(/\[.*/, '');
    const option = optionOfField.get(field);
    return { location: option === undefined ? location : `--${option}`, message };
  });
  return failure.with({ details: { ...failure.details, errors: named } });
}

function howToGetScope(scope: string): string {
  const login = scope === 'marketplace:publish' ? 'deck login --publish' : 'deck login';
  return process.env['DECK_API_KEY']
    ? `DECK_API_KEY lacks the scope ${scope}: set another key, or unset it and run \`${login}\`.`
    : `Run \`${login}\` for a key with the scope ${scope}.`;
}
