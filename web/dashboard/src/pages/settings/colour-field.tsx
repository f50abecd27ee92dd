import { Field } from '../../ui/field';
import { words } from '../../words/en';

/** The colour as the service stores it; undefined for another text. */
export const colourOf = (text: string): string | undefined =>
  /^#?[0-9a-f]{6}$/i.test(text.trim()) ? `#${text.trim().replace('#', '').toLowerCase()}` : undefined;

interface ColourFieldProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
}

/** A colour as a text, beside the picker of the browser. */
export function ColourField({ label, value, onValue }: ColourFieldProps) {
  const isWrong = value.trim() !== '' && colourOf(value) === undefined;
  return (
    <div class="colour">
      <Field
        label={label}
        value={value}
        onValue={onValue}
        placeholder={words.settings.noColour}
        error={isWrong ? words.settings.colourHint : undefined}
        maxLength={7}
        autocomplete="off"
        spellcheck={false}
        dir="ltr"
      />
      <input
        type="color"
        aria-label={words.settings.pick(label)}
        // The picker has no empty value. Grey stands for none.
        value={colourOf(value) ?? '#808080'}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </div>
  );
}
