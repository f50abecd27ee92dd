import { config } from '../config';
import { oneLine, plainText, senderFor } from '../values/mail-text';
import { code, heading, mailHtml, paragraph, quote, small } from './layout';
import type { Mail } from './send';

interface Invitation {
  to: string;
  /** The name of the inviting organization. */
  from: string;
  replyTo: string;
  deckTitle: string;
  message: string | null;
}

const MAY = 'You may change its files and publish new versions of it.';
const HOW = 'Sign up with this address, and the deck is in your list:';
const UNTIL_THEN = 'Until then nothing happens. If you expect no invitation, ignore this mail.';

/** Addresses that a shell reads literally. Other addresses may hold almost any character. */
const PLAIN = /^[a-z0-9._+@][a-z0-9._+@-]*$/;

/** The mail that invites an address without an account to a deck. */
export function invitationMail({ to, from, replyTo, deckTitle, message }: Invitation): Mail {
  const title = oneLine(`${from} invites you to “${deckTitle}”`, 400);
  const command = PLAIN.test(to) ? `deck signup --email ${to}` : 'deck signup';
  const words = plainText(message ?? '');
  const html = [
    heading(title),
    paragraph(MAY),
    ...(words ? [quote(words)] : []),
    paragraph(HOW),
    code(command, 'padding:12px;font-size:14px;line-height:20px'),
    small(`${UNTIL_THEN} ${config.viewerUrl()}`),
  ];
  return {
    from: senderFor(from, config.mailFrom()),
    to,
    replyTo,
    subject: oneLine(title),
    html: mailHtml(title, html),
    text: `${title}\n\n${MAY}\n\n${words ? `${words}\n\n` : ''}${HOW}\n\n${command}\n\n${UNTIL_THEN}\n\n${config.viewerUrl()}\n`,
  };
}
