import { config } from '../config';
import { renderPage } from '../house/render';
import { oneLine, plainText, senderFor, sharedBy } from '../values/mail-text';
import { ACCENT, Address, Button, Heading, MailPage, Paragraph, Quote, signature, Small } from './layout';
import { originOf } from './origin';
import type { Mail } from './send';

/** The person who shares; null when an operator sends. */
interface Sender {
  name: string;
  email: string;
}

/** The content that the mails to all recipients of a share have in common. */
interface ShareLetter {
  from: string;
  sender: Sender | null;
  organizationName: string;
  /** `#rrggbb` */
  brand: string | null;
  deckTitle: string;
  subject: string;
  message: string | null;
}

interface Share {
  deck: { title: string };
  organization: { name: string; brandPrimary: string | null };
  sender: Sender | null;
  subject?: string | null | undefined;
  message?: string | null | undefined;
}

/** Reduces texts for mail headers to one line and removes characters that a mail cannot show. */
export function shareLetter({ deck, organization, sender, subject, message }: Share): ShareLetter {
  const deckTitle = oneLine(deck.title, 255);
  const isColour = /^#[0-9a-f]{6}$/i.test(organization.brandPrimary ?? '');
  return {
    from: senderFor(sender?.name || organization.name, config.mailFrom()),
    sender,
    organizationName: oneLine(organization.name),
    brand: isColour ? organization.brandPrimary : null,
    deckTitle,
    subject:
      oneLine(subject ?? '') ||
      oneLine(sender ? `${sender.email} shared: ${deckTitle}` : `Shared with you: ${deckTitle}`),
    message: plainText(message ?? ''),
  };
}

/** The mail with a link to a deck. Texts of users are escaped. `token` is that of the links that stop such mails. */
export function shareMail(letter: ShareLetter, to: string, url: string, token: string): Mail {
  const { from, sender, organizationName, deckTitle, subject, message } = letter;
  const brand = letter.brand ?? ACCENT;
  const what = sharedBy(sender, organizationName);
  const note =
    'This link was made for you. Anyone who has it can open the presentation, and the sender can see how often it is opened.';
  const origin = originOf({ to, organizationName, sender: sender?.email ?? null, token });
  return {
    from,
    to,
    ...(sender && { replyTo: sender.email }),
    subject,
    html: renderPage(
      <MailPage title={deckTitle} brand={brand}>
        <Heading>{deckTitle}</Heading>
        <Paragraph>{what}</Paragraph>
        {message && <Quote text={message} />}
        <Button url={url} ground={brand}>
          Open the presentation
        </Button>
        <Small>Or copy this address into your browser:</Small>
        <Address url={url} />
        <Small>{note}</Small>
        {origin.html}
      </MailPage>,
    ),
    text: `${deckTitle}\n\n${what}\n\n${message ? `${message}\n\n` : ''}Open the presentation:\n${url}\n\n${note}\n\n${origin.text}\n${signature()}`,
    headers: origin.headers,
  };
}
