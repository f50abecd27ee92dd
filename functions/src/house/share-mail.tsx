import type { VNode } from 'preact';
import { oneLine, plainText, senderFor, sharedBy } from '../values/mail-text';
import {
  ACCENT,
  Address,
  brandOf,
  Button,
  Heading,
  LinkedPicture,
  MailPage,
  Paragraph,
  Quote,
  signature,
  Small,
  type Picture,
} from './mail-layout';
import { originOf } from './mail-origin';

/** The person who shares; null when an operator sends. */
interface Sender {
  name: string;
  email: string;
}

/** The content that the mails to all recipients of a share have in common. */
export interface ShareLetter {
  from: string;
  sender: Sender | null;
  organizationName: string;
  /** `#rrggbb` */
  brand: string | null;
  deckTitle: string;
  subject: string;
  message: string | null;
  /** When the link stops opening; null when it does not. */
  expiresAt: Date | null;
  /** Whether the link opens for its recipient alone. */
  isForRecipient: boolean;
  /** Whether visits of readers are recorded. */
  isTracked: boolean;
}

export interface Share {
  /** The sender of all mails: `Deckhost <decks@example.org>`. */
  mailFrom: string;
  deck: { title: string; tracking: 'full' | 'count' };
  organization: { name: string; brandPrimary: string | null };
  sender: Sender | null;
  subject?: string | null | undefined;
  message?: string | null | undefined;
  expiresAt?: Date | null | undefined;
  requireEmail?: boolean | undefined;
}

/** Reduces texts for mail headers to one line and removes characters that a mail cannot show. */
export function shareLetterOf({ mailFrom, deck, organization, sender, subject, message, ...link }: Share): ShareLetter {
  const deckTitle = oneLine(deck.title, 255);
  return {
    from: senderFor(sender?.name || organization.name, mailFrom),
    sender,
    organizationName: oneLine(organization.name),
    brand: brandOf(organization.brandPrimary),
    deckTitle,
    subject:
      oneLine(subject ?? '') ||
      oneLine(sender ? `${sender.email} shared: ${deckTitle}` : `Shared with you: ${deckTitle}`),
    message: plainText(message ?? ''),
    expiresAt: link.expiresAt ?? null,
    isForRecipient: link.requireEmail ?? false,
    isTracked: deck.tracking === 'full',
  };
}

export interface MailedDeck {
  /** The link to the deck. */
  url: string;
  picture?: Picture | undefined;
}

interface ShareAddresses extends MailedDeck {
  to: string;
  /** See `Origin`. */
  page: string;
  /** The address of the site, without a slash at its end. */
  site: string;
}

interface ShareContent {
  html: VNode;
  text: string;
  headers: Record<string, string>;
}

const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** What the recipient must know about the link. */
function noteOf({ expiresAt, isForRecipient, isTracked }: ShareLetter, to: string): string {
  const opens = isForRecipient
    ? `This link was made for you, and opens only with a code that is sent to ${to}.`
    : 'This link was made for you. Anyone who has it can open the presentation.';
  const seen = isTracked
    ? 'The sender can see when it is opened, and how long each slide is looked at.'
    : 'The sender can see how often it is opened.';
  const who = `${opens} ${seen}`;
  return expiresAt ? `${who} It opens until ${time.format(expiresAt).replace(' at ', ', ')} UTC.` : who;
}

/**
 * The mail with a link to a deck, which the settings of the dashboard show, too. Texts of users are escaped when the
 * element is rendered.
 */
export function shareContentOf(letter: ShareLetter, { to, url, picture, page, site }: ShareAddresses): ShareContent {
  const { sender, organizationName, deckTitle, message } = letter;
  const brand = letter.brand ?? ACCENT;
  const what = sharedBy(sender, organizationName);
  const note = noteOf(letter, to);
  const origin = originOf({ to, organizationName, sender: sender?.email ?? null, page });
  return {
    html: (
      <MailPage title={deckTitle} site={site} brand={brand}>
        <Heading>{deckTitle}</Heading>
        <Paragraph>{what}</Paragraph>
        {message && <Quote text={message} />}
        {picture && <LinkedPicture url={url} picture={picture} />}
        <Button url={url} ground={brand}>
          Open the presentation
        </Button>
        <Small>Or copy this address into your browser:</Small>
        <Address url={url} />
        <Small>{note}</Small>
        {origin.html}
      </MailPage>
    ),
    text: `${deckTitle}\n\n${what}\n\n${message ? `${message}\n\n` : ''}Open the presentation:\n${url}\n\n${note}\n\n${origin.text}\n${signature(site)}`,
    headers: origin.headers,
  };
}
