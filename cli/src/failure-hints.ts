import type { Failure } from '../../client/src/failure';
import { formatBytes } from '../../client/src/format';
import { commandLine } from './command-line';
import { libraryHint } from './library-hints';
import { namesApi, serviceWords, wordsOfField } from './service-words';

type Details = Record<string, unknown>;

/**
 * A failure in the words of the client: its options and commands instead of the fields and calls of the service. What a
 * command has said itself (`failure.with`) stays.
 */
export function addHints(original: Failure): Failure {
  const ofLibrary = libraryHint(original);
  const failure = nameFields(ofLibrary === undefined ? original : original.with({ nextAction: ofLibrary }));
  const words = Object.hasOwn(serviceWords, failure.code)
    ? serviceWords[failure.code as keyof typeof serviceWords]
    : undefined;
  if (!words) return quoteService(failure);
  const details = (failure.details ?? {}) as Details;
  const { message, nextAction } = { ...failure, message: failure.message };
  const counted = failure.reworded.has('message') ? undefined : exceededLimit(failure.code, details);
  const isOwn = failure.reworded.has('message') || failure.status === undefined;
  const ofWords = typeof words.message === 'function' ? words.message(details) : words.message;
  const plainMessage = ofWords ?? (namesApi(message) ? 'The service refused the request.' : message);
  const said = typeof words.nextAction === 'function' ? words.nextAction(details) : words.nextAction;
  const isFine = failure.status === undefined || (words.isFallback && isAdvice(nextAction ?? ''));
  const hint = isFine ? (nextAction ?? said) : said;
  return failure.with({
    message: counted ?? (isOwn ? message : plainMessage),
    nextAction: failure.reworded.has('nextAction') ? (nextAction ?? said) : withUsage(hint, failure.code, details),
  });
}

/**
 * A failure with a code that this client does not know. A hostile service could name a command to run, so that its next
 * action is shown as its words.
 */
function quoteService(failure: Failure): Failure {
  const { status, nextAction, reworded } = failure;
  if (status === undefined || nextAction === undefined || reworded.has('nextAction')) return failure;
  return failure.with({ nextAction: `The service says: ${nextAction}` });
}

/** Whether a next action of the service is a sentence: it names no call, no command and no address. */
function isAdvice(text: string): boolean {
  return !namesApi(text) && /^[\w ,.;:'()=-]*$/.test(text) && !/:\S/.test(text);
}

/** A limit of the organization: `deck usage` shows it. */
function withUsage(nextAction: string, code: string, { limit, actual, plan }: Details): string {
  if (code !== 'conflict' && code !== 'rate-limited') return nextAction;
  const isLimit = typeof limit === 'number' && typeof actual === 'number' && typeof plan === 'string';
  return isLimit ? `${nextAction} \`${commandLine('usage')}\` shows your limits.` : nextAction;
}

/** The message of a limit with its numbers. The limits of the platform come without a plan. */
function exceededLimit(code: string, { limit, actual, path, plan }: Details): string | undefined {
  if (typeof limit !== 'number' || typeof actual !== 'number') return undefined;
  const allowed = typeof plan === 'string' ? `the plan "${plan}" allows` : 'the service takes at most';
  if (code === 'too-many-files') return `The deck has ${actual} files; ${allowed} ${limit}.`;
  if (code !== 'payload-too-large') return undefined;
  const what = typeof path === 'string' ? path : 'The deck';
  return `${what} has ${formatBytes(actual)} (${actual} bytes); ${allowed} ${formatBytes(limit)} (${limit}).`;
}

/** Names the refused fields as the client does. */
function nameFields(failure: Failure): Failure {
  const { errors } = (failure.details ?? {}) as { errors?: { location: string; message: string }[] };
  if (!Array.isArray(errors)) return failure;
  // The message of the failure says it already.
  if (errors.length === 1 && errors[0]?.message === failure.message) {
    const { errors: _errors, ...details } = failure.details as Details;
    return failure.with({ details });
  }
  const named = errors.map(({ location, message }: { location?: string; message?: string }) => ({
    location: wordsOfField(String(location)),
    message: namesApi(String(message)) ? 'The service does not accept this value.' : message,
  }));
  return failure.with({ details: { ...failure.details, errors: named } });
}
