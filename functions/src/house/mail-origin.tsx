import { oneLine } from '../values/mail-text';
import { Rule, Small, SmallLink } from './mail-layout';
import { name } from './tokens.json';

/** The part of a mail that tells a recipient who did not ask for it where it comes from and how to stop it. */
interface Origin {
  to: string;
  organizationName: string;
  /** The sender's address; null when an operator sends. */
  sender: string | null;
  /** The address of the page that stops mails, which has the token of `mailTokenFor`. */
  page: string;
}

type Choice = readonly [label: string, query: string];

/**
 * The closing part of the mail in both formats, and the headers with which mail programs offer to unsubscribe with one
 * click (RFC 8058).
 */
export function originOf({ to, organizationName, sender, page }: Origin) {
  const organization = oneLine(organizationName, 100);
  const who = sender ? `${sender} (${organization})` : `the operator of this service`;
  const why = `You received this email because ${who} sent it to ${to}${sender ? '' : ` for ${organization}`}.`;
  return closingOf(why, page, [
    [`Stop emails from ${organization}`, ''],
    [STOP_ALL, '?choice=all'],
    ['Report this email', '?choice=report'],
  ]);
}

const STOP_ALL = `Stop all emails from ${name} that you did not ask for`;

/** The same for a mail that the service sends in its own name. `why` is a sentence. */
export const originOfService = (why: string, page: string) =>
  closingOf(why, page, [
    [`Stop emails in the name of ${name}`, ''],
    [STOP_ALL, '?choice=all'],
  ]);

/** The closing part of a mail. Each choice is a link to the page; `query` says what it asks the page for. */
export function closingOf(why: string, page: string, choices: readonly Choice[]) {
  const links = choices.map(([label, query]) => [label, page + query] as const);
  return {
    html: (
      <>
        <Rule />
        <Small>{why}</Small>
        <Small>
          {links.map(([label, url]) => (
            <>
              <br />
              <SmallLink url={url}>{label}</SmallLink>
            </>
          ))}
        </Small>
      </>
    ),
    text: `${why}\n\n${links.map(([label, url]) => `${label}:\n${url}\n`).join('\n')}`,
    headers: { 'List-Unsubscribe': `<${page}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  };
}
