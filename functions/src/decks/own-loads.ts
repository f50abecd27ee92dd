import { serviceSecrets } from '../config';
import type { Presentation } from '../records/presentations';
import { cookiesOf, SITE_COOKIE } from '../values/cookies';
import { readOwnMark } from '../values/own-marks';

/**
 * Whether the browser with these cookies uses the dashboard as the owner or a dev of the deck. Reads no record, and the
 * user of the mark is not kept.
 */
export function isOwnLoad(cookies: string | undefined, deck: Pick<Presentation, 'memberIds'>, now: Date): boolean {
  if (cookies === undefined) return false;
  return cookiesOf(cookies, SITE_COOKIE).some((text) => {
    const userId = readOwnMark(serviceSecrets.accepted(), text, now);
    return userId !== undefined && deck.memberIds.includes(userId);
  });
}
