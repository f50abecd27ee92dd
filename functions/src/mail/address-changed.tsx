import { config } from '../config';
import { ACCENT, Button, Heading, MailPage, Paragraph, signature, Small } from '../house/mail-layout';
import { renderPage } from '../house/render';
import { minuteOf } from './minute';
import type { Mail } from './send';

interface Changed {
  from: string;
  to: string;
  at: Date;
  /** See `takeBackToken`. */
  token: string;
}

/** Tells the former address of an account that the account has another one, and offers to take the change back. */
export function addressChangedMail({ from, to, at, token }: Changed): Mail {
  const site = config.viewerUrl();
  const title = 'Your address was changed';
  const what = `${minuteOf(at)}: the address of your account was changed from ${from} to ${to}. Codes to sign in are mailed there from now on.`;
  const otherwise =
    'If that was not you, take the change back within 7 days. It also signs out every device, revokes every API key and disables every webhook.';
  const action = 'Take the change back';
  const url = `${site}/codes/${token}`;
  return {
    to: from,
    subject: title,
    html: renderPage(
      <MailPage title={title} site={site}>
        <Heading>{title}</Heading>
        <Paragraph>{what}</Paragraph>
        <Paragraph>{otherwise}</Paragraph>
        <Button url={url} ground={ACCENT}>
          {action}
        </Button>
        <Small>The button opens a page. Nothing changes before you confirm it there.</Small>
      </MailPage>,
    ),
    text: `${title}\n\n${what}\n\n${otherwise}\n\n${action}:\n${url}\n\n${signature(site)}`,
  };
}
