import { formatNumber } from '../format';
import { isolated } from '../isolated';

/** The requests of people who have no link. */
export const requests = {
  title: 'Requests for access',
  about:
    'Allow mails the person a new link. It has the rules of the link at whose address they asked, and opens for them alone.',
  list: 'Open requests',
  answered: (number: number) => `${formatNumber(number)} answered`,
  asksFor: 'asks for access to',
  link: (name: string) => `Link: ${isolated(name)}`,
  allow: 'Allow',
  allowFor: (email: string) => `Allow the request of ${isolated(email)}`,
  decline: 'Decline',
  declineFor: (email: string) => `Decline the request of ${isolated(email)}`,
  wasAllowed: (email: string) => `A link is on its way to ${isolated(email)}.`,
  wasDeclined: (email: string) => `The request of ${isolated(email)} is declined. The person is not told.`,
  status: { open: 'Open', allowed: 'Allowed', declined: 'Declined' },
  person: 'Person',
  deck: 'Deck',
  when: 'Asked',
  answer: 'Answer',
  noneTitle: 'No open requests',
  none: 'People who open the address of a deck without its link can ask you for access. Their requests stay here for 7 days.',
  more: 'Show older requests',
};
