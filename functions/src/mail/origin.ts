import { config } from '../config';
import { oneLine } from '../values/mail-text';
import { markup } from '../values/markup';
import { rule, small, smallLink } from './layout';

/** The part of a mail that tells a recipient who did not ask for it where it comes from and how to stop it. */
interface Origin {
  to: string;
  organizationName: string;
  /** The sender's address; null when an operator sends. */
  sender: string | null;
  /** What the sender did: `shared this presentation with you`. */
  deed: string;
  /** See `mailTokenFor`. */
  token: string;
}

/**
 * The closing part of the mail in both formats, and the headers with which mail programs offer to unsubscribe with one
 * click (RFC 8058).
 */
export function originOf({ to, organizationName, sender, deed, token }: Origin) {
  const organization = oneLine(organizationName, 100);
  const who = sender ? `${sender} (${organization})` : `The operator of this service, for ${organization},`;
  const why = `You get this mail because ${who} ${deed} and entered your address, ${to}.`;
  const page = `${config.viewerUrl()}/mail/${token}`;
  const links = [
    [`Stop mails from ${organization}`, page],
    ['Stop all mails of this service that you did not ask for', `${page}?choice=all`],
    ['Report this mail', `${page}?choice=report`],
  ] as const;
  return {
    html: [rule(), small(why), small(links.map(([label, url]) => markup`<br>\n${smallLink(label, url)}`))],
    text: `--\n${why}\n\n${links.map(([label, url]) => `${label}:\n${url}\n`).join('\n')}`,
    headers: { 'List-Unsubscribe': `<${page}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  };
}
