import { serviceSecrets } from '../../functions/src/config';
import { SITE_COOKIE } from '../../functions/src/values/cookies';
import { writeOwnMark } from '../../functions/src/values/own-marks';

/** The cookie of a browser in which the user uses the dashboard. */
export const markOf = (userId: string): string =>
  `${SITE_COOKIE}=${writeOwnMark(serviceSecrets.current(), userId, new Date())}`;
