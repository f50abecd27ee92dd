import { useId, useState } from 'preact/hooks';
import { words } from '../../words/en';
import { isOver, localOf } from './local-time';

const DAY_MS = 86_400_000;
/** The choices in days. */
const SPANS = [1, 7, 30];
const NEVER = 'never';
const AT = 'at';

interface ExpiryChoiceProps {
  label: string;
  /** ISO 8601, or an empty string for never. */
  value: string;
  onValue: (value: string) => void;
  error?: string | undefined;
}

/** When a link stops opening: never, in some days from the choice on, or at a time in the zone of the reader. */
export function ExpiryChoice({ label, value, onValue, error }: ExpiryChoiceProps) {
  const id = useId();
  const [chosen, setChosen] = useState(AT);
  const [stored] = useState(value);
  // A year that is half typed is one of long ago: made of its time, the text could have other minutes.
  const [typed, setTyped] = useState(localOf(value));
  const { never, inDays, atTime, time } = words.deckLinks.expiry;
  const shown = value ? chosen : NEVER;
  const choose = (choice: string) => {
    setChosen(choice);
    const days = choice === AT ? 7 : Number(choice);
    const at = choice === NEVER ? '' : new Date(Date.now() + days * DAY_MS).toISOString();
    setTyped(localOf(at));
    onValue(at);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={shown}
        aria-invalid={error !== undefined}
        aria-describedby={error && `${id}-note`}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value={NEVER}>{never}</option>
        {SPANS.map((days) => (
          <option key={days} value={String(days)}>
            {inDays(days)}
          </option>
        ))}
        <option value={AT}>{atTime}</option>
      </select>
      {shown === AT && (
        <input
          type="datetime-local"
          required
          aria-label={time}
          value={typed}
          // A link that has expired can be changed without another time.
          min={value === stored && isOver(value) ? undefined : localOf(new Date().toISOString())}
          max="9999-12-31T23:59"
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            const at = new Date(event.currentTarget.value);
            if (!Number.isNaN(at.getTime())) onValue(at.toISOString());
          }}
        />
      )}
      {error && (
        <span id={`${id}-note`} class="error">
          {error}
        </span>
      )}
    </div>
  );
}
