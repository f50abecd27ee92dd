import { config } from '../config';
import { escapeHtml } from '../policy/escape-html';
import { mailHtml } from './layout';
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
  const how = `Sign up with this address (deck signup --email ${to}), and the deck is in your list. Until then nothing happens.`;
  const quote = message
    ? `<p style="margin:0 0 20px;padding:0 0 0 12px;border-left:3px solid #e2e5ea;white-space:pre-line">${escapeHtml(message)}</p>`
    : '';
  return {
    to,
    replyTo,
    subject: oneLine(title),
    html: mailHtml(
      title,
      `<h1 class="ink" style="margin:0 0 8px;font-size:20px;line-height:28px;font-weight:600;color:#1b1f27">${escapeHtml(title)}</h1>
<p style="margin:0 0 20px">You may change its files and publish new versions of it.</p>
${quote}<p style="margin:0 0 20px">${escapeHtml(how)}</p>
<p class="soft" style="margin:0;font-size:14px;line-height:20px;color:#5d6675">${escapeHtml(config.viewerUrl())}</p>`,
    ),
    text: `${title}\n\nYou may change its files and publish new versions of it.\n\n${message ? `${message}\n\n` : ''}${how}\n\n${config.viewerUrl()}\n`,
  };
}

/** A header is one line, whatever somebody has written into a title. */
const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 200);
