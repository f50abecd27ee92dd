import type { HashedFile } from '../folder/hash';
import { refuseUnfinished } from '../pull/pull-state';
import type { Reporter } from '../reporter';
import type { DeckService } from '../service/service';
import { folderSource } from './folder-source';
import { pushFiles, type FilesOutcome, type FilesRequest } from './push-files';

/** A folder, and the deck that it becomes a version of. */
export interface PushRequest extends FilesRequest<HashedFile> {
  folder: string;
}

/** What a push of a folder did. */
export type PushOutcome = FilesOutcome<HashedFile>;

/** Pushes a folder. Throws `file-changed` when a file changed meanwhile: then the same request may be pushed again. */
export async function push(service: DeckService, request: PushRequest, reporter: Reporter = {}): Promise<PushOutcome> {
  const { folder, ...rest } = request;
  await refuseUnfinished(folder);
  return pushFiles(service, folderSource(folder), rest, reporter);
}
