import { renderToString } from 'preact-render-to-string';
import { shareContentOf, shareLetterOf } from '../../../../../functions/src/house/share-mail';
import { name as serviceName } from '../../../../../functions/src/house/tokens.json';
import { MailFrame } from '../../ui/mail-frame';
import { MailView } from '../../ui/mail-view';
import { words } from '../../words/en';
import { colourOf } from './colour-field';

interface MailLookProps {
  sender: { name: string; email: string };
  organization: string;
  colour: string;
}

/**
 * The mail with which people get a deck, made by the code that makes the mails of the service. Its links open nothing,
 * and the address of the service's sender is not known here.
 */
export function MailLook({ sender, organization, colour }: MailLookProps) {
  const { preview, previewDeck } = words.settings;
  const letter = shareLetterOf({
    mailFrom: `${serviceName} <…>`,
    deck: { title: previewDeck, tracking: 'full' },
    organization: { name: organization, brandPrimary: colourOf(colour) ?? null },
    sender,
  });
  const site = location.origin;
  const addresses = { to: 'recipient@example.com', url: `${site}/share/preview`, page: `${site}/mail/preview`, site };
  return (
    <figure class="mail-look">
      <figcaption>{preview}</figcaption>
      <div class="mail">
        <MailView from={letter.from} replyTo={sender.email} subject={letter.subject}>
          <MailFrame html={renderToString(shareContentOf(letter, addresses).html)} />
        </MailView>
      </div>
    </figure>
  );
}
