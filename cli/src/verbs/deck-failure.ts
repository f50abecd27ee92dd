import { Failure, isFailure } from '../../../client/src/failure';
import { commandLine } from '../command-line';

/**
 * The answer to a call about a deck. When the service refuses the call, throws what `explain` makes of the error, or
 * else an error that says which deck the call was about.
 */
export async function aboutDeck<T>(
  presentationId: string,
  answer: Promise<T>,
  explain: (error: unknown) => Failure | undefined = () => undefined,
): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw explain(error) ?? explainDeck(error, presentationId);
  }
}

/** Says which deck a call was about, when the service refuses it for the deck. Returns any other error unchanged. */
export function explainDeck(error: unknown, presentationId: string): unknown {
  if (isFailure(error, 'not-found'))
    return error.with({
      message: `The deck ${presentationId} does not exist. It may have been deleted.`,
      nextAction: `\`${commandLine('list')}\` shows your decks.`,
    });
  if (!isFailure(error, 'permission-denied') || isMissingScope(error.details)) return error;
  const isOwners = /owner/.test(error.message);
  return error.with({
    message: isOwners
      ? 'Only the owner of the deck may do that.'
      : `The deck ${presentationId} is not shared with you.`,
    nextAction: `\`${commandLine('list')}\` shows the decks that you own or may edit.`,
  });
}

/** The problem of a field of the request that the service refused, such as `email`; else undefined. */
export function problemOf(error: unknown, field: string): { message: string } | undefined {
  if (!isFailure(error, 'invalid-argument')) return undefined;
  const { errors } = (error.details ?? {}) as { errors?: { location: string; message: string }[] };
  return errors?.find(({ location }) => ['body', 'query'].some((source) => location.startsWith(`${source}.${field}`)));
}

/** A refusal of the service as a failure of the client with its own code and words. */
export function refusal(
  error: unknown,
  message: string,
  { code, nextAction }: { code: string; nextAction?: string },
): Failure {
  const { requestId, status } = isFailure(error) ? error : {};
  return new Failure(message, { code, nextAction, requestId, status, cause: error });
}

/** The failure of a field that the service refuses, in the words of the service; undefined for any other error. */
export function explainField(error: unknown, field: string, code: string): Failure | undefined {
  const problem = problemOf(error, field);
  return problem && refusal(error, problem.message, { code });
}

const isMissingScope = (details: object | undefined) => details !== undefined && 'requiredScope' in details;
