import { config } from '../config';
import { Heading, MailPage, Paragraph, signature } from '../house/mail-layout';
import { renderPage } from '../house/render';
import type { Mail } from './send';

/** A mail that only tells something: its subject as the heading, and paragraphs. */
export function letter(to: string, title: string, paragraphs: readonly string[]): Mail {
  const site = config.viewerUrl();
  return {
    to,
    subject: title,
    html: renderPage(
      <MailPage title={title} site={site}>
        <Heading>{title}</Heading>
        {paragraphs.map((text) => (
          <Paragraph>{text}</Paragraph>
        ))}
      </MailPage>,
    ),
    text: `${title}\n\n${paragraphs.join('\n\n')}\n\n${signature(site)}`,
  };
}
