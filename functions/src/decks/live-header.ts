import { logWarning } from '../log';
import type { RawCall } from '../http/definition';
import { liveOf } from '../records/live-sessions';
import { endOfOpening, type LinkGrant } from '../values/deck-grants';
import { audienceTicket } from './live-streams';
import { openGrantedLink } from './open-link';

/**
 * Gives the page of a reader the ticket of the live session of its link, in the header `Deck-Live`. Without a session,
 * and for a link that is not open, there is no header. It reads what the beacon reads, in the same round trip. It never
 * rejects.
 */
export async function setLiveHeader({ context, response, now }: RawCall, grant: LinkGrant): Promise<void> {
  try {
    const link = await openGrantedLink(context, grant, now);
    const live = link.verdict === 'open' ? liveOf(link.deck, grant.tokenId, now) : undefined;
    if (!live) return;
    const ends = [live.expiresAt, ...(grant.opening ? [endOfOpening(grant.opening)] : [])];
    const until = new Date(Math.min(...ends.map((end) => end.getTime())));
    const { presentationId, tokenId } = grant;
    response.setHeader('Deck-Live', audienceTicket({ presentationId, tokenId, liveId: live.liveId, until }, now));
  } catch (error) {
    logWarning('The ticket of a live session was not made.', error, {}, context);
  }
}
