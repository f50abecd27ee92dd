import { z } from 'zod';
import { fail } from '../errors';
import { ATTEMPT_MS, EXPORT_WINDOW_MS, KEPT_MS, MAX_ATTEMPTS, secondsUntilNext } from '../policy/account-exports';
import { newId } from '../values/ids';
import { collection, date, paths } from './collections';
import { idsOf, readIn, type Transaction } from './database';
import { transact } from './transact';

const progress = z.object({ decks: z.number().int(), files: z.number().int(), bytes: z.number().int() });
export type ExportProgress = z.output<typeof progress>;

/** A file of the bucket with a part of an export. */
const exportPart = z.object({ objectName: z.string(), sizeBytes: z.number().int(), sha256: z.string() });
export type ExportPart = z.output<typeof exportPart>;

/** The newest export of an organization. A job makes its parts, and deletes all of them. */
const accountExport = z.object({
  organizationId: z.string(),
  exportId: z.string(),
  /** What changed later is not in the export. */
  requestedAt: date,
  /** The user who is told when it is ready or has failed; null when an operator asked for it. */
  requestedBy: z.string().nullable(),
  status: z.enum(['waiting', 'running', 'ready', 'failed']),
  /** Whether the user knows that it is ready or has failed. */
  isTold: z.boolean(),
  /** When the job has work with it: to begin a part, to tell the user, or to delete it. */
  dueAt: date,
  /** The attempts at the next part that began, also those that ended their process. */
  attempts: z.number().int(),
  /** Where the next part begins: the text of a `Place` of exports/places. Null at the beginning. */
  place: z.string().nullable(),
  /** What the parts have. */
  progress,
  /** The decks of the organization at the request. */
  decks: z.number().int(),
  parts: z.array(exportPart),
  /** When the parts and this record are deleted. Null until all parts are made, or the export has failed. */
  expiresAt: date.nullable(),
});
export type AccountExport = z.output<typeof accountExport>;

export const accountExportRef = (organizationId: string) =>
  collection(paths.accountExports, accountExport).doc(organizationId);

interface ExportRequest {
  organizationId: string;
  requestedBy: string | null;
  decks: number;
}

/** Asks for an export. It takes the place of the last one, whose parts the job deletes. */
export function createExport(tx: Transaction, request: ExportRequest, now: Date): AccountExport {
  const created: AccountExport = {
    ...request,
    exportId: newId(),
    requestedAt: now,
    status: 'waiting',
    isTold: false,
    dueAt: now,
    attempts: 0,
    place: null,
    progress: { decks: 0, files: 0, bytes: 0 },
    parts: [],
    expiresAt: null,
  };
  tx.set(accountExportRef(request.organizationId), created);
  return created;
}

/** rate-limited while the last export is younger than a week, unless it has failed. */
export function assertExportDue(last: AccountExport | undefined, now: Date): void {
  if (last?.status === 'failed') return;
  const retryInSeconds = secondsUntilNext(last?.requestedAt, now);
  if (retryInSeconds > 0) fail('rate-limited', { retryInSeconds, limit: 1, windowSeconds: EXPORT_WINDOW_MS / 1000 });
}

/** The ids of the organizations whose exports the job has work with, the longest due first. */
export const dueExports = (now: Date): AsyncGenerator<{ id: string }> =>
  idsOf(collection(paths.accountExports, accountExport).query().where('dueAt', '<=', now).orderBy('dueAt'));

/**
 * Begins an attempt and returns the export. The next attempt is due when this one must have ended, so of two runs one
 * gets the export. An export of which one part has had all attempts has failed. Undefined when another run has it, and
 * when it is ready or has failed and is not due to be deleted.
 */
export function beginAttempt(organizationId: string, now: Date): Promise<AccountExport | undefined> {
  return transact(async (tx) => {
    const ref = accountExportRef(organizationId);
    const [found] = await readIn(tx, ref);
    if (!found || found.dueAt > now) return undefined;
    const change = { dueAt: new Date(now.getTime() + ATTEMPT_MS), ...begun(found, now) };
    tx.update(ref, change);
    return { ...found, ...change };
  });
}

function begun({ status, attempts }: AccountExport, now: Date): Partial<AccountExport> {
  if (status === 'ready' || status === 'failed') return {};
  if (attempts < MAX_ATTEMPTS) return { status: 'running', attempts: attempts + 1 };
  // Nobody gets the parts that are made: the job deletes them.
  return { status: 'failed', parts: [], expiresAt: new Date(now.getTime() + KEPT_MS) };
}

/**
 * Changes an export and returns the changed one. Undefined when another request took its place, or another run recorded
 * a part or gave the export up: a run that was taken for dead.
 */
function change(
  { organizationId, exportId, status, parts }: AccountExport,
  changes: (found: AccountExport) => Partial<AccountExport>,
): Promise<AccountExport | undefined> {
  return transact(async (tx) => {
    const ref = accountExportRef(organizationId);
    const [found] = await readIn(tx, ref);
    if (found?.exportId !== exportId || found.status !== status || found.parts.length !== parts.length)
      return undefined;
    const changed = changes(found);
    tx.update(ref, changed);
    return { ...found, ...changed };
  });
}

interface MadePart {
  part: ExportPart;
  /** Where the next part begins. */
  place: string;
  progress: ExportProgress;
  isLast: boolean;
}

/**
 * Records a part. The run goes on with the next one. A part that is not recorded is deleted with the export, or by the
 * next one.
 */
export const recordPart = (of: AccountExport, { part, isLast, ...made }: MadePart, now: Date) =>
  change(of, ({ parts }) => ({
    ...made,
    parts: [...parts, part],
    attempts: 1,
    dueAt: new Date(now.getTime() + ATTEMPT_MS),
    ...(isLast && { status: 'ready', expiresAt: new Date(now.getTime() + KEPT_MS) }),
  }));

/**
 * Notes that the user knows that all parts are made, or that the export has failed. The job deletes it when it expires.
 */
export const noteTold = (of: AccountExport) => change(of, ({ expiresAt }) => ({ isTold: true, dueAt: expiresAt! }));

/** Leaves the next part to the next run. */
export const endRun = (of: AccountExport, now: Date) => change(of, () => ({ attempts: 0, dueAt: now }));

/** Deletes the record of an export, whose objects are deleted, unless another request took its place. */
export function deleteExport({ organizationId, exportId }: AccountExport): Promise<void> {
  return transact(async (tx) => {
    const ref = accountExportRef(organizationId);
    const [found] = await readIn(tx, ref);
    if (found?.exportId === exportId) tx.delete(ref);
  });
}
