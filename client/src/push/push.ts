import type { HashedFile } from '../folder/hash';
import { refuseUnfinished } from '../pull/pull-state';
import type { Reporter } from '../reporter';
import type { DeckService } from '../service/service';
import { openSource } from './open-source';
import { tellMerged } from './tell-merged';
import { pushFiles, type FilesOutcome, type FilesRequest, type FinishedPush, type NoDryRun } from './push-files';

/** A folder, and the deck that it becomes a version of. */
export interface PushRequest extends FilesRequest<HashedFile> {
  /** The folder, or an HTML file, a zip archive, a PDF or a picture. */
  folder: string;
}

/** What a push of a folder did. */
export type PushOutcome = FilesOutcome<HashedFile>;

/** Pushes a folder. Throws `file-changed` when a file changed meanwhile: then the same request may be pushed again. */
export function push(
  service: DeckService,
  request: PushRequest & NoDryRun,
  reporter?: Reporter,
): Promise<FinishedPush<HashedFile>>;
export function push(service: DeckService, request: PushRequest, reporter?: Reporter): Promise<PushOutcome>;
export async function push(service: DeckService, request: PushRequest, reporter: Reporter = {}): Promise<PushOutcome> {
  const { folder, ...rest } = request;
  await refuseUnfinished(folder);
  const { source, close } = await openSource(folder);
  try {
    const outcome = await pushFiles(service, source, rest, reporter);
    const merged = request.remembered?.merged;
    return outcome.status === 'planned' || !merged ? outcome : await tellMerged(service, outcome, merged, reporter);
  } finally {
    await close();
  }
}
