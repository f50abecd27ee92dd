import { randomUUID } from 'node:crypto';
import { Failure, isFailure } from '../../../client/src/failure';
import { count, plain } from '../../../client/src/format';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import { commandLine } from '../command-line';
import { aboutDeck, explainField, problemOf, refusal } from './deck-failure';
import { localDay } from '../show-time';

export type DeckInfo = Contract['getSharedPresentationInfo']['answer'];
type Mode = DeckInfo['tokens'][number]['versionMode'];

/** An expired link opens again with a later time, a revoked one never. */
export type LinkState = 'active' | 'expired' | 'revoked';

/** A share link as the client shows it. */
export interface Link {
  id: string;
  name: string;
  /** The version that the link opens; null for the latest one. */
  pinnedVersion: number | null;
  state: LinkState;
  revokedAt: string | null;
  /** When the link stops opening. */
  expiresAt: string | null;
  createdAt: string;
  views: number;
  lastOpenedAt: string | null;
  shareUrl: string | null;
  /** The short address, which leads to `shareUrl`. */
  shortUrl: string | null;
  /** The link of the recipient of a mail, which is not meant for others. */
  isPersonal?: true;
}

interface DeckId {
  presentationId: string;
  /** The words that name the deck in hints. */
  deckWords?: readonly string[] | undefined;
}

interface NamedLink extends DeckId {
  /** The name or the id of the link. */
  link: string;
}

/** The deck as its owner sees it. */
export const readInfo = (service: DeckService, presentationId: string, signal?: AbortSignal): Promise<DeckInfo> =>
  aboutDeck(presentationId, service.get('getSharedPresentationInfo', { presentationId }, signal && { signal }));

/** The links of a deck, oldest first, revoked links included. Only for the owner. */
export async function listLinks(
  service: DeckService,
  presentationId: string,
): Promise<{ info: DeckInfo; links: Link[] }> {
  const info = await readInfo(service, presentationId);
  return { info, links: linksOf(info) };
}

export function linksOf({ tokens }: Pick<DeckInfo, 'tokens'>): Link[] {
  return tokens.map(linkOf).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

const linkOf = (token: DeckInfo['tokens'][number]): Link => ({
  id: token.tokenId,
  name: token.name,
  pinnedVersion: pinnedVersionOf(token.versionMode),
  // An admin key is not told the rules of a link.
  state: token.revoked ? 'revoked' : token.state === 'expired' ? 'expired' : 'active',
  expiresAt: token.expiresAt ?? null,
  revokedAt: token.revokedAt,
  createdAt: token.createdAt,
  views: token.accessCount,
  lastOpenedAt: token.lastAccessedAt,
  shareUrl: token.shareUrl,
  shortUrl: token.shortUrl ?? null,
  ...(token.isPersonal && { isPersonal: true }),
});

/** What the owner of a link sets. An absent rule of a link stays, or is off for a new link. */
export interface LinkRules {
  /** When the link stops opening; null for never. */
  expires?: Date | null | undefined;
  short?: boolean | undefined;
}

const inputOf = ({ expires, short }: LinkRules) => ({
  ...(expires !== undefined && { expiresAt: expires?.toISOString() ?? null }),
  ...(short !== undefined && { short }),
});

type NewLink = DeckId & LinkRules & { name: string; pin?: number | null | undefined };

/** Makes a link to the latest version, or to the version `pin`. */
export async function addLink(
  service: DeckService,
  { presentationId, deckWords, name, pin = null, ...rules }: NewLink,
): Promise<Pick<Link, 'id' | 'name' | 'pinnedVersion' | 'expiresAt' | 'shareUrl' | 'shortUrl'>> {
  const input = { presentationId, tokenName: name, versionMode: modeOf(pin), ...inputOf(rules) };
  const made = await aboutDeck(
    presentationId,
    service.post('addPresentationToken', input, { idempotencyKey: randomUUID() }),
    (error) => explainInput(error, pin, deckWords),
  );
  // The answer to a repeated call lacks the address, because it is a secret.
  const { shareUrl, shortUrl = null } =
    made.shareUrl === undefined
      ? await findLink(service, { presentationId, link: made.tokenId }, 'also-revoked')
      : (made as { shareUrl: string; shortUrl?: string });
  const expiresAt = rules.expires?.toISOString() ?? null;
  return { id: made.tokenId, name: name.trim(), pinnedVersion: pin, expiresAt, shareUrl, shortUrl };
}

/** Pins a link to a version, or lets it follow the latest one (`version` null). */
export async function setLinkVersion(
  service: DeckService,
  { version, ...named }: NamedLink & { version: number | null },
): Promise<{ id: string; name: string; pinnedVersion: number | null; servedVersion: number; shareUrl: string | null }> {
  const { presentationId, deckWords, link } = named;
  const { id } = await findLink(service, named);
  const input = { presentationId, tokenId: id, versionMode: modeOf(version) };
  const { name, versionMode, servedVersion, shareUrl } = await aboutDeck(
    presentationId,
    service.post('setTokenVersionMode', input),
    // A conflict means that the link was revoked after the search.
    (error) =>
      isFailure(error, 'conflict') ? revokedFailure(link, deckWords) : explainInput(error, version, deckWords),
  );
  return { id, name, pinnedVersion: pinnedVersionOf(versionMode), servedVersion, shareUrl };
}

/** Changes the name and the rules of a link. Of a revoked one only the name can change. */
export async function updateLink(
  service: DeckService,
  { name, expires, short, ...named }: NamedLink & LinkRules & { name?: string | undefined },
): Promise<Link> {
  const { presentationId, deckWords, link } = named;
  const { id } = await findLink(service, named, 'also-revoked');
  const input = { presentationId, tokenId: id, ...(name !== undefined && { name }), ...inputOf({ expires, short }) };
  return linkOf(
    await aboutDeck(
      presentationId,
      service.post('updateShareToken', input, { idempotencyKey: randomUUID() }),
      (error) =>
        isFailure(error, 'conflict')
          ? revokedFailure(link, deckWords)
          : (explainField(error, 'name', 'wrong-name') ?? explainField(error, 'expiresAt', 'wrong-time')),
    ),
  );
}

/** Revokes a link. `alreadyRevoked` is true when it was revoked before. */
export async function revokeLink(
  service: DeckService,
  named: NamedLink,
): Promise<Pick<Link, 'id' | 'name' | 'shareUrl'> & { alreadyRevoked: boolean; revokedAt: string }> {
  const { presentationId } = named;
  const { id, name, shareUrl } = await findLink(service, named, 'also-revoked');
  const answer = service.post('unsharePresentation', { presentationId, tokenId: id });
  const { revokedTokenIds, revokedAt } = await aboutDeck(presentationId, answer);
  return { id, name, shareUrl, alreadyRevoked: revokedTokenIds.length === 0, revokedAt };
}

/** Revokes all links of a deck. Returns the ids of those that were active. */
export async function revokeAllLinks(service: DeckService, presentationId: string): Promise<string[]> {
  const answer = service.post('unsharePresentation', { presentationId, all: true });
  return (await aboutDeck(presentationId, answer)).revokedTokenIds;
}

/**
 * The link with this id, or the only active link with this name. Refuses a name that several active links have, and a
 * revoked link unless `also-revoked` is given.
 */
export async function findLink(
  service: DeckService,
  { presentationId, deckWords = [], link }: NamedLink,
  which?: 'also-revoked',
): Promise<Link> {
  const { links } = await listLinks(service, presentationId);
  const byId = links.filter(({ id }) => id === link);
  const named =
    byId.length > 0 ? byId : links.filter(({ name }) => name === link || plain(name).trim() === link.trim());
  const active = named.filter(({ state }) => state === 'active');
  if (active.length > 1) throw ambiguousFailure(link, active);
  const found = active[0] ?? named.at(-1);
  if (!found)
    throw new Failure(`The deck has no link "${plain(link)}".`, {
      code: 'no-such-link',
      nextAction: `\`${commandLine('links', ...deckWords)}\` shows the links of a deck.`,
    });
  if (found.state === 'revoked' && which === undefined) throw revokedFailure(link, deckWords);
  return found;
}

/** The failure of a name or of a version that the service refuses. */
function explainInput(error: unknown, version: number | null, deckWords: readonly string[] = []): Failure | undefined {
  const late = explainField(error, 'expiresAt', 'wrong-time');
  if (late) return late;
  if (problemOf(error, 'tokenName'))
    return refusal(error, 'The name of a link has 1 to 255 characters.', { code: 'wrong-name' });
  if (version === null || !problemOf(error, 'versionMode')) return undefined;
  const nextAction = `\`${commandLine('versions', ...deckWords)}\` shows the versions of a deck.`;
  return refusal(error, `The deck has no version ${version}.`, { code: 'no-such-version', nextAction });
}

function ambiguousFailure(link: string, links: readonly Link[]): Failure {
  const lines = links.map(
    ({ id, createdAt, views }) => `  ${id}  made ${localDay(createdAt)}, ${count(views, 'view')}`,
  );
  return new Failure([`${links.length} links have the name "${plain(link)}":`, ...lines].join('\n'), {
    code: 'ambiguous-link',
    nextAction: 'Name the link by its id.',
    details: { links },
  });
}

function revokedFailure(link: string, deckWords: readonly string[] = []): Failure {
  return new Failure(`The link "${plain(link)}" is revoked. A revoked link cannot be used again.`, {
    code: 'revoked-link',
    nextAction: `Make a new one: ${commandLine('links', 'add', '<name>', ...deckWords)}`,
  });
}

const modeOf = (version: number | null): Mode => (version === null ? { type: 'latest' } : { type: 'pinned', version });
const pinnedVersionOf = (mode: Mode) => (mode.type === 'pinned' ? mode.version : null);
