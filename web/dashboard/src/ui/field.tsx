import type { Ref } from 'preact';
import { useId } from 'preact/hooks';
import { normalizeText, textProblems } from '../../../../functions/src/values/human-text';

interface FieldProps {
  label: string;
  value: string;
  onValue: (value: string) => void;
  hint?: string | undefined;
  /** What is wrong with the value. */
  error?: string | undefined;
  /** Whether something is wrong that stands elsewhere. */
  isInvalid?: boolean;
  type?: 'text' | 'password' | 'email' | 'date' | 'url';
  autocomplete?: 'email' | 'one-time-code' | 'given-name' | 'family-name' | 'organization' | 'off';
  inputMode?: 'numeric';
  required?: boolean;
  disabled?: boolean;
  minLength?: number;
  maxLength?: number;
  /** A regular expression for the whole value. The browser shows the title when it does not match. */
  pattern?: string;
  title?: string;
  placeholder?: string;
  /** `auto` for a text that people read. The field says what the service would refuse in it. */
  dir?: 'auto' | 'ltr';
  spellcheck?: boolean;
  inputRef?: Ref<HTMLInputElement>;
}

/** A labelled input of one line, with a hint or the words of what is wrong. */
export function Field({
  label,
  hint,
  error: given,
  onValue,
  inputRef,
  isInvalid: isWrong,
  type = 'text',
  ...input
}: FieldProps) {
  const id = useId();
  const error = given ?? (input.dir === 'auto' ? textProblems(normalizeText(input.value))[0] : undefined);
  const isInvalid = isWrong ?? error !== undefined;
  const note = error ?? hint;
  // Preact types the attributes of each type of input separately.
  const attributes: object = { ...input, type };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...attributes}
        ref={inputRef}
        id={id}
        aria-invalid={isInvalid}
        aria-describedby={note ? `${id}-note` : undefined}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {note && (
        <span id={`${id}-note`} class={error ? 'error' : 'hint'}>
          {note}
        </span>
      )}
    </div>
  );
}
