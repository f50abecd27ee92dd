import { isId } from '../policy/ids';
import { closingTime, judgeLink, type LinkVerdict } from '../policy/presentation-access';
import type { ManifestRef } from '../policy/manifest';
import { isToken, isWellFormedToken, tokenIdOf } from '../policy/share-tokens';
import { db, read } from './database';
import { presentationRef, type Presentation } from './presentations';
import { shareTokenRef } from './share-tokens';

export type Link =
  | { verdict: Exclude<LinkVerdict, 'open'> }
  | { verdict: 'open'; deck: Presentation; tokenId: string; served: ManifestRef };

/**
 * What a share link opens at this moment. One round trip of two reads, with every request: who may see a deck is never remembered.
 */
export async function openLink(presentationId: string, token: string, now: Date): Promise<Link> {
  if (!isId(presentationId) || !isWellFormedToken(token)) return { verdict: 'not-found' };
  const tokenId = tokenIdOf(token);
  const [deck, stored] = await read(db(), presentationRef(presentationId), shareTokenRef(presentationId, tokenId));
  const closing = deck && { ...deck, expiresAt: closingTime(deck) };
  const verdict = judgeLink(closing, stored && { ...stored, isRight: isToken(token, stored.hash) }, now);
  if (verdict !== 'open') return { verdict };
  return { verdict, deck: deck!, tokenId, served: stored!.pinned ?? deck!.current };
}
