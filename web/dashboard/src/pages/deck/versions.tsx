import { useState } from 'preact/hooks';
import { service } from '../../service';
import { CommandStrip } from '../../ui/command-strip';
import { FailureNotice } from '../../ui/failure-notice';
import { Skeleton } from '../../ui/skeleton';
import { useLoaded } from '../../use-loaded';
import { words } from '../../words/en';
import { Comparison } from './comparison';
import { NewVersion } from './new-version';
import { useChange } from './use-change';
import type { SectionProps } from './use-deck';
import { VersionRow } from './version-row';

const SHOWN_AT_ONCE = 25;

/** All versions of the deck, the newest first. */
export default function Versions(props: SectionProps) {
  const { id, version: current } = props.deck;
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  const [compared, setCompared] = useState<{ from: number; to: number }>();
  const input = { presentationId: id };
  // A version that somebody pushes meanwhile changes the deck, and so loads the list again.
  const { data, failure, reload } = useLoaded(
    (signal) => service().get('listPresentationVersions', input, { signal }),
    [id, current],
  );
  const change = useChange(props, {
    command: `deck versions ${id}`,
    call: { name: 'listPresentationVersions', method: 'GET', input },
  });
  const rows = [...(data?.versions ?? [])].sort((a, b) => b.version - a.version);
  const { about, list, loading, more } = words.deckVersions;
  return (
    <section aria-busy={!data && !failure} class="versions section-place">
      <h2 class="visually-hidden">{words.deck.tabs.versions}</h2>
      <p class="quiet">{about}</p>
      <NewVersion {...props} />
      <FailureNotice failure={failure} onRetry={() => void reload()} />
      <FailureNotice failure={change.failure} />
      {!data && !failure && <Skeleton label={loading} lines={4} />}
      <ol class="rows" aria-label={list}>
        {rows.slice(0, shown).map((row) => (
          <VersionRow
            key={row.version}
            row={row}
            current={data!.currentVersion}
            change={change}
            onCompare={setCompared}
            {...props}
          />
        ))}
      </ol>
      {rows.length > shown && (
        <div class="actions">
          <button type="button" class="button" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
            {more}
          </button>
          <span class="quiet small">{words.deckVersions.shown(shown, rows.length)}</span>
        </div>
      )}
      {(data || failure !== undefined) && <CommandStrip {...change.done} />}
      {compared && <Comparison id={id} {...compared} onClose={() => setCompared(undefined)} />}
    </section>
  );
}
