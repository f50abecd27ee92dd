import { z } from 'zod';
import { config, serviceSecrets } from '../config';
import { logWarning } from '../log';
import { isGated } from '../policy/link-gates';
import type { ManifestPointer } from '../policy/manifest';
import { NEVER, notifications } from '../policy/presentation-access';
import { labelOfToken } from '../values/deck-origins';
import { mintShareToken, openShareToken, shareUrl } from '../values/share-tokens';
import { hashOfCode, mintCode, openCode, shortUrl } from '../values/short-codes';
import { collection, collectionGroup, date, paths } from './collections';
import type { Transaction } from './database';
import { hashesOf, storeReaders, type AdmittedReaders } from './link-readers';
import { manifestPointer, type TokenLink } from './presentations';

/**
 * A share token. It holds a hash and a sealed copy, not the raw token. It has all rules of the link, so that a request
 * of a viewer reads no further document for them.
 */
export const shareToken = z.object({
  tokenId: z.string(),
  /** The first label of the host on which the link opens its deck. */
  label: z.string(),
  name: z.string(),
  hash: z.string(),
  sealed: z.string(),
  /** The version to which the token is pinned; null to follow the latest version. */
  pinned: manifestPointer.nullable(),
  createdAt: date,
  createdBy: z.string(),
  /** Created for a mail that the provider has not accepted yet. */
  isHeld: z.boolean(),
  revokedAt: date.nullable(),
  /** When the link stops opening; `NEVER` of policy/presentation-access when it does not. */
  expiresAt: date,
  /** The code of the short address, as a hash and a sealed copy; null without one. */
  short: z.object({ hash: z.string(), sealed: z.string() }).nullable(),
  /** Whether the token is that of the recipient of a mail: its first name is an address. */
  isForRecipient: z.boolean(),
  /** The address to which the link was mailed; null for all others, and when its reader was forgotten. */
  recipient: z.string().nullable(),
  /** See values/passcodes. */
  passcode: z.object({ id: z.string(), salt: z.string(), hash: z.string() }).nullable(),
  /** The most openings; null for any number. */
  maxOpenings: z.number().int().nullable(),
  /** The openings since `maxOpenings` was set, without those of the owner and the devs. */
  openings: z.number().int(),
  /**
   * The keyed hashes of the addresses and domains that the link admits; null for everybody. See records/link-readers.
   */
  readers: z.array(z.string()).nullable(),
  /** Whether one of the three rules above is set. A list of decks prefers a link without a gate. */
  isGated: z.boolean(),
  notify: z.enum(notifications),
  /** When the owner was told of the first view since `notify` was set; null before it. */
  noticedAt: date.nullable(),
});
export type ShareToken = z.output<typeof shareToken>;

export const shareTokenRef = (presentationId: string, tokenId: string) =>
  collection(paths.shareTokens(presentationId), shareToken).doc(tokenId);

/** The rules that the owner of a link sets. */
export interface LinkRules extends Pick<ShareToken, 'expiresAt' | 'passcode' | 'maxOpenings' | 'notify'> {
  readers: AdmittedReaders | null;
  hasShort: boolean;
}

/** The rules of a link that opens for everybody who has it. */
export const openRules: LinkRules = {
  expiresAt: NEVER,
  passcode: null,
  maxOpenings: null,
  readers: null,
  notify: 'never',
  hasShort: false,
};

interface NewToken {
  name: string;
  /** The version to which the token is pinned, or null to follow the latest version. */
  pinned: ManifestPointer | null;
  rules: LinkRules;
  createdBy: string;
  createdAt: Date;
  isHeld?: boolean;
}

/** Creates a token. The raw token is returned only here. Only records/share-links calls this function. */
export function createShareToken(
  tx: Transaction,
  presentationId: string,
  { isHeld = false, rules: { hasShort, readers: admitted, ...rules }, ...of }: NewToken,
): { token: string; created: ShareToken } {
  const { token, stored } = mintShareToken(serviceSecrets.current(), presentationId);
  const { tokenId } = stored;
  const readers = admitted && hashesOf(admitted, tokenId);
  if (admitted) storeReaders(tx, presentationId, tokenId, admitted);
  const created = {
    ...stored,
    label: labelOfToken(tokenId),
    ...of,
    ...rules,
    readers,
    isGated: isGated({ ...rules, readers }),
    openings: 0,
    noticedAt: null,
    short: hasShort ? newShortCode(presentationId) : null,
    isHeld,
    isForRecipient: of.name.includes('@'),
    // Links are held for mails alone.
    recipient: isHeld ? of.name : null,
    revokedAt: null,
  };
  tx.create(shareTokenRef(presentationId, stored.tokenId), created);
  return { token, created };
}

/** A new code of a short address, in its stored form. */
export const newShortCode = (presentationId: string) => mintCode(serviceSecrets.current(), presentationId);

/** The token with this short code, and its deck. One query. */
export async function findByShortCode(
  code: string,
): Promise<{ presentationId: string; token: ShareToken } | undefined> {
  const found = await collectionGroup('shareTokens', shareToken)
    .where('short.hash', '==', hashOfCode(code))
    .limit(1)
    .get();
  const [document] = found.docs;
  return document && { presentationId: document.ref.parent.parent!.id, token: document.data() };
}

/**
 * The token whose link opens its deck on the host with this label, and the id of the deck. A listing's label has none.
 * One query.
 */
export async function findByLabel(
  tx: Transaction,
  label: string,
): Promise<{ presentationId: string; token: ShareToken } | undefined> {
  const found = await tx.get(collectionGroup('shareTokens', shareToken).where('label', '==', label).limit(1));
  const [document] = found.docs;
  return document && { presentationId: document.ref.parent.parent!.id, token: document.data() };
}

const tokenState = shareToken.pick({ tokenId: true, createdAt: true, isHeld: true, revokedAt: true });
export type TokenState = z.output<typeof tokenState>;

/**
 * Every token of a deck, revoked and held ones too, oldest first. A part of each: their number has no limit, and a
 * whole one has the hashes of up to 200 readers. One query.
 */
export async function listTokenStates(tx: Transaction, presentationId: string): Promise<TokenState[]> {
  const all = collection(paths.shareTokens(presentationId), tokenState).query().orderBy('createdAt');
  const found = await tx.get(all.select(...Object.keys(tokenState.shape)) as typeof all);
  return found.docs.map((document) => document.data());
}

/** The fields of a token that the document of its deck repeats. */
export const linkTo = ({ tokenId, sealed, expiresAt, isGated: gated, isForRecipient }: ShareToken): TokenLink => ({
  tokenId,
  sealed,
  expiresAt,
  isGated: gated,
  ...(isForRecipient && { isPersonal: true }),
});

/** Of the links that a deck repeats, the one to show: the first that has not expired, or else the first. */
export const shownLink = (links: readonly TokenLink[], now: Date): TokenLink | null =>
  links.find(({ expiresAt }) => expiresAt > now) ?? links[0] ?? null;

/**
 * The shown one of the links that a deck repeats, in an answer to its members: its URL, and the mark of a personal one,
 * so that a client does not give it to others.
 */
export function linkFields(presentationId: string, links: readonly TokenLink[], now: Date) {
  const link = shownLink(links, now);
  return {
    shareUrl: shareUrlOf(presentationId, link),
    ...(link?.isPersonal && { shareUrlIsPersonal: true as const }),
  };
}

/**
 * The share URL of a stored token; null without a token, or when the secret that sealed the token is gone. Such
 * a token still opens its deck, but its URL cannot be made.
 */
export const shareUrlOf = (presentationId: string, link: Pick<TokenLink, 'sealed'> | null): string | null =>
  opened(presentationId, link, (secrets, sealed) =>
    shareUrl(config.viewerUrl(), presentationId, openShareToken(secrets, presentationId, sealed)),
  );

/** The short address of a stored token; null when it has none, or when the secret that sealed it is gone. */
export const shortUrlOf = (presentationId: string, { short }: Pick<ShareToken, 'short'>): string | null =>
  opened(presentationId, short, (secrets, sealed) =>
    shortUrl(config.viewerUrl(), openCode(secrets, presentationId, sealed)),
  );

function opened(
  presentationId: string,
  stored: { sealed: string } | null,
  open: (secrets: readonly string[], sealed: string) => string,
): string | null {
  if (!stored) return null;
  try {
    return open(serviceSecrets.accepted(), stored.sealed);
  } catch (error) {
    logWarning('A link was sealed with a service secret that is gone.', error, { presentationId });
    return null;
  }
}
