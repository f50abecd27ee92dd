import { useId } from 'preact/hooks';
import { normalizeText, textProblems } from '../../../../functions/src/values/human-text';

interface TextAreaProps {
  id?: string;
  label: string;
  value: string;
  onValue: (value: string) => void;
  rows: number;
  hint?: string;
  error?: string | undefined;
  maxLength?: number;
  required?: boolean;
  dir?: 'auto' | 'ltr';
}

/** A labelled input of several lines, with a hint or the words of what is wrong. */
export function TextArea({ id: given, label, onValue, hint, error: said, ...input }: TextAreaProps) {
  const error =
    said ?? (input.dir === 'auto' ? textProblems(normalizeText(input.value), { lines: true })[0] : undefined);
  const made = useId();
  const id = given ?? made;
  const note = error ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        {...input}
        id={id}
        aria-invalid={error !== undefined}
        aria-describedby={note ? `${id}-note` : undefined}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {note && (
        <span id={`${id}-note`} class={error ? 'error' : 'hint'} role={error ? 'alert' : undefined}>
          {note}
        </span>
      )}
    </div>
  );
}
