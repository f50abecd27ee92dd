import { config } from '../config';
import { oneLine, plainText, senderFor } from '../values/mail-text';
import { code, heading, mailHtml, paragraph, quote, small } from './layout';
import { originOf } from './origin';
import type { Mail } from './send';

interface Invitation {
  to: string;
  /** The name of the inviting organization. */
  from: string;
  replyTo: string;
  deckTitle: string;
  message: string | null;
  /** See `mailTokenFor`. */
  token: string;
}

const RIGHTS = 'You may change the files of this deck and publish new versions.';
const HOW_TO_ACCEPT = 'To accept, sign up with this email address. Run this command in a terminal:';
const HOW_TO_DECLINE = 'If you did not expect this invitation, ignore this mail. Nothing changes until you sign up.';

/** Addresses that a shell reads as one plain word. The command names no other address. */
const plainWord = /^[a-z0-9._+@][a-z0-9._+@-]*$/;

/** The mail that invites an address without an account to a deck. */
export function invitationMail({ to, from, replyTo, deckTitle, message, token }: Invitation): Mail {
  const title = oneLine(`${from} invites you to “${deckTitle}”`, 400);
  const command = plainWord.test(to) ? `deck signup --email ${to}` : 'deck signup';
  const words = plainText(message ?? '');
  const origin = originOf({ to, organizationName: from, sender: replyTo, token });
  const html = [
    heading(title),
    paragraph(RIGHTS),
    ...(words ? [quote(words)] : []),
    paragraph(HOW_TO_ACCEPT),
    code(command, 'padding:12px;font-size:14px;line-height:20px'),
    small(`${HOW_TO_DECLINE} ${config.viewerUrl()}`),
    ...origin.html,
  ];
  return {
    from: senderFor(from, config.mailFrom()),
    to,
    replyTo,
    subject: oneLine(title),
    html: mailHtml(title, html),
    text: `${title}\n\n${RIGHTS}\n\n${words ? `${words}\n\n` : ''}${HOW_TO_ACCEPT}\n\n${command}\n\n${HOW_TO_DECLINE}\n\n${config.viewerUrl()}\n\n${origin.text}`,
    headers: origin.headers,
  };
}
