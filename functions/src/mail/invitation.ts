import { config } from '../config';
import { oneLine } from '../policy/mail-text';
import { heading, mailHtml, paragraph, quote, small } from './layout';
import type { Mail } from './send';

interface Invitation {
  to: string;
  /** Who invites: the organization's name. */
  from: string;
  replyTo: string;
  deckTitle: string;
  message: string | null;
}

/** Tells an address without an account that a deck waits for it. */
export function invitationMail({ to, from, replyTo, deckTitle, message }: Invitation): Mail {
  const title = `${from} invites you to “${deckTitle}”`;
  const may = 'You may change its files and publish new versions of it.';
  const how = `Sign up with this address (deck signup --email ${to}), and the deck is in your list. Until then nothing happens.`;
  return {
    to,
    replyTo,
    subject: oneLine(title),
    html: mailHtml(
      title,
      [
        heading(title),
        paragraph(may),
        ...(message ? [quote(message)] : []),
        paragraph(how),
        small(config.viewerUrl()),
      ].join('\n'),
    ),
    text: `${title}\n\n${may}\n\n${message ? `${message}\n\n` : ''}${how}\n\n${config.viewerUrl()}\n`,
  };
}
