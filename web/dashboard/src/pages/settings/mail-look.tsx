import { words } from '../../words/en';
import { colourOf } from './colour-field';

interface MailLookProps {
  sender: string;
  name: string;
  colour: string;
}

/** A small picture of the mail with which people get a deck: who sends it, in the colour of the organization. */
export function MailLook({ sender, name, colour }: MailLookProps) {
  const ground = colourOf(colour);
  const style = ground ? { background: ground, color: inkOn(ground) } : {};
  const { preview, previewTitle, previewWho, previewButton } = words.settings;
  return (
    <figure class="mail-look">
      <figcaption>{preview}</figcaption>
      <div class="mail">
        <div class="stripe" style={style} />
        <strong>{previewTitle}</strong>
        <span>{previewWho(sender, name)}</span>
        <span class="mail-button" style={style}>
          {previewButton}
        </span>
      </div>
    </figure>
  );
}

/** Black or white, whichever is easier to read on the colour. Its luminance is that of WCAG. */
function inkOn(ground: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(ground.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}
