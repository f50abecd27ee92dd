import type { Context } from '../context';
import { previewStateOf } from '../policy/presentation-access';
import { readFor } from '../records/database';
import { presentationRef } from '../records/presentations';
import { versionRef } from '../records/versions';
import { isPreview, type Granted, type PreviewGrant } from '../values/deck-grants';
import { openGrantedLink, type Link, type OpenDeck } from './open-link';

/** What a grant opens: the deck of a link, whose views are counted, or a version that somebody previews. */
export type Opened = Link | OpenDeck | { verdict: 'permission-denied' };

/**
 * Judges the grant of a link or of a preview, with one round trip of two reads. Access is never cached: every request
 * reads again, so a revoked link and a removed collaborator are refused at the next request.
 */
export const openGrant = (context: Context, grant: Granted, now: Date): Promise<Opened> =>
  isPreview(grant) ? openPreview(context, grant) : openGrantedLink(context, grant, now);

async function openPreview(context: Context, { presentationId, version, userId }: PreviewGrant): Promise<Opened> {
  const refs = [presentationRef(presentationId), versionRef(presentationId, version)] as const;
  const [deck, served] = await readFor(context, ...refs);
  const verdict = previewStateOf(deck, served, userId);
  return verdict === 'open' ? { verdict, deck: deck!, served: served! } : { verdict };
}
