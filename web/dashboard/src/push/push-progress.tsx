import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Dropped } from 'deckhost-client/browser';
import { formatBytes, formatPercent } from '../format';
import { words } from '../words/en';
import type { PushRun } from './run';

/** Screen readers read the progress out at each of these steps, and not a hundred times. */
const SPOKEN_PERCENT = 25;
const MAX_ROWS = 200;

/** The progress of an upload: in all, and of each file that the service lacks. */
export function PushProgress({ run, dropped, onCancel }: { run: PushRun; dropped: Dropped; onCancel: () => void }) {
  const { stage, amount, bytes, files, stored } = run.progress.value;
  const part = amount.bytes === 0 ? 0 : Math.min(1, bytes / amount.bytes);
  const spoken = Math.floor((part * 100) / SPOKEN_PERCENT) * SPOKEN_PERCENT;
  const [said, setSaid] = useState('');
  useEffect(() => {
    setSaid(
      stage === 'commit' ? words.push.stages.commit : `${words.push.stages[stage]} ${formatPercent(spoken / 100)}`,
    );
  }, [stage, spoken]);
  useLayoutEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  const sizes = new Map(dropped.files.map(({ path, blob }) => [path, blob.size]));
  const rows = [...files].slice(-MAX_ROWS).reverse();
  return (
    <section class="card push-progress" aria-labelledby="push-stage">
      <h2 id="push-stage">{words.push.stages[stage]}</h2>
      {/* Without a value the bar shows that work goes on. */}
      <progress aria-labelledby="push-stage" max={1} value={stage === 'commit' ? undefined : part} />
      <p class="quiet small">
        {words.push.percent(formatPercent(part), formatBytes(bytes), formatBytes(amount.bytes))}
      </p>
      <p class="visually-hidden" role="status">
        {said}
      </p>
      {rows.length > 0 && (
        <ul class="files" tabIndex={0} aria-label={words.push.filesToSend}>
          {rows.map(([path, sent]) => (
            <li key={path}>
              <span dir="auto">{path}</span>
              <span class="quiet small">
                {stored.has(path) ? words.push.sent : formatPercent(sent / (sizes.get(path) || 1))}
              </span>
            </li>
          ))}
        </ul>
      )}
      <div class="actions">
        <button type="button" class="button" aria-disabled={stage === 'commit'} onClick={onCancel}>
          {words.push.cancel}
        </button>
      </div>
    </section>
  );
}
