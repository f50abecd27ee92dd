import { name as serviceName } from '../../../../../functions/src/house/tokens.json';
import { inkOn } from '../../../../../functions/src/values/contrast';
import { senderFor, sharedBy } from '../../../../../functions/src/values/mail-text';
import { words } from '../../words/en';
import { colourOf } from './colour-field';

interface MailLookProps {
  sender: { name: string; email: string };
  organization: string;
  colour: string;
}

/** The mail with which people get a deck: who sends it, whom answers reach, its first sentence and its colour. */
export function MailLook({ sender, organization, colour }: MailLookProps) {
  const ground = colourOf(colour);
  const style = ground ? { background: ground, color: inkOn(ground) } : {};
  const { preview, previewTitle, previewButton, previewFrom, previewReplyTo } = words.settings;
  return (
    <figure class="mail-look">
      <figcaption>{preview}</figcaption>
      <div class="mail">
        <div class="stripe" style={style} />
        <span class="quiet small">
          {previewFrom} <bdi translate={false}>{senderFor(sender.name || organization, `${serviceName} <…>`)}</bdi>
        </span>
        <span class="quiet small">
          {previewReplyTo} <bdi translate={false}>{sender.email}</bdi>
        </span>
        <strong>{previewTitle}</strong>
        {/* The words of the mail, which is in English. */}
        <span lang="en" dir="auto">
          {sharedBy(sender, organization)}
        </span>
        <span class="mail-button" style={style}>
          {previewButton}
        </span>
      </div>
    </figure>
  );
}
