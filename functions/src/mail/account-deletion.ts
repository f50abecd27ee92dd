import { letter } from './letter';
import { minuteOf } from './minute';
import type { Mail } from './send';

/** Tells the user of an account that its deletion has begun. */
export const deletionBegunMail = (to: string, at: Date): Mail =>
  letter(to, 'Your account is being deleted', [
    `${minuteOf(at)}: your account was deleted with a code that was mailed to this address. All devices are signed out, and no API key works.`,
    'Your presentations close one after the other, the newest first, with their links and marketplace pages. Another mail follows when everything is deleted.',
    'This cannot be taken back. If that was not you, somebody else reads your mail: change the password of your mailbox.',
  ]);

/** Tells the user that everything of the account is deleted. */
export const deletionDoneMail = (to: string): Mail =>
  letter(to, 'Your account is deleted', [
    'Your presentations, links, files, figures and everything else of your account are deleted. What other people remixed from your presentations stays with them.',
    'For 90 days, without your address, we keep what operators took down, what was reported, and who stopped your mails. A new account of your address takes it over.',
  ]);
