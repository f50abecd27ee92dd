import { config } from '../config';
import { Heading, MailPage, Paragraph, signature } from '../house/mail-layout';
import { renderPage } from '../house/render';
import { oneLine } from '../values/mail-text';
import type { Mail } from './send';

/** Tells who asked for it that the address of a reader was removed. */
export function forgottenMail(to: string, forgotten: string): Mail {
  const title = 'A reader was forgotten';
  const address = oneLine(forgotten, 254);
  const what = `${address} was removed from the views, openings and links of your decks. Records of sent emails keep a hash of the address.`;
  const site = config.viewerUrl();
  return {
    to,
    subject: title,
    html: renderPage(
      <MailPage title={title} site={site}>
        <Heading>{title}</Heading>
        <Paragraph>{what}</Paragraph>
      </MailPage>,
    ),
    text: `${title}\n\n${what}\n\n${signature(site)}`,
  };
}
