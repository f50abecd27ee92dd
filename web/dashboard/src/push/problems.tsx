import type { ExceededCap, Failure, Warning } from 'deckhost-client/browser';
import { formatBytes, formatNumber } from '../format';
import { words } from '../words/en';

const MAX_ROWS = 20;

interface RefusedProps {
  refused: readonly Failure[];
  isWithout: boolean;
  onWithout: (isWithout: boolean) => void;
}

/** The files that a deck cannot hold. The person decides whether the others are published. */
export function Refused({ refused, isWithout, onWithout }: RefusedProps) {
  if (refused.length === 0) return null;
  return (
    <div role="alert" class="notice bad">
      <p>{words.push.refused(formatNumber(refused.length), refused.length)}</p>
      <Rows texts={refused.map(({ message }) => message)} />
      <label class="check">
        <input type="checkbox" checked={isWithout} onChange={(event) => onWithout(event.currentTarget.checked)} />
        <span>{words.push.without}</span>
      </label>
    </div>
  );
}

/** The caps of the plan that the files exceed: the service would refuse them. */
export function Exceeded({ exceeded }: { exceeded: readonly ExceededCap[] }) {
  if (exceeded.length === 0) return null;
  return (
    <div role="alert" class="notice bad">
      <p>{words.push.exceeded}</p>
      <Rows texts={exceeded.map(capText)} />
    </div>
  );
}

function capText({ code, details: { path, limit, actual }, isOfService = false }: ExceededCap): string {
  const { tooManyFiles, tooManyBytes, fileTooLarge } = words.push;
  if (code === 'too-many-files') return tooManyFiles(formatNumber(actual), formatNumber(limit));
  if (path === undefined) return tooManyBytes(formatBytes(actual), formatBytes(limit));
  return fileTooLarge(path, formatBytes(actual), formatBytes(limit), isOfService);
}

/** What the people who open the deck will miss. */
export function Missing({ warnings }: { warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    <div role="status" class="notice">
      <p>{words.push.warnings}</p>
      <Rows texts={warnings.map(({ message, nextAction = '' }) => `${message} ${nextAction}`)} />
    </div>
  );
}

/** The first texts, and how many follow. */
function Rows({ texts }: { texts: readonly string[] }) {
  return (
    <ul>
      {texts.slice(0, MAX_ROWS).map((text) => (
        <li key={text} dir="auto">
          {text}
        </li>
      ))}
      {texts.length > MAX_ROWS && <li>{words.push.more(formatNumber(texts.length - MAX_ROWS))}</li>}
    </ul>
  );
}
