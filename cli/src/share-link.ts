import { join } from 'node:path';
import { changeSecretJson, readJson } from '../../client/src/json-file';
import type { FinishedPush } from '../../client/src/push/push-files';
import type { PushedFile } from '../../client/src/pushed-file';
import type { DeckService } from '../../client/src/service/service';
import { configFolder, servesOthers } from './config-folder';
import { deckKey, type DeckPlace } from './deck-id';
import { rememberOrWarn } from './remember';
import type { Terminal } from './terminal';
import { linkToHandOut, readDeckState, type DeckState, type HandedOut, type Wish } from './verbs/open-link';

/**
 * Share links are secrets: everyone who has a link can see the deck. They are stored in the user's config folder and
 * never in the pushed folder, which may be committed or published. A process that serves others stores none.
 */
type LinkFile = Record<string, string>;

const linksPath = () => join(configFolder(), 'links.json');

/**
 * The link of the deck that this computer handed out last, for commands that cannot reach the service. A file that
 * cannot be read has none.
 */
export async function rememberedLink(deck: DeckPlace): Promise<string | undefined> {
  if (servesOthers()) return undefined;
  return (await readJson<LinkFile>(linksPath()).catch(() => undefined))?.[deckKey(deck)];
}

export async function rememberLink(deck: DeckPlace, shareUrl: string, terminal: Terminal): Promise<void> {
  if (servesOthers()) return;
  const key = deckKey(deck);
  const work = changeSecretJson<LinkFile>(linksPath(), (links = {}) =>
    links[key] === shareUrl ? links : { ...links, [key]: shareUrl },
  );
  await rememberOrWarn(work, terminal);
}

/** Forgets the link of a deck that opens nothing any more. With `shareUrl`, only if it is that link. */
export async function forgetLink(deck: DeckPlace, terminal: Terminal, shareUrl?: string | null): Promise<void> {
  if (servesOthers()) return;
  const work = changeSecretJson<LinkFile>(linksPath(), (links) => {
    const { [deckKey(deck)]: link, ...others } = links ?? {};
    return link === undefined || (shareUrl !== undefined && link !== shareUrl) ? links : others;
  });
  await rememberOrWarn(work, terminal);
}

/** Chooses the link of a deck that a command hands out, and remembers it. */
export async function handOutLink(
  deck: DeckPlace,
  state: DeckState,
  wish: Omit<Wish, 'remembered'>,
  terminal: Terminal,
): Promise<HandedOut> {
  const handedOut = linkToHandOut(state, { ...wish, remembered: await rememberedLink(deck) });
  const { shareUrl, notices } = handedOut;
  if (shareUrl !== undefined) await rememberLink(deck, shareUrl, terminal);
  else if (notices.some(({ code }) => code === 'no-link')) await forgetLink(deck, terminal);
  return handedOut;
}

/** The state of the deck, or why the service does not tell it. Never rejects: the push works without it. */
export async function askState(service: DeckService, id: string, signal?: AbortSignal): Promise<DeckState | Error> {
  return readDeckState(service, id, signal).catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  );
}

/**
 * The link to hand out after a push, and what the user must know about it. `before` is the state of the deck from
 * before the push, or why it is not known; undefined for a new deck.
 */
export async function linkAfterPush(
  service: DeckService,
  {
    baseUrl,
    deckWords,
    before,
  }: { baseUrl: string; deckWords: readonly string[]; before: DeckState | Error | undefined },
  { status, presentationId, version, shareUrl: told, isLinkKnown }: FinishedPush<PushedFile>,
  terminal: Terminal,
): Promise<HandedOut> {
  const committed = isLinkKnown ? told : undefined;
  const deck = { baseUrl, presentationId };
  // A new deck has one link, which nobody can have revoked yet.
  if (before === undefined && committed) {
    await rememberLink(deck, committed, terminal);
    return { shareUrl: committed, notices: [] };
  }
  const state = before ?? (await askState(service, presentationId));
  if (state instanceof Error) {
    const message = `${state.message} The service did not say whether the link opens.`;
    const shareUrl = committed ?? (await rememberedLink(deck));
    return { shareUrl, notices: [{ code: 'link-not-checked', message }] };
  }
  // The link in the answer of the commit is newer than the state.
  const newer = before !== undefined && status === 'pushed' ? { committed } : {};
  return handOutLink(deck, { ...state, version }, { ...newer, deckWords }, terminal);
}
