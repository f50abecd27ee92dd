import { randomUUID } from 'node:crypto';
import { Failure, isFailure } from '../../../client/src/failure';
import { count, plain } from '../../../client/src/format';
import type { Contract } from '../../../client/src/service/contract';
import type { DeckService } from '../../../client/src/service/service';
import { commandLine } from '../command-line';
import { aboutDeck, explainField, problemOf, refusal } from './deck-failure';
import { localDay } from '../show-time';

export type DeckInfo = Contract['getSharedPresentationInfo']['answer'];
type Rules = Contract['updateShareToken']['input'];
type Mode = DeckInfo['tokens'][number]['versionMode'];

/** An expired link opens again with a later time, a used-up one with more openings, a revoked one never. */
export type LinkState = 'active' | 'expired' | 'used-up' | 'revoked';

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
  /** Whether readers must know a passcode. */
  hasPasscode: boolean;
  /** How often the link opens; null for any number. */
  maxOpenings: number | null;
  /** The openings since `maxOpenings` was set. */
  openings: number;
  /** The number of addresses and domains that may open the link; null for everybody who has it. */
  allowedEmailCount: number | null;
  notify: Notify;
  /** The link of the recipient of a mail, which is not meant for others. */
  isPersonal?: true;
}

export const notifications = ['first', 'never'] as const satisfies NonNullable<Rules['notify']>[];
type Notify = (typeof notifications)[number];

interface DeckId {
  presentationId: string;
  /** The words that name the deck in hints. */
  deckWords?: readonly string[] | undefined;
}

const CALLS_AT_ONCE = 4;

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

/** An admin key is not told the rules of a link. */
const linkOf = (token: DeckInfo['tokens'][number]): Link => ({
  id: token.tokenId,
  name: token.name,
  pinnedVersion: pinnedVersionOf(token.versionMode),
  state: token.revoked ? 'revoked' : token.state === undefined || token.state === 'open' ? 'active' : token.state,
  expiresAt: token.expiresAt ?? null,
  revokedAt: token.revokedAt,
  createdAt: token.createdAt,
  views: token.accessCount,
  lastOpenedAt: token.lastAccessedAt,
  shareUrl: token.shareUrl,
  shortUrl: token.shortUrl ?? null,
  hasPasscode: token.hasPasscode ?? false,
  maxOpenings: token.maxOpenings ?? null,
  openings: token.openings ?? 0,
  allowedEmailCount: token.allowedEmailCount ?? null,
  notify: token.notify ?? 'never',
  ...(token.isPersonal && { isPersonal: true }),
});

/** What the owner of a link sets. An absent rule of a link stays, or is off for a new link. */
export interface LinkRules {
  /** When the link stops opening; null for never. */
  expires?: Date | null | undefined;
  short?: boolean | undefined;
  /** What readers must know; null for nothing. */
  passcode?: string | null | undefined;
  /** How often the link opens; null for any number. */
  maxOpenings?: number | null | undefined;
  /** The addresses, and domains such as `@example.com`, that may open the link; null for everybody who has it. */
  allow?: readonly string[] | null | undefined;
  notify?: Notify | undefined;
}

/** The rules as the service takes them. */
export const inputOf = ({ expires, allow, short, passcode, maxOpenings, notify }: LinkRules) => ({
  expiresAt: expires && expires.toISOString(),
  allowedEmails: allow && [...allow],
  short,
  passcode,
  maxOpenings,
  notify,
});

/** The failure of a rule that the service refuses; undefined for any other error. */
export function explainRule(error: unknown): Failure | undefined {
  for (const [field, code] of Object.entries(codesOfFields)) {
    const failure = explainField(error, field, code);
    if (failure) return failure;
  }
  return undefined;
}

const codesOfFields = {
  expiresAt: 'wrong-time',
  passcode: 'wrong-passcode',
  maxOpenings: 'wrong-number',
  allowedEmails: 'wrong-address',
};

/** The links with the addresses and domains that may open each of them; null for everybody who has the link. */
export async function withReaders(
  service: DeckService,
  presentationId: string,
  links: readonly Link[],
): Promise<(Link & { allowedEmails: string[] | null })[]> {
  const readers = new Map<string, string[] | null>();
  const gated = links.filter(({ allowedEmailCount }) => allowedEmailCount !== null);
  const { inParallel } = await import('../../../client/src/parallel.js');
  await inParallel(gated, CALLS_AT_ONCE, async ({ id: tokenId }, signal) => {
    const { allowedEmails } = await service.get('getShareToken', { presentationId, tokenId }, { signal });
    readers.set(tokenId, allowedEmails);
  });
  return links.map((link) => ({ ...link, allowedEmails: readers.get(link.id) ?? null }));
}

type NamedRules = Pick<Link, 'expiresAt' | 'hasPasscode' | 'maxOpenings' | 'openings' | 'allowedEmailCount' | 'notify'>;
type NewLink = DeckId & LinkRules & { name: string; pin?: number | null | undefined };

/** Makes a link to the latest version, or to the version `pin`. */
export async function addLink(
  service: DeckService,
  { presentationId, deckWords, name, pin = null, ...rules }: NewLink,
): Promise<NamedRules & Pick<Link, 'id' | 'name' | 'pinnedVersion' | 'shareUrl' | 'shortUrl'>> {
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
  const { expires, passcode, maxOpenings = null, allow, notify = 'never' } = rules;
  const told = { expiresAt: expires?.toISOString() ?? null, maxOpenings, openings: 0, notify };
  const gate = { hasPasscode: typeof passcode === 'string', allowedEmailCount: allow?.length ?? null };
  return { id: made.tokenId, name: name.trim(), pinnedVersion: pin, ...told, ...gate, shareUrl, shortUrl };
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
  { presentationId, deckWords, link, name, ...rules }: NamedLink & LinkRules & { name?: string | undefined },
): Promise<Link> {
  const { id } = await findLink(service, { presentationId, deckWords, link }, 'also-revoked');
  const input = { presentationId, tokenId: id, name, ...inputOf(rules) };
  return linkOf(
    await aboutDeck(
      presentationId,
      service.post('updateShareToken', input, { idempotencyKey: randomUUID() }),
      (error) =>
        isFailure(error, 'conflict')
          ? revokedFailure(link, deckWords)
          : (explainField(error, 'name', 'wrong-name') ?? explainRule(error)),
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
 * The link with this id, or with this name: the only active one, or else the only one that is not revoked. Refuses a
 * name that several of them have, and a revoked link unless `also-revoked` is given.
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
  const usable = active.length > 0 ? active : named.filter(({ state }) => state !== 'revoked');
  if (usable.length > 1) throw ambiguousFailure(link, usable);
  const found = usable[0] ?? named.at(-1);
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
  const rule = explainRule(error);
  if (rule) return rule;
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
