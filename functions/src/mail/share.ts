import { config } from '../config';
import { renderPage } from '../house/render';
import { shareContentOf, shareLetterOf, type MailedDeck, type Share, type ShareLetter } from '../house/share-mail';
import { mailPageUrl } from './mail-page-url';
import { mailTags, type Mail } from './send';

export const shareLetter = (share: Omit<Share, 'mailFrom'>): ShareLetter =>
  shareLetterOf({ ...share, mailFrom: config.mailFrom() });

/** The mail with a link to a deck. `token` is that of the links that stop such mails. */
export function shareMail(letter: ShareLetter, to: string, deck: MailedDeck, token: string): Mail {
  const { from, sender, subject } = letter;
  const content = shareContentOf(letter, { to, ...deck, page: mailPageUrl(token), site: config.viewerUrl() });
  const reply = sender && { replyTo: sender.email };
  return { ...content, from, to, ...reply, subject, html: renderPage(content.html), tags: mailTags('share', token) };
}
