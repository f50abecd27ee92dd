import { formatNumber } from '../format';
import { count } from './count';

/** The rules of a link, in forms and in rows. */
export const linkRules = {
  title: 'Rules',
  passcode: {
    label: 'Passcode',
    none: 'None',
    kept: 'The one it has',
    own: 'A passcode',
    change: 'A new passcode',
    typed: 'Passcode for the readers',
    hint: 'At least 6 characters. It is not shown again: tell it to your readers by another way than the link.',
    show: 'Show the passcode',
  },
  maxOpenings: 'Opens at most (times)',
  maxOpeningsHint:
    'Empty: any number. One opening lets one browser in for 24 hours. Those of you and your collaborators do not count.',
  maxOpeningsTitle: 'A whole number from 1 to 1,000,000',
  readers: 'Only for these people',
  readersHint:
    'Addresses, or domains such as @example.com, one a line or with commas. Each reader proves the address with a ' +
    'code that we mail. Empty: everybody who has the link.',
  notify: 'Tell me by mail when somebody first views it',
  short: 'Has a short address',
  shortHint: 'A short address is easy to type, and makes a QR code that is easy to scan.',
  shortGone: 'The short address stops working at once, and never works again. The long one stays.',

  hasPasscode: 'Passcode',
  openingsLeft: (left: number, of: number) => `${formatNumber(left)} of ${count(of, 'opening')} left`,
  usedUp: (of: number) => `Used up: opened ${count(of, 'time')}`,
  forReaders: (number: number) => `Only for ${count(number, 'address', { plural: 'addresses' })}`,
  notified: 'Mail at the first view',
  raise: 'Allow more openings',
};
