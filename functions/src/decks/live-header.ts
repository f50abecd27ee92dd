import { logWarning } from '../log';
import type { RawCall } from '../http/definition';
import { liveOf } from '../records/live-sessions';
import type { Presentation } from '../records/presentations';
import { endOfOpening, type LinkGrant } from '../values/deck-grants';
import { audienceTicket } from './live-streams';
import { openGrantedLink } from './open-link';

/**
 * The ticket with which the page of a reader follows the live session of its link. Undefined without a session. It and
 * those that follow it end with the opening of the link. `deck` is that of the grant, which opens it.
 */
export function liveTicketOf(deck: Presentation, grant: LinkGrant, now: Date): string | undefined {
  const { presentationId, tokenId, opening } = grant;
  const live = liveOf(deck, tokenId, now);
  if (!live) return undefined;
  const ends = [live.expiresAt, ...(opening ? [endOfOpening(opening)] : [])];
  const until = new Date(Math.min(...ends.map((end) => end.getTime())));
  return audienceTicket({ presentationId, tokenId, liveId: live.liveId, until }, now);
}

/**
 * Gives the page of a reader that ticket in the header `Deck-Live`. Without a session, and for a link that is not open,
 * there is no header. It reads what the beacon reads, in the same round trip. It never rejects.
 */
export async function setLiveHeader({ context, response, now }: RawCall, grant: LinkGrant): Promise<void> {
  try {
    const link = await openGrantedLink(context, grant, now);
    const ticket = link.verdict === 'open' ? liveTicketOf(link.deck, grant, now) : undefined;
    if (ticket !== undefined) response.setHeader('Deck-Live', ticket);
  } catch (error) {
    logWarning('The ticket of a live session was not made.', error, {}, context);
  }
}
