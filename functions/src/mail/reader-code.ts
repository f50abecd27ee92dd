import { originOf } from '../house/mail-origin';
import { oneLine } from '../values/mail-text';
import { codeMail } from './code-mail';
import { mailPageUrl } from './mail-page-url';
import type { Mail } from './send';

interface ReaderCodeMail {
  to: string;
  organization: { name: string; brandPrimary: string | null };
  digits: string;
  /** See `mailTokenFor`. */
  token: string;
}

/**
 * The mail with the code by which a reader proves an address to a link. It names the organization and nothing of the
 * deck: anybody who has the link can have it sent.
 */
export function readerCodeMail({ to, organization, digits, token }: ReaderCodeMail): Mail {
  const organizationName = oneLine(organization.name, 100);
  return codeMail({
    to,
    digits,
    what: 'code for a presentation',
    action: `open the presentation that ${organizationName} shares with you`,
    ignore: 'nobody opens the presentation without the code. Do not pass it on.',
    origin: originOf({ to, organizationName, sender: null, page: mailPageUrl(token) }),
    brand: organization.brandPrimary,
  });
}
