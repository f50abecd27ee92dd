import { config } from '../config';
import { ACCENT, Button, Heading, MailPage, Paragraph, Quote, signature, Small } from '../house/mail-layout';
import { originOfService } from '../house/mail-origin';
import { renderPage } from '../house/render';
import { oneLine, plainText } from '../values/mail-text';
import { mailPageUrl } from './mail-page-url';
import { mailTags, type Mail } from './send';

/** The mails in which the service tells the owner of a deck what happened at one of its links. */

interface Notice {
  to: string;
  /** See `mailTokenFor`. */
  token: string;
  deckTitle: string;
  linkName: string;
}

interface NoticeTexts {
  title: string;
  what: string;
  quote?: string | null;
  button: { label: string; path: string };
  note: string;
}

/** The mail for a proven request for access. */
export const accessRequestMail = (of: Notice & { asker: string; message: string | null }): Mail =>
  noticeMail(of, {
    title: `${of.asker} asks for access to “${of.deckTitle}”`,
    what: `The person has the address of a page of the presentation, from the link “${of.linkName}”, and proved that ${of.asker} is theirs.`,
    quote: plainText(of.message ?? ''),
    button: { label: 'Answer the request', path: '/dashboard/requests' },
    note: 'Nothing happens unless you allow it. The request ends after 7 days.',
  });

/** The mail about a link at which many wrong passcodes were tried. */
export const guessedPasscodeMail = (of: Notice & { presentationId: string; limit: number }): Mail =>
  noticeMail(of, {
    title: `Wrong passcodes at a link to “${of.deckTitle}”`,
    what: `More than ${of.limit.toLocaleString('en')} wrong passcodes were sent to the link “${of.linkName}” within a day. Somebody may be guessing.`,
    button: { label: 'Look at the links', path: `/dashboard/decks/${of.presentationId}/links` },
    note: 'Strangers have to wait between two attempts. A long passcode withstands this; change a short one, or revoke the link.',
  });

const bounced = {
  share: { mail: 'the email with the link to', button: 'See the sent emails', page: 'mails' },
  invitation: { mail: 'the invitation to', button: 'See who is invited', page: 'people' },
};

/** Tells the sender of a mail that the recipient's mail server refused it. */
export function bounceMail(
  of: Omit<Notice, 'linkName'> & {
    presentationId: string;
    kind: keyof typeof bounced;
    recipient: string;
    reason: string | null;
  },
): Mail {
  const { mail, button, page } = bounced[of.kind];
  return noticeMail(of, {
    title: `Your email to ${of.recipient} did not arrive`,
    what: `The mail server of ${of.recipient} refused ${mail} “${of.deckTitle}”.`,
    quote: of.reason,
    button: { label: button, path: `/dashboard/decks/${of.presentationId}/${page}` },
    note: 'Check the address. Nothing more is mailed to it for 30 days, unless it refused this email for a reason that passes.',
  });
}

function noticeMail(
  { to, token }: Pick<Notice, 'to' | 'token'>,
  { what, quote, button, note, ...texts }: NoticeTexts,
): Mail {
  const site = config.viewerUrl();
  const title = oneLine(texts.title, 400);
  const sentence = oneLine(what, 600);
  const url = `${site}${button.path}`;
  const origin = originOfService(
    `You received this email at ${to} because you own the presentation.`,
    mailPageUrl(token),
  );
  return {
    to,
    subject: oneLine(title),
    html: renderPage(
      <MailPage title={title} site={site}>
        <Heading>{title}</Heading>
        <Paragraph>{sentence}</Paragraph>
        {quote && <Quote text={quote} />}
        <Button url={url} ground={ACCENT}>
          {button.label}
        </Button>
        <Small>{note}</Small>
        {origin.html}
      </MailPage>,
    ),
    text: `${title}\n\n${sentence}\n\n${quote ? `${quote.replace(/^/gm, '> ')}\n\n` : ''}${button.label}:\n${url}\n\n${note}\n\n${origin.text}\n${signature(site)}`,
    headers: origin.headers,
    tags: mailTags('notice', token),
  };
}
