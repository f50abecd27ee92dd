import { BackendTimeout } from '../deadlines';

/** What the errors of the database say about a write. */

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;
const hasCode = (code: number) => (error: unknown) => codeOf(error) === code;

/** INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION and OUT_OF_RANGE of gRPC. */
const refusals = new Set<unknown>([3, 5, 6, 9, 11]);

/** Whether the database refused a call because of one of its documents, and did nothing. */
export const isRefusal = (error: unknown): boolean => !(error instanceof BackendTimeout) && refusals.has(codeOf(error));
/** Whether a write met other writers of the same document (gRPC ABORTED). The database has not applied it. */
export const isContention = hasCode(10);
/** Whether the database has not applied a write. */
export const isUnapplied = (error: unknown): boolean => isRefusal(error) || isContention(error);
/** Whether a write is refused as it is, such as one above 10 MiB (gRPC INVALID_ARGUMENT). */
export const isInvalid = hasCode(3);
/** Whether a `create` found an existing document (gRPC ALREADY_EXISTS). */
export const isAlreadyExists = hasCode(6);
/** Whether a write found another state of its document than it needs: none, another one, or a newer one. */
export const isOutdated = (error: unknown): boolean => isRefusal(error) && outdated.has(codeOf(error));
const outdated = new Set<unknown>([5, 6, 9]);
/** Whether an `update`, or a `delete` with a precondition, found no document (gRPC NOT_FOUND). */
export const isNotFound = hasCode(5);
