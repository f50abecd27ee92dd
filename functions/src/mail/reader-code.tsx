import { config } from '../config';
import { Code, CODE_STYLE, Heading, MailPage, Paragraph, signature, Small } from '../house/mail-layout';
import { originOf } from '../house/mail-origin';
import { renderPage } from '../house/render';
import { CODE_TTL_SECONDS } from '../policy/codes';
import { oneLine } from '../values/mail-text';
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
  const title = 'Your code for a presentation';
  const use = `Enter this code to open the presentation that ${organizationName} shares with you. It works once and expires after ${CODE_TTL_SECONDS / 60} minutes.`;
  const ignore =
    'If you did not ask for it, you can ignore this email: nobody opens the presentation without the code. Do not pass it on.';
  const origin = originOf({ to, organizationName, sender: null, page: mailPageUrl(token) });
  const site = config.viewerUrl();
  return {
    to,
    subject: `${digits} is your code for a presentation`,
    html: renderPage(
      <MailPage title={title} site={site} {...(organization.brandPrimary && { brand: organization.brandPrimary })}>
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
