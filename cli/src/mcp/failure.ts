import type { Failure } from '../../../client/src/failure';

/**
 * Whether an error is a failure of the client, with this code if one is named. It is told by its name: the class is in
 * the other file of the package, and a copy of it would be another class.
 */
export function isFailure(error: unknown, code?: string): error is Failure {
  return error instanceof Error && error.name === 'Failure' && (code === undefined || (error as Failure).code === code);
}

/** A failure of a tool itself. */
export function failure(message: string, { code, nextAction }: Pick<Failure, 'code' | 'nextAction'>): Error {
  return Object.assign(new Error(message), { name: 'Failure', code, nextAction });
}
