import { config } from '../config';
import { Heading, MailPage, Paragraph, signature } from '../house/mail-layout';
import { renderPage } from '../house/render';
import { minuteOf } from './minute';
import type { Mail } from './send';

/**
 * Tells the user of an account that its export is ready. The mail has no address of the export: who reads the mail of
 * another person gets nothing.
 */
export function exportMail(to: string, { parts, expiresAt }: { parts: number; expiresAt: Date }): Mail {
  const title = 'Your export is ready';
  const what = `The export of your account has ${parts === 1 ? '1 part' : `${parts} parts`}. It is deleted at ${minuteOf(expiresAt)}.`;
  const how = 'Download it in the settings of the dashboard, or with the command: deck account export';
  const note =
    'If you did not ask for it, somebody else is signed in to your account: sign out everywhere in the settings.';
  const site = config.viewerUrl();
  return {
    to,
    subject: title,
    html: renderPage(
      <MailPage title={title} site={site}>
        <Heading>{title}</Heading>
        <Paragraph>{what}</Paragraph>
        <Paragraph>{how}</Paragraph>
        <Paragraph>{note}</Paragraph>
      </MailPage>,
    ),
    text: `${title}\n\n${what}\n\n${how}\n\n${note}\n\n${signature(site)}`,
  };
}
