import { useId } from 'preact/hooks';
import { words } from '../../words/en';

interface VersionChoiceProps {
  label: string;
  /** The number of the version, or an empty string for the latest one. */
  value: string;
  current: number;
  onValue: (value: string) => void;
}

/** What a link shows: always the latest version, or one version. */
export function VersionChoice({ label, value, current, onValue }: VersionChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        <option value="">{words.deckLinks.latest}</option>
        {Array.from({ length: current }, (_, i) => String(current - i)).map((version) => (
          <option key={version} value={version}>
            {words.deckLinks.only(Number(version))}
          </option>
        ))}
      </select>
    </div>
  );
}

export const modeOf = (value: string) =>
  value ? { type: 'pinned' as const, version: Number(value) } : { type: 'latest' as const };
