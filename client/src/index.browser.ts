/** The client library of the presentation service for browsers. */
export type { BrowserFile } from './browser/files';
export { inspectFiles } from './browser/inspect-files';
export { pushFiles, type PushOutcome, type PushRequest } from './browser/push';
export type { Dropped } from './browser/dropped';
export { readDropped, type DropOptions } from './browser/read-dropped';
export { storedSession } from './browser/stored-session';
export { zipOf, type Zip, type ZipRequest } from './browser/zip-of';
export { Failure, isFailure } from './failure';
export { findEntry } from './folder/entry';
export { defaultTitle, HEAD_BYTES } from './folder/title';
export type { ExceededCap } from './inspection/check-caps';
export type { Warning } from './inspection/warning';
export type { PdfTool } from './pdf/read-pdf';
export { isDrawn } from './push/drawn-picture';
export type { FinishedPush, PlannedPush, PushOptions } from './push/push-files';
export { MAX_PICTURES, MAX_PICTURE_BYTES, uploadSlidePictures, type SlidePicture } from './push/slide-pictures';
export type { SessionStore, UploadSession } from './push/session-store';
export type { Destination } from './push/upload-target';
export type { Amount } from './pushed-file';
export type { Reporter, Stage } from './reporter';
export type { Contract } from './service/contract';
export { listDecks, type DeckRow } from './service/decks';
export { BrowserTransport } from './service/browser-transport';
export {
  DeckService,
  type Asking,
  type CallOf,
  type GetOptions,
  type PostOptions,
  type ServiceOptions,
} from './service/service';
export type { Incoming, Outgoing, Transport } from './service/transport';
export { listViews, type View } from './service/views';
