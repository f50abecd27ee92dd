import { revocationOf } from '../policy/presentation-access';
import type { Transaction } from './database';
import { presentationRef, type Presentation, type TokenLink } from './presentations';
import { createShareToken, creationTime, shareTokenRef, type ShareToken } from './share-tokens';

/** Writes a token that opens nothing and is shown nowhere until `endHold` keeps it. When its call dies before that, it never does. */
export function createHeldToken(
  tx: Transaction,
  deck: Presentation,
  of: { name: string; createdBy: string },
  now: Date,
): TokenLink {
  const held = { ...of, pinned: null, createdAt: creationTime(deck, now), isHeld: true };
  return createShareToken(tx, deck.presentationId, held).link;
}

/** Ends the hold of those that are held: `keep` says which open from now on, the others are revoked. What was revoked meanwhile stays so. */
export function endHold(
  tx: Transaction,
  deck: Presentation,
  tokens: readonly (ShareToken | undefined)[],
  { keep, now }: { keep: ReadonlySet<string>; now: Date },
): void {
  const held = tokens.flatMap((token) => (token?.isHeld ? [token] : []));
  for (const { tokenId, revokedAt } of held) {
    const ended = { isHeld: false, revokedAt: revokedAt ?? (keep.has(tokenId) ? null : now) };
    tx.update(shareTokenRef(deck.presentationId, tokenId), ended);
  }
  const kept = held.filter((token) => keep.has(token.tokenId) && revocationOf(token, deck) === null);
  if (kept.length === 0 || (deck.firstToken && deck.latestToken)) return;
  const linkTo = (token: ShareToken | undefined) => (token ? { tokenId: token.tokenId, sealed: token.sealed } : null);
  tx.update(presentationRef(deck.presentationId), {
    firstToken: deck.firstToken ?? linkTo(kept[0]),
    latestToken: deck.latestToken ?? linkTo(kept.find(({ pinned }) => pinned === null)),
  });
}
