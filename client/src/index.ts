/** The client library of the presentation service. */
export { readDeckFile, writeDeckFile, type DeckFile } from './deck-file';
export { download, type DownloadOutcome, type DownloadRequest } from './download/download-deck';
export { Failure, isFailure } from './failure';
export type { FolderFile, HashedFile } from './folder/hash';
export type { Warning } from './inspection/warning';
export { pull, type PullOutcome, type PullRequest } from './pull/pull';
export type { ChangedFile } from './pull/three-way';
export { push, type PushOutcome, type PushRequest } from './push/push';
export type { FinishedPush, PlannedPush, PushOptions } from './push/push-files';
export type { SessionStore, UploadSession } from './push/session-store';
export type { Destination } from './push/upload-target';
export type { Amount } from './pushed-file';
export type { Reporter, Stage } from './reporter';
export type { Contract } from './service/contract';
export { listDecks, type DeckRow } from './service/decks';
export { NodeDeckService as DeckService } from './service/node-service';
export type { Asking, CallOf, GetOptions, PostOptions, ServiceOptions } from './service/service';
export type { Incoming, Outgoing, Transport } from './service/transport';
