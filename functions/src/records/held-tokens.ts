import { fail } from '../policy/errors';
import { revocationOf } from '../policy/presentation-access';
import type { Transaction } from './database';
import { presentationRef, type Presentation, type TokenLink } from './presentations';
import { createShareToken, creationTime, shareTokenRef, type ShareToken } from './share-tokens';

/** Longer than a call may run: what is still held then belongs to a call that died. */
const HOLD_SECONDS = 120;

export const holdEnd = (now: Date) => new Date(now.getTime() + HOLD_SECONDS * 1000);

interface NewHeldToken {
  name: string;
  createdBy: string;
  heldUntil: Date;
}

/**
 * Writes a token that opens the deck at once, since its mail may arrive before anything else is written, and that ends by itself at `heldUntil`
 * unless it is kept: when the call dies before that, nobody needs to clean up behind it.
 */
export function createHeldToken(tx: Transaction, deck: Presentation, of: NewHeldToken, now: Date): TokenLink {
  return createShareToken(tx, deck.presentationId, { ...of, pinned: null, createdAt: creationTime(deck, now) }).link;
}

/** Whether the token ends with its hold and was not revoked by anybody. */
function isHeld(token: ShareToken | undefined, deck: Presentation, heldUntil: Date): token is ShareToken {
  return (
    token?.revokedAt?.getTime() === heldUntil.getTime() &&
    revocationOf({ ...token, revokedAt: null }, deck, heldUntil) === null
  );
}

/** Holds the tokens of a call that is taken up again for another while, and answers until when; conflict when one was revoked meanwhile. */
export function extendHold(
  tx: Transaction,
  deck: Presentation,
  tokens: readonly (ShareToken | undefined)[],
  { heldUntil, now }: { heldUntil: Date; now: Date },
): Date {
  const held = tokens.filter((token) => isHeld(token, deck, heldUntil));
  if (held.length < tokens.length) {
    const nextAction = 'Send anew, with another Idempotency-Key.';
    fail('conflict', undefined, { message: 'The links of this call were revoked before it had ended.', nextAction });
  }
  for (const { tokenId } of held) tx.update(shareTokenRef(deck.presentationId, tokenId), { revokedAt: holdEnd(now) });
  return holdEnd(now);
}

/** Ends the hold: `keep` says which tokens stay, the others end now. One that was revoked meanwhile stays revoked. */
export function endHold(
  tx: Transaction,
  deck: Presentation,
  tokens: readonly (ShareToken | undefined)[],
  { heldUntil, keep, now }: { heldUntil: Date; keep: ReadonlySet<string>; now: Date },
): void {
  const held = tokens.filter((token) => isHeld(token, deck, heldUntil));
  for (const { tokenId } of held) {
    tx.update(shareTokenRef(deck.presentationId, tokenId), { revokedAt: keep.has(tokenId) ? null : now });
  }
  const kept = held.filter(({ tokenId }) => keep.has(tokenId));
  if (kept.length === 0 || (deck.firstToken && deck.latestToken)) return;
  const linkTo = (token: ShareToken | undefined) => (token ? { tokenId: token.tokenId, sealed: token.sealed } : null);
  tx.update(presentationRef(deck.presentationId), {
    firstToken: deck.firstToken ?? linkTo(kept[0]),
    latestToken: deck.latestToken ?? linkTo(kept.find(({ pinned }) => pinned === null)),
  });
}
