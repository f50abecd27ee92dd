import {
  pushFiles as pushSource,
  type FilesOutcome,
  type FilesRequest,
  type FinishedPush,
  type NoDryRun,
} from '../push/push-files';
import type { Reporter } from '../reporter';
import type { DeckService } from '../service/service';
import { browserSource, type BrowserSource } from './browser-source';
import type { HashedBrowserFile } from './files';

/** Files that a page was given, and the deck that they become a version of. */
export interface PushRequest extends Omit<FilesRequest<HashedBrowserFile>, 'illustrator'>, BrowserSource {
  /** Ends the push when it aborts. Files that were sent are not sent again by the next push. */
  signal?: AbortSignal | undefined;
}

export type PushOutcome = FilesOutcome<HashedBrowserFile>;

/** Pushes the files. Throws `file-changed` when a file changed meanwhile: then the page needs the files again. */
export function pushFiles(
  service: DeckService,
  request: PushRequest & NoDryRun,
  reporter?: Reporter,
): Promise<FinishedPush<HashedBrowserFile>>;
export function pushFiles(service: DeckService, request: PushRequest, reporter?: Reporter): Promise<PushOutcome>;
export function pushFiles(service: DeckService, request: PushRequest, reporter: Reporter = {}): Promise<PushOutcome> {
  const { name, files, refused, makeWorker, signal, ...rest } = request;
  const source = browserSource({ name, files, makeWorker, ...(refused && { refused }) }, signal);
  return pushSource(signal ? service.withSignal(signal) : service, source, rest, reporter);
}
