import { originOfService } from '../house/mail-origin';
import { codeMail } from './code-mail';
import { mailPageUrl } from './mail-page-url';
import type { Mail } from './send';

interface AskerCodeMail {
  to: string;
  digits: string;
  /** See `mailTokenFor`. */
  token: string;
}

/**
 * The mail with the code by which a person who asks for access proves an address. It is the same whether a presentation
 * exists or not.
 */
export function askerCodeMail({ to, digits, token }: AskerCodeMail): Mail {
  const why = `You received this email because someone typed ${to} to ask for access.`;
  return codeMail({
    to,
    digits,
    what: 'code to ask for access',
    action: 'ask the owner of a presentation for access',
    ignore: 'nobody is asked without the code.',
    origin: originOfService(why, mailPageUrl(token)),
  });
}
