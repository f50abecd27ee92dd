import { useLayoutEffect, useRef } from 'preact/hooks';
import { Field } from '../ui/field';
import { words } from '../words/en';

const DIGITS = 6;
export const isCode = (code: string): boolean => code.length === DIGITS;

interface CodeFieldProps {
  value: string;
  onValue: (code: string) => void;
  /** Whether the service has refused the code that was entered before. */
  isWrong: boolean;
  /** Where there are several codes. */
  label?: string;
  /** Whether it gets the focus when it appears. */
  isFirst?: boolean;
}

/** The six digits from the mail. Spaces and other signs of a pasted text are left out. */
export function CodeField({ value, onValue, isWrong, label = words.account.code, isFirst = true }: CodeFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (isFirst || isWrong) input.current?.focus();
  }, [isWrong]);
  return (
    <div class="code-field">
      <Field
        label={label}
        value={value}
        onValue={(text) => onValue(text.replace(/\D/g, '').slice(0, DIGITS))}
        autocomplete="one-time-code"
        inputMode="numeric"
        required
        isInvalid={isWrong}
        pattern={`\\d{${DIGITS}}`}
        title={words.account.codeForm}
        dir="ltr"
        inputRef={input}
      />
    </div>
  );
}
