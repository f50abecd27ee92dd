import type { Context } from '../context';
import { fail } from '../errors';
import { previewStateOf } from '../policy/presentation-access';
import { readFor } from '../records/database';
import { presentationRef } from '../records/presentations';
import { versionRef } from '../records/versions';
import { isPreview, type Granted, type PreviewGrant } from '../values/deck-grants';
import { openGrantedLink, type Link, type OpenDeck } from './open-link';

/** What a grant opens: the deck of a link, whose views are counted, or a version that somebody previews. */
export type Opened = Link | OpenDeck | { verdict: 'permission-denied' };

/** Throws why a link or a grant opens nothing. */
export function failClosed(verdict: Exclude<Opened['verdict'], 'open'>): never {
  if (verdict === 'gated') {
    return fail('permission-denied', undefined, {
      message: 'This link first asks who opens it.',
      nextAction: 'Open the address that begins with /share/ or /s/, and answer what its page asks.',
    });
  }
  if (verdict !== 'permission-denied') return fail(verdict);
  return fail('permission-denied', undefined, {
    message: 'You can no longer see this version.',
    nextAction: 'You are no longer a collaborator of this presentation. Ask its owner to invite you again.',
  });
}

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
