import { config } from '../config';
import { Code, CODE_STYLE, Heading, MailPage, Paragraph, signature, Small } from '../house/mail-layout';
import type { originOf } from '../house/mail-origin';
import { renderPage } from '../house/render';
import { CODE_TTL_SECONDS } from '../policy/codes';
import type { Mail } from './send';

interface CodeMail {
  to: string;
  digits: string;
  /** `code for a presentation`, in the subject and in the title. */
  what: string;
  /** What the code is for: `open the presentation`. */
  action: string;
  /** Why it does no harm to ignore the mail. */
  ignore: string;
  origin: ReturnType<typeof originOf>;
  brand?: string | null;
}

/** A mail with a code of six digits to somebody who may not have asked for it. */
export function codeMail({ to, digits, what, action, ignore, origin, brand }: CodeMail): Mail {
  const title = `Your ${what}`;
  const use = `Enter this code to ${action}. It works once and expires after ${CODE_TTL_SECONDS / 60} minutes.`;
  const unasked = `If you did not ask for it, you can ignore this email: ${ignore}`;
  const site = config.viewerUrl();
  return {
    to,
    subject: `${digits} is your ${what}`,
    html: renderPage(
      <MailPage title={title} site={site} {...(brand && { brand })}>
        <Heading>{title}</Heading>
        <Paragraph>{use}</Paragraph>
        <Code style={CODE_STYLE}>{digits}</Code>
        <Small>{unasked}</Small>
        {origin.html}
      </MailPage>,
    ),
    text: `${title}\n\n${digits}\n\n${use}\n\n${unasked}\n\n${origin.text}\n${signature(site)}`,
    headers: origin.headers,
  };
}
