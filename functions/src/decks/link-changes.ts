import type { VersionMode } from '../contract/fields';
import { fail } from '../errors';
import { asMember, type Authorize, type Caller } from '../http/caller';
import { NEVER, revocationOf } from '../policy/presentation-access';
import { readIn, type Transaction } from '../records/database';
import { presentationRef, type Presentation } from '../records/presentations';
import { changeLink, type LinkChange } from '../records/share-links';
import { shareTokenRef, type ShareToken } from '../records/share-tokens';
import { pinnedVersionRef, pinOf } from '../records/versions';
import { assertFuture } from './preconditions';

/** The rules of a link as a caller sends them. Null turns a rule off. */
interface SentRules {
  expiresAt?: Date | null | undefined;
  short?: boolean | null | undefined;
}

/**
 * The rules of a link as its record holds them; undefined where none was sent. Throws invalid-argument for a time that
 * has passed, and permission-denied for an admin key that sends a rule.
 */
export function rulesOf(
  { expiresAt, short }: SentRules,
  caller: Caller,
  now: Date,
): Pick<LinkChange, 'expiresAt' | 'hasShort'> {
  if (expiresAt !== undefined || short !== undefined) asMember(caller);
  assertFuture(expiresAt, now);
  return {
    expiresAt: expiresAt === undefined ? undefined : (expiresAt ?? NEVER),
    hasShort: short === undefined ? undefined : (short ?? false),
  };
}

interface Change extends Pick<LinkChange, 'name'> {
  presentationId: string;
  tokenId: string;
  versionMode?: VersionMode | undefined;
  /** Called after the check of the caller. */
  rules?: () => ReturnType<typeof rulesOf>;
}

/**
 * Changes a link of a deck. Throws not-found for a token that the deck does not have, and conflict for a revoked one
 * when more than its name changes.
 */
export async function changeLinkOf(
  tx: Transaction,
  { presentationId, tokenId, name, versionMode, rules }: Change,
  authorize: Authorize,
): Promise<{ deck: Presentation; token: ShareToken }> {
  const [found, stored, version] = await readIn(
    tx,
    presentationRef(presentationId),
    shareTokenRef(presentationId, tokenId),
    versionMode && pinnedVersionRef(presentationId, versionMode),
  );
  const deck = authorize(found);
  const token = assertToken(stored);
  const { expiresAt, hasShort } = rules?.() ?? {};
  const isNameAlone = versionMode === undefined && expiresAt === undefined && hasShort === undefined;
  if (!isNameAlone && revocationOf(token, deck))
    fail('conflict', undefined, { message: 'The token is revoked.', nextAction: 'Add a new token.' });
  const pinned = versionMode && pinOf(deck, versionMode, version);
  return { deck, token: await changeLink(tx, deck, token, { name, pinned, expiresAt, hasShort }) };
}

/** A held link opens nothing until its email was sent. No answer names it. */
export function assertToken(stored: ShareToken | undefined): ShareToken {
  if (!stored || stored.isHeld) return fail('not-found', undefined, { message: 'The deck has no such token.' });
  return stored;
}
