import { useId, useState } from 'preact/hooks';
import { Field } from '../../ui/field';
import { words } from '../../words/en';

const NONE = 'none';
const KEPT = 'kept';
const TYPED = 'typed';

interface PasscodeChoiceProps {
  /** Null for none. Undefined for the one that the link has. */
  value: string | null | undefined;
  /** Whether the link has one. */
  isSet: boolean;
  onValue: (value: string | null | undefined) => void;
  error: string | undefined;
}

/**
 * What readers must know: nothing, the passcode that the link has, or a new one, which can be shown while it is typed.
 */
export function PasscodeChoice({ value, isSet, onValue, error }: PasscodeChoiceProps) {
  const id = useId();
  const [isShown, setShown] = useState(false);
  const { label, none, kept, own, change, typed, hint, show } = words.linkRules.passcode;
  const shown = value === undefined ? KEPT : value === null ? NONE : TYPED;
  const values = { [NONE]: null, [KEPT]: undefined, [TYPED]: '' };
  return (
    <div class="rule">
      <div class="field">
        <label for={id}>{label}</label>
        <select
          id={id}
          value={shown}
          onChange={(event) => onValue(values[event.currentTarget.value as keyof typeof values])}
        >
          <option value={NONE}>{none}</option>
          {isSet && <option value={KEPT}>{kept}</option>}
          <option value={TYPED}>{isSet ? change : own}</option>
        </select>
      </div>
      {shown === TYPED && (
        <>
          <Field
            label={typed}
            type={isShown ? 'text' : 'password'}
            value={value ?? ''}
            onValue={onValue}
            hint={hint}
            error={error}
            minLength={6}
            maxLength={64}
            required
            autocomplete="off"
            spellcheck={false}
          />
          <label class="check">
            <input type="checkbox" checked={isShown} onChange={(event) => setShown(event.currentTarget.checked)} />
            {show}
          </label>
        </>
      )}
    </div>
  );
}
