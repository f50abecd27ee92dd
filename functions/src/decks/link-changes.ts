import type { VersionMode } from '../contract/fields';
import { fail } from '../errors';
import { asMember, type Authorize, type Caller } from '../http/caller';
import { NEVER, revocationOf } from '../policy/presentation-access';
import { readIn, type Transaction } from '../records/database';
import { presentationRef, type Presentation } from '../records/presentations';
import { recipientKey } from '../records/recipient-key';
import { changeLink, type LinkChange } from '../records/share-links';
import { shareTokenRef, type LinkRules, type ShareToken } from '../records/share-tokens';
import { pinnedVersionRef, pinOf } from '../records/versions';
import { storePasscode } from '../values/passcodes';
import { assertFuture } from './preconditions';

/** The rules of a link as a caller sends them. Null turns a rule off. */
export interface SentRules {
  expiresAt?: Date | null | undefined;
  short?: boolean | null | undefined;
  passcode?: string | null | undefined;
  maxOpenings?: number | null | undefined;
  allowedEmails?: string[] | null | undefined;
  notify?: LinkRules['notify'] | null | undefined;
  /** Of the new links of a mailing: whether each admits its recipient alone. */
  requireEmail?: boolean | undefined;
}

/**
 * The sent rules as their record holds them, without those that were not sent. Throws invalid-argument for a time that
 * has passed, and permission-denied for an admin key.
 */
export type PreparedRules = (caller: Caller, now: Date) => Partial<LinkRules>;

/** Prepares rules before a transaction, which must be short: the hash of a passcode takes a processor some 50 ms. */
export async function prepareRules(sent: SentRules): Promise<PreparedRules> {
  const { expiresAt, short, passcode, maxOpenings, allowedEmails, notify, requireEmail } = sent;
  const stored = typeof passcode === 'string' ? await storePasscode(passcode) : passcode;
  const readers = allowedEmails ? { emails: allowedEmails, key: await recipientKey() } : allowedEmails;
  const rules = [expiresAt, short, passcode, maxOpenings, allowedEmails, notify, requireEmail];
  const isRuled = rules.some((rule) => rule !== undefined);
  return (caller, now) => {
    if (isRuled) asMember(caller);
    assertFuture(expiresAt, now);
    return {
      ...(expiresAt !== undefined && { expiresAt: expiresAt ?? NEVER }),
      ...(short !== undefined && { hasShort: short ?? false }),
      ...(stored !== undefined && { passcode: stored }),
      ...(maxOpenings !== undefined && { maxOpenings }),
      ...(readers !== undefined && { readers }),
      ...(notify !== undefined && { notify: notify ?? 'never' }),
    };
  };
}

interface Change extends Pick<LinkChange, 'name'> {
  presentationId: string;
  tokenId: string;
  versionMode?: VersionMode | undefined;
  /** Called after the check of the caller. */
  rules?: () => Partial<LinkRules>;
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
  const changed = rules?.() ?? {};
  const isNameAlone = versionMode === undefined && Object.keys(changed).length === 0;
  if (!isNameAlone && revocationOf(token, deck))
    fail('conflict', undefined, { message: 'The link is revoked.', nextAction: 'Create a new link.' });
  const pinned = versionMode && pinOf(deck, versionMode, version);
  return { deck, token: await changeLink(tx, deck, token, { name, pinned, rules: changed }) };
}

/** A held link opens nothing until its email was sent. No answer names it. */
export function assertToken(stored: ShareToken | undefined): ShareToken {
  if (!stored || stored.isHeld) return fail('not-found', undefined, { message: 'The deck has no such token.' });
  return stored;
}
