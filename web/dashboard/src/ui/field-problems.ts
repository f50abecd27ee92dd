import { Failure } from '../service';
import { problemText } from '../words/failures';

/** What the service says about fields of the input, by their names: `body.allowedEmails[3]` is of `allowedEmails`. */
export function fieldProblems(failure: unknown): Record<string, string> {
  const { errors } = ((failure instanceof Failure && failure.details) || {}) as { errors?: unknown };
  if (!Array.isArray(errors)) return {};
  const named = (errors as { location?: unknown; message?: unknown }[]).flatMap(({ location, message }) => {
    const field = /^body\.(\w+)/.exec(String(location))?.[1];
    return field && typeof message === 'string' ? [[field, problemText(message)] as const] : [];
  });
  // The first problem of a field is the one to mend first.
  return Object.fromEntries(named.toReversed());
}
