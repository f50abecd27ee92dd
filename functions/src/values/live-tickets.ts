import { readSigned, writeSigned } from './signed';

/** Who has a ticket. Only a presenter moves the decks of the others. */
export type LiveRole = 'audience' | 'presenter';

/** What a ticket opens: one session, by one link. */
export interface LiveTicket {
  presentationId: string;
  tokenId: string;
  liveId: string;
  /** When the ticket, or the last one that follows it, ends. */
  until: Date;
}

/** How long the ticket of a follower is valid, in milliseconds. Its stream renews it. */
export const AUDIENCE_TICKET_MS = 600_000;

/** What is signed. Times are in milliseconds. The role is part of the purpose, so one is never taken for the other. */
type Signed = Omit<LiveTicket, 'until'> & { until: number; expires: number };
const purposeOf = (role: LiveRole) => `live-${role}`;

/** A signed ticket: a presenter's until `until`, that of a follower for 10 minutes. */
export function writeLiveTicket(secret: string, role: LiveRole, of: LiveTicket, now: Date): string {
  const until = of.until.getTime();
  const expires = role === 'presenter' ? until : Math.min(until, now.getTime() + AUDIENCE_TICKET_MS);
  const { presentationId, tokenId, liveId } = of;
  return writeSigned(secret, purposeOf(role), { presentationId, tokenId, liveId, until, expires } satisfies Signed);
}

/**
 * What a ticket opens. Undefined for a text that none of the secrets signed for this role, and for one that expired.
 */
export function readLiveTicket(
  secrets: readonly string[],
  role: LiveRole,
  text: string,
  now: Date,
): LiveTicket | undefined {
  const signed = readSigned<Signed>(secrets, purposeOf(role), text);
  if (!signed || signed.expires <= now.getTime()) return undefined;
  const { presentationId, tokenId, liveId, until } = signed;
  return { presentationId, tokenId, liveId, until: new Date(until) };
}
