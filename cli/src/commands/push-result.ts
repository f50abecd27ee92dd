import { changeDeckFile } from '../../../client/src/deck-file';
import { sumFiles, type PushedFile } from '../../../client/src/pushed-file';
import { count, formatBytes, plain } from '../../../client/src/format';
import type { FinishedPush, PlannedPush } from '../../../client/src/push/push-files';
import type { Destination } from '../../../client/src/push/upload-target';
import { rememberFolder } from '../known-folders';
import { rememberOrWarn } from '../remember';
import type { Terminal } from '../terminal';
import { uploadSessions } from '../upload-sessions';

/** A folder that was pushed, and what the next push of it must know. */
interface PushedDeck {
  folder: string;
  baseUrl: string;
  title: string | undefined;
}

/** Stores the deck of the folder for the next push. */
export async function storePushed(
  { folder, baseUrl, title }: PushedDeck,
  { presentationId, version, entryPath, untold }: FinishedPush<PushedFile>,
  terminal: Terminal,
): Promise<void> {
  const deckFile = changeDeckFile(folder, (file) => {
    const isSameDeck = file?.baseUrl === baseUrl && file.presentationId === presentationId;
    const listing = isSameDeck ? file.listing : undefined;
    return { presentationId, baseUrl, version, entryPath, title, listing, merged: untold };
  });
  await rememberOrWarn(deckFile, terminal, `Next time, push the folder with --deck ${presentationId}.`);
  await rememberFolder({ folder, baseUrl, presentationId }, terminal);
  await rememberOrWarn(uploadSessions(folder, baseUrl).remove(), terminal);
}

/** Shows what a push did. */
export function showPushed(
  { status, version, uploaded, picture, changes }: FinishedPush<PushedFile>,
  title: string | undefined,
  terminal: Terminal,
): void {
  const { bold, green } = terminal.colors;
  const name = title === undefined ? '' : ` of ${bold(plain(title))}`;
  if (status === 'unchanged')
    return terminal.say(
      `${green('✓')} Nothing changed since version ${version}${name}: nothing was uploaded, and there is no new version.`,
    );
  if (uploaded.files === 0) terminal.say('Nothing had to be uploaded');
  if (picture === 'drawn') terminal.say('Drew the first slide for link previews');
  terminal.say(`${green('✓')} Pushed version ${bold(String(version))}${name}`);
  if (changes && changes.removed > 0)
    terminal.say(`  Removed ${count(changes.removed, 'file')} of the previous version, and changed ${changes.changed}`);
  if (picture === 'kept') terminal.say('  It keeps the picture that an earlier push drew for link previews');
}

/** The JSON document of a push. */
export function answerOf(outcome: FinishedPush<PushedFile>, title: string | undefined, shareUrl: string | undefined) {
  const { status, presentationId, version, entryPath, files, uploaded, picture, warnings } = outcome;
  const { files: fileCount, bytes: totalBytes } = sumFiles(files);
  const deck = { presentationId, version, shareUrl, title, entryPath, fileCount, totalBytes };
  return { status, ...deck, uploaded, picture, warnings };
}

const SHOWN_FILES = 20;

/** Shows what a push would do. */
export function showPlan(
  { version, title, entryPath, files, uploaded, changes, presentationId, picture, warnings }: PlannedPush<PushedFile>,
  destination: Destination,
  terminal: Terminal,
): void {
  const name = title === undefined ? '' : ` "${title}"`;
  const what = destination.kind === 'new-deck' ? `the new deck${name}` : `version ${version}${name && ` of${name}`}`;
  terminal.say(
    `A push would make ${what} and upload ${count(uploaded.files, 'file')} (${formatBytes(uploaded.bytes)})`,
  );
  if (changes)
    terminal.say(
      `  ${changes.added} added, ${changes.changed} changed, ${changes.removed} removed, ${changes.unchanged} unchanged`,
    );
  if (picture === 'drawn') terminal.say('  It would try to draw the first slide for link previews');
  const shown = files.slice(0, SHOWN_FILES);
  for (const { path, sizeBytes } of shown) terminal.say(`  ${formatBytes(sizeBytes).padStart(8)}  ${path}`);
  if (files.length > shown.length) terminal.say(`  … and ${count(files.length - shown.length, 'more file')}`);
  const list = files.map(({ path, sizeBytes, sha256, contentType }) => ({
    path,
    size: sizeBytes,
    sha256,
    contentType,
  }));
  terminal.answer({
    status: 'planned',
    presentationId,
    version,
    title,
    entryPath,
    toUpload: uploaded,
    changes,
    picture,
    warnings,
    files: list,
  });
}
