/** Data on disk that cannot be used as it is. The message is one sentence that names the file. */
export class DamagedData extends Error {}

/** A write that the disk refused. Nothing of it is stored. The same write succeeds when the disk has space again. */
export class DiskError extends Error {}

/** LMDB's MDB_PANIC. */
const PANIC = -30_795;
const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** What a person can do about damage. */
export const RECOVERY =
  '`npm start -- --check` lists all damage. Restore the data folder from a copy, or delete it to start without data.';

/** Returns a DiskError for a file operation that failed because the disk is full, any other error unchanged. */
export function asDiskError(error: unknown): unknown {
  const isFull = error instanceof Error && fullCodes.has(String((error as NodeJS.ErrnoException).code));
  return isFull ? diskError(error) : error;
}

function diskError(cause: unknown): DiskError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  // LMDB refuses every write after it could not write its header pages, which exist already on most file systems.
  const remedy = (cause as { code?: unknown }).code === PANIC ? 'restart the local cloud' : 'try again';
  return new DiskError(`The data folder's disk refused a write (${reason}). Free disk space, then ${remedy}.`, {
    cause,
  });
}

/**
 * Returns a DiskError for a write that LMDB could not finish, any other error unchanged. An error of LMDB has a number
 * as its code.
 */
export function writeError(error: unknown): unknown {
  return typeof (error as { code?: unknown }).code === 'number' ? diskError(error) : error;
}
