/** The client library of the presentation service for browsers. */
export { Failure, isFailure } from './failure';
export type { Contract } from './service/contract';
export { listDecks, type DeckRow } from './service/decks';
export { FetchTransport } from './service/fetch-transport';
export { DeckService, type GetOptions, type PostOptions, type ServiceOptions } from './service/service';
export type { Incoming, Outgoing, Transport } from './service/transport';
