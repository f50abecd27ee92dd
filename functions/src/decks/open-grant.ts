import { config, serviceSecrets } from '../config';
import type { Context } from '../context';
import { fail } from '../errors';
import { previewStateOf } from '../policy/presentation-access';
import { readFor } from '../records/database';
import { presentationRef } from '../records/presentations';
import { versionRef } from '../records/versions';
import {
  isPreview,
  labelOfGrant,
  readGrant,
  writeGrant,
  type Granted,
  type LinkGrant,
  type PreviewGrant,
} from '../values/deck-grants';
import { originOf } from '../values/deck-origins';
import { againUrl, writeGateToken } from '../values/gate-tokens';
import { openGrantedLink, type Link, type OpenDeck } from './open-link';

/** What a grant opens: the deck of a link, whose views are counted, or a version that somebody previews. */
export type Opened = Link | OpenDeck | { verdict: 'permission-denied' };

/** The address at which a browser gets a grant, on the origin of the link or preview. It works for 60 seconds. */
export const ticketUrl = (deckOrigin: string, of: Granted, now: Date): string =>
  `${originOf(deckOrigin, labelOfGrant(of))}/_open/${writeGrant(serviceSecrets.current(), 'ticket', of, now)}`;

/** The gate of a link for a reader whose opening has ended. The address has no share token. */
export const gateUrlAgain = (of: LinkGrant, now: Date): string =>
  againUrl(config.viewerUrl(), of.presentationId, writeGateToken(serviceSecrets.current(), 'again', of, now));

/**
 * Judges the grant in the address of the page around a deck without an origin of its own. Throws not-found for a text
 * that is no such grant for this deck. One round trip of two reads.
 */
export async function openPageGrant(
  context: Context,
  presentationId: string,
  text: string,
  now: Date,
): Promise<{ grant: LinkGrant; link: Link }> {
  const grant = readGrant(serviceSecrets.accepted(), 'page', text, now);
  if (!grant || isPreview(grant) || grant.presentationId !== presentationId) return fail('not-found');
  return { grant, link: await openGrantedLink(context, grant, now) };
}

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
