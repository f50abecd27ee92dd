import type { DeckService } from '../../client/src/service/service';
import type { DeckFile } from '../../client/src/deck-file';
import { resolveAddress, type Address, type AddressOptions } from './address';
import { connect } from './connect';
import { confirmFolder } from './confirm-folder';
import { findKey, requireKey } from './keys';
import { requirePushedDeck } from './pushed-deck';
import { isDeckId } from './deck-id';
import type { Terminal } from './terminal';

/** The options that every command has. */
export type CommonOptions = AddressOptions;

/** A service to which the user is signed in. */
export interface Session {
  service: DeckService;
  baseUrl: string;
}

/** A deck that a command names. */
export interface DeckSession extends Session {
  presentationId: string;
  /** The pushed folder of the deck, when the command names a folder. */
  pushed: { folder: string; deckFile: DeckFile } | undefined;
}

/**
 * Runs `work` with the service that the options name, and closes the connections. Throws `not-signed-in` without a key.
 */
export async function withSession<T>(
  options: CommonOptions,
  terminal: Terminal,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const address = await resolveAddress(options);
  return atAddress(address, terminal, work, requireKey(address, terminal));
}

/** The same for calls that need no key. They are sent with the key of the user if there is one. */
export async function withService<T>(
  options: CommonOptions,
  terminal: Terminal,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const address = await resolveAddress(options);
  return atAddress(address, terminal, work, findKey(address, terminal));
}

/**
 * The same for a deck: `target` is the id of a deck or a folder that was pushed. An id is never a folder: a folder with
 * such a name is `./<id>`. Throws `not-pushed` when it is neither.
 */
export async function withDeck<T>(
  target: string,
  options: CommonOptions,
  terminal: Terminal,
  work: (deck: DeckSession) => Promise<T>,
): Promise<T> {
  if (isDeckId(target))
    return withSession(options, terminal, (session) => work({ ...session, presentationId: target, pushed: undefined }));
  const { folder, deckFile, address } = await requirePushedDeck(target, options);
  const { presentationId } = deckFile;
  const inDeck = (session: Session) => work({ ...session, presentationId, pushed: { folder, deckFile } });
  return atAddress(address, terminal, inDeck, requireKey(address, terminal));
}

/**
 * The same for a command that changes the deck. It asks first when this computer has not pushed the deck from the
 * folder; without a terminal, the user names the deck by its id.
 */
export async function changeDeck<T>(
  target: string,
  options: CommonOptions,
  terminal: Terminal,
  work: (deck: DeckSession) => Promise<T>,
): Promise<T> {
  return withDeck(target, options, terminal, async (deck) => {
    const { service, baseUrl, presentationId, pushed } = deck;
    const otherwise = `If you mean this deck, name its id instead of the folder: ${presentationId}`;
    if (pushed) await confirmFolder(service, { folder: pushed.folder, baseUrl, presentationId }, otherwise, terminal);
    return work(deck);
  });
}

async function atAddress<T>(
  { baseUrl }: Address,
  terminal: Terminal,
  work: (session: Session) => Promise<T>,
  key: string | undefined,
): Promise<T> {
  const service = connect(baseUrl, terminal, key);
  try {
    return await work({ service, baseUrl });
  } finally {
    service.close();
  }
}
