import type { PushOutcome } from '../../../client/src/push/push';
import type { DeckService } from '../../../client/src/service/service';
import { findLink, deleteLink, storeLink } from '../links';
import { linkToHandOut, readDeckState, type DeckState, type LinkNotice } from '../verbs/open-link';
import { deckWords } from './deck-option';

export interface PushedFolder {
  /** The folder as the user named it. */
  folderName: string;
  baseUrl: string;
  /** The state of the deck from before the push, or why it is not known; undefined for a new deck. */
  state: DeckState | Error | undefined;
}

/** The state of the deck, or why the service does not tell it. Never rejects: the push works without it. */
export async function askState(service: DeckService, id: string, signal?: AbortSignal): Promise<DeckState | Error> {
  return readDeckState(service, id, signal).catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  );
}

/**
 * The link to hand out after a push, and what the user must know about it. It is stored for commands that cannot reach
 * the service.
 */
export async function linkAfterPush(
  service: DeckService,
  { folderName, baseUrl, state: before }: PushedFolder,
  { status, presentationId = '', version, shareUrl: committed }: PushOutcome,
): Promise<{ shareUrl: string | undefined; notices: LinkNotice[] }> {
  // A new deck has one link, which nobody can have revoked yet.
  if (before === undefined && committed) {
    await storeLink(baseUrl, presentationId, committed);
    return { shareUrl: committed, notices: [] };
  }
  const remembered = await findLink(baseUrl, presentationId);
  const state = before ?? (await askState(service, presentationId));
  if (state instanceof Error) {
    const message = `${state.message} The service did not tell whether the link opens.`;
    return { shareUrl: committed ?? remembered, notices: [{ code: 'link-not-checked', message }] };
  }
  // The link in the answer of the commit is newer than the state.
  const newer = before !== undefined && status === 'pushed' ? { committed } : {};
  const wish = { remembered, ...newer, deckWords: deckWords(folderName) };
  const { shareUrl, notices } = linkToHandOut({ ...state, version }, wish);
  if (shareUrl !== undefined) await storeLink(baseUrl, presentationId, shareUrl);
  else if (notices.some(({ code }) => code === 'no-link')) await deleteLink(baseUrl, presentationId);
  return { shareUrl, notices };
}
