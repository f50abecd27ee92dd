import { basename } from 'node:path';
import type { DeckFile } from '../deck-file';
import type { Failure } from '../failure';
import { isFailure } from '../failure';
import { findEntry } from '../folder/entry';
import type { HashedFile } from '../folder/hash';
import { hashFiles } from '../folder/hash';
import { scanFolder } from '../folder/scan';
import { defaultTitle } from '../folder/title';
import { count, formatBytes } from '../progress';
import type { Service } from '../service/service';
import type { Terminal } from '../terminal';
import type { CommitBody, Preview } from './commit';
import { commit, commitBody, isUnchanged, preview, serverVersionOf } from './commit';
import type { Aim, Target } from './target';
import { findMissing, precheck } from './target';
import { uploadFiles } from './upload';

export interface PushOptions {
  entry?: string;
  title?: string;
  message?: string;
  force?: boolean;
  dryRun?: boolean;
}

export interface PushRequest {
  folder: string;
  baseUrl: string;
  aim: Aim;
  /** What the folder remembers of the deck that is aimed at. */
  remembered: DeckFile | undefined;
  options: PushOptions;
}

export interface PushOutcome {
  status: 'pushed' | 'unchanged' | 'planned';
  presentationId?: string;
  /** The version that was made, that is there already, or that would be made. */
  version: number;
  shareUrl?: string | undefined;
  title?: string | undefined;
  entryPath: string;
  files: HashedFile[];
  uploaded: { files: number; bytes: number };
  changes?: Preview;
}

/**
 * One push: scan, hash, precheck, preview, upload, commit. Throws `file-changed` when the folder did not hold still; the
 * same push may then be made again.
 */
export async function push(service: Service, request: PushRequest, terminal: Terminal): Promise<PushOutcome> {
  const { folder, aim, remembered, options } = request;
  const { files, entryPath } = await readFolder(request, terminal);
  const title = options.title?.trim() ?? (aim.kind === 'new' ? await titleFor(files, entryPath, folder) : undefined);
  const outcome = { title: title ?? remembered?.title, entryPath, files };
  const byHash = new Map(files.map((file) => [file.sha256, file]));
  // Trying out a new deck needs no session, and so no word with the service.
  if (options.dryRun && aim.kind === 'new')
    return { ...outcome, status: 'planned', version: 1, uploaded: sum(byHash.values()) };

  const { target, missing } = await precheck(service, aim, [...byHash.keys()], request);
  const { presentationId } = target;
  const { message, force = false } = options;
  const body = commitBody(target, files, { entryPath, title, message, force });
  const { changes, conflict } = await previewPush(service, target, body);
  const { nextVersion } = changes;
  if (isUnchanged(changes) && isSameOtherwise(request, entryPath)) {
    const nothing = { files: 0, bytes: 0 };
    return { ...outcome, status: 'unchanged', presentationId, version: nextVersion - 1, uploaded: nothing };
  }
  if (conflict) throw conflict;
  const toUpload = [...missing].map((hash) => byHash.get(hash)).filter((file) => file !== undefined);
  const uploaded = sum(toUpload);
  if (options.dryRun) return { ...outcome, status: 'planned', presentationId, version: nextVersion, uploaded, changes };

  await upload(service, target, toUpload, terminal);
  const answer = await commit(service, body).catch(async (error: unknown) => {
    if (!isFailure(error, 'blobs-missing')) throw explain(error, target);
    // The service lost sight of some between the precheck and now: send those, and try once more.
    const lost = await findMissing(service, target, [...byHash.keys()]);
    const again = files.filter((file) => lost.delete(file.sha256));
    await upload(service, target, again, terminal);
    return commit(service, body);
  });
  const { version, shareUrl } = answer;
  return { ...outcome, status: 'pushed', presentationId, version, shareUrl: shareUrl ?? undefined, uploaded };
}

/** Whether title and entry, which a comparison of the files does not see, are what they were. */
function isSameOtherwise({ aim, remembered, options }: PushRequest, entryPath: string): boolean {
  if (aim.kind === 'new') return true; // a deck whose commit was answered to nobody: it was this very push
  const isSameTitle = options.title === undefined || options.title.trim() === remembered?.title;
  return isSameTitle && (remembered ? entryPath === remembered.entryPath : options.entry === undefined);
}

async function readFolder(
  { folder, remembered, options }: PushRequest,
  terminal: Terminal,
): Promise<{ files: HashedFile[]; entryPath: string }> {
  const found = await scanFolder(folder);
  const paths = found.map((file) => file.path);
  const rememberedEntry = remembered && paths.includes(remembered.entryPath) ? remembered.entryPath : undefined;
  const entryPath = findEntry(paths, options.entry ?? rememberedEntry);
  const totalBytes = sum(found).bytes;
  const bar = terminal.progress('Hashing  ', totalBytes);
  const files = await hashFiles(found, (bytes) => bar.advance(bytes));
  terminal.clear();
  terminal.say(
    `Read ${count(files.length, 'file')} (${formatBytes(sum(files).bytes)}) of ${basename(folder)}, opening with ${entryPath}`,
  );
  return { files, entryPath };
}

async function titleFor(files: HashedFile[], entryPath: string, folder: string): Promise<string> {
  const entry = files.find((file) => file.path === entryPath);
  return entry ? defaultTitle(entry.absolutePath, folder) : basename(folder);
}

/**
 * What the commit would do. A conflict is kept back rather than thrown: where the newer version on the service holds
 * exactly these files already (the answer to an earlier push was lost, say), there is nothing to fight over.
 */
async function previewPush(
  service: Service,
  target: Target,
  body: CommitBody,
): Promise<{ changes: Preview; conflict?: Failure }> {
  try {
    return { changes: await preview(service, body) };
  } catch (error) {
    const conflict = explain(error, target);
    if (!isFailure(conflict, 'conflict')) throw conflict;
    return { changes: await preview(service, { ...body, expectedBaseVersion: undefined }), conflict };
  }
}

async function upload(service: Service, target: Target, files: HashedFile[], terminal: Terminal): Promise<void> {
  if (files.length === 0) return;
  const { bytes } = sum(files);
  terminal.interruptHint = 'Run the same command again: what has been uploaded is not sent a second time.';
  const bar = terminal.progress('Uploading', bytes);
  await uploadFiles(service, target, files, (sent) => bar.advance(sent));
  terminal.clear();
  terminal.say(`Uploaded ${count(files.length, 'file')} (${formatBytes(bytes)})`);
}

/** A failure of the commit in the words of somebody who pushes. */
function explain(error: unknown, target: Target): unknown {
  if (!isFailure(error) || target.kind !== 'deck') return error;
  const serverVersion = serverVersionOf(error);
  if (error.code !== 'conflict' || serverVersion === undefined) return error;
  return error.with({
    message: `Version ${serverVersion} of this deck was pushed in the meantime; this folder is based on version ${target.baseVersion}.`,
    nextAction: `Take over what changed there first, or make this folder version ${serverVersion + 1} all the same with --force.`,
  });
}

/** How many files, and how many bytes. */
export function sum(files: Iterable<{ sizeBytes: number }>): { files: number; bytes: number } {
  const total = { files: 0, bytes: 0 };
  for (const { sizeBytes } of files) {
    total.files++;
    total.bytes += sizeBytes;
  }
  return total;
}
