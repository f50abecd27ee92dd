import { plain } from '../../client/src/format';
import type { LoggedMail } from './verbs/mailing';

type Delivery = NonNullable<LoggedMail['delivery']>;

const states: Record<Delivery['state'], string> = {
  delivered: 'delivered',
  delayed: 'not delivered yet',
  bounced: 'bounced',
  complained: 'reported as spam',
  failed: 'given up by the mail provider',
};

/** What became of a mail, in words: `delivered`, `bounced: The mailbox does not exist.` */
export function deliveryWords({ state, reason }: Delivery): string {
  return `${states[state]}${reason && state !== 'delivered' ? `: ${plain(reason)}` : ''}`;
}
