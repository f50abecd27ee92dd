import { config } from '../config';
import { Code, CODE_STYLE, Heading, MailPage, Paragraph, signature, Small } from '../house/mail-layout';
import { originOfService } from '../house/mail-origin';
import { renderPage } from '../house/render';
import { CODE_TTL_SECONDS } from '../policy/codes';
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
  const title = 'Your code to ask for access';
  const use = `Enter this code to ask the owner of a presentation for access. It works once and expires after ${CODE_TTL_SECONDS / 60} minutes.`;
  const ignore = 'If you did not ask for it, you can ignore this email: nobody is asked without the code.';
  const origin = originOfService(
    `You received this email because someone typed ${to} to ask for access.`,
    mailPageUrl(token),
  );
  const site = config.viewerUrl();
  return {
    to,
    subject: `${digits} is your code to ask for access`,
    html: renderPage(
      <MailPage title={title} site={site}>
        <Heading>{title}</Heading>
        <Paragraph>{use}</Paragraph>
        <Code style={CODE_STYLE}>{digits}</Code>
        <Small>{ignore}</Small>
        {origin.html}
      </MailPage>,
    ),
    text: `${title}\n\n${digits}\n\n${use}\n\n${ignore}\n\n${origin.text}\n${signature(site)}`,
    headers: origin.headers,
  };
}
